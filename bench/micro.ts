// `make bench-micro`: the parts alone, in one process. `--smoke`: milliseconds each, only to see them work.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { showTime } from './load/print.ts';
import { encode } from './micro/encode.ts';
import { frames } from './micro/frames.ts';
import { limiter } from './micro/limiter.ts';
import { measurePart, type Part, seen } from './micro/part.ts';
import { plan } from './micro/plan.ts';
import { resultCache } from './micro/result-cache.ts';
import { statement } from './micro/statement.ts';
import { readOrigin } from './origin.ts';
import { stopAll, stopAllOnSignals } from './processes.ts';
import { appendLine, resultFile } from './results.ts';

const PARTS: readonly Part[] = [statement, plan, encode, limiter, resultCache, frames];

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    only: { type: 'string' },
    milliseconds: { type: 'string', default: '500' },
  },
});

async function main(): Promise<void> {
  const wanted = values.only?.split(',');
  const origin = readOrigin(join(import.meta.dirname, '..'));
  const run = new Date().toISOString();
  const file = resultFile(values.smoke ? 'smoke-micro' : 'micro', new Date());
  for (const part of PARTS) {
    if (wanted !== undefined && !wanted.includes(part.group)) continue;
    for (const measured of await measurePart(part, values.smoke ? 10 : Number(values.milliseconds))) {
      appendLine(file, { ...origin, suite: 'micro', run, date: new Date().toISOString(), ...measured });
      const { p50, p99 } = measured.nanoseconds;
      const times = `${showTime(p50 / 1000).padStart(9)}  p99 ${showTime(p99 / 1000).padStart(9)}`;
      process.stdout.write(`${part.group.padEnd(13)} ${measured.task.padEnd(50)} ${times}\n`);
    }
  }
  if (seen() === main) throw new Error('never');
  process.stdout.write(`\n${file}\n`);
}

stopAllOnSignals();
main()
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(stopAll);
