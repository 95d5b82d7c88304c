// What a changed row costs on its way to a replica: bytes that are published, bytes that are pulled, and seconds from
// the change in the source to the replica's answer. The store is a folder of this machine.
//   node --import tsx bench/publishing.ts [--rows 3000000] [--rounds 5] [--out results.jsonl]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { freePort } from '../test/support/nginx.ts';
import { benchDatabase, FLIGHTS } from './data.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '3000000' },
    rounds: { type: 'string', default: '5' },
    out: { type: 'string' },
  },
});
const MAIN = join(import.meta.dirname, '..', 'dist', 'main.js');
const rows = Number(values.rows);
const folder = mkdtempSync(join(tmpdir(), 'tablegate-publishing-'));
const source = join(folder, 'source.db');
const store = join(folder, 'store');
const port = await freePort();
const started: (() => Promise<void>)[] = [];

/** @returns what it has said so far */
function start(...args: readonly string[]): () => string {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = once(child, 'close');
  started.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return () => said;
}

async function until(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 300_000;
  while (!(await is())) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`);
    await wait(5);
  }
}

const delayOf = async (id: number): Promise<unknown> => {
  const statement = encodeURIComponent(`select delay from ${FLIGHTS} where id = ${id}`);
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?statement=${statement}`);
  return ((await answer.json()) as readonly { readonly delay: unknown }[])[0]?.delay;
};
const numbers = (text: string, pattern: RegExp): readonly number[] =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));

try {
  copyFileSync((await benchDatabase(rows)).path, source);
  const database = new DatabaseSync(source, { timeout: 10_000 });
  const publisher = start(
    'follow',
    source,
    '--data',
    join(folder, 'data'),
    '--every',
    '200ms',
    '--publish',
    store,
  );
  const replica = start(
    ...['serve', '--data', join(folder, 'replica'), '--pull', store, '--pull-every', '200ms'],
    ...['--port', String(port), '--rate-limit', '0', '--console', 'off'],
  );
  await until('the first snapshot', () => /listening on/.test(replica()));
  const seconds: number[] = [];
  const rounds = Number(values.rounds);
  for (let round = 0; round < rounds; round++) {
    const id = 1 + Math.floor(((round + 0.5) * rows) / rounds);
    const delay = 5_000 + round;
    const began = performance.now();
    database.exec(`update ${FLIGHTS} set delay = ${delay} where id = ${id}`);
    await until('the change', async () => (await delayOf(id)) === delay);
    seconds.push((performance.now() - began) / 1000);
  }
  database.close();
  await until(
    'the last line',
    () => numbers(publisher(), /published snapshot .*, (\d+) of/g).length > rounds,
  );
  const published = numbers(publisher(), /published snapshot .*, (\d+) of/g);
  const pulled = numbers(replica(), /pulled snapshot .*, (\d+) of/g);
  const result = {
    bench: 'publishing',
    rows,
    snapshotBytes: numbers(publisher(), /published snapshot .* of (\d+) bytes/g).at(-1),
    publishedBytesFirst: published[0],
    publishedBytes: published.slice(1),
    pulledBytes: pulled.slice(1),
    seconds: seconds.map((each) => Number(each.toFixed(2))),
    medianSeconds: Number(median(seconds).toFixed(2)),
  };
  const line = `${JSON.stringify(result)}\n`;
  process.stdout.write(line);
  if (values.out !== undefined) appendFileSync(values.out, line);
} finally {
  await Promise.all(started.map((end) => end()));
  rmSync(folder, { recursive: true, force: true });
}
