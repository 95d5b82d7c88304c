// Three minutes of everything at once: a database that changes, readers who check every answer wholly, exports that
// meet the deadline, strangers. The seed is printed; SEED repeats its choices.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '../..');
const SEED = process.env['SEED'] ?? String(Date.now() % 1_000_000_000);
const MINUTES = process.env['SOAK_MINUTES'] ?? '3';

test('no answer is wrong or cut off unseen, whatever else goes on', async () => {
  process.stdout.write(`seed ${SEED}\n`);
  const soak = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', join(ROOT, 'bench/soak.ts')],
      ...['--minutes', MINUTES, '--seed', SEED, '--judge', 'answers'],
    ],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [soak.stdout, soak.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const [code] = (await once(soak, 'exit')) as [number | null];
  for (const line of said.split('\n').filter((text) => /^(kept|BROKEN)/.test(text)))
    process.stdout.write(`NOTE ${line}\n`);
  assert.is(code, 0, said);
});

test.run();
