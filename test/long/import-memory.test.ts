// An import holds the memory that it is given, whatever the size of its file: the peak of its process, as the system
// counts it. Where this machine has none of Linux' tables there is nothing to be read, which is said.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scratch } from '../ingest/support.ts';
import { MAIN } from '../support/main.ts';

const test = suite('long/import-memory');
const files = scratch();
test.after(() => files.remove());

const MIB = 1024 * 1024;
const ROWS = 1_500_000;
/** Larger than what is allowed, as the engine holds it before it is compressed. */
const COLUMNS = `range as id, (range * 7919) % 100003 as part, range % 7 as line, (range % 1000) / 8 as price,
  md5(range::varchar) as digest, 'comment number ' || (range * 31 % 999983) || ' of a long text that is no number' as comment,
  date '1992-01-01' + (range % 2500)::integer as day, repeat(chr(97 + (range % 26)::integer), (range % 40)::integer) as more`;

async function write(path: string, format: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '512MB', threads: '2' });
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT ${COLUMNS} FROM range(${ROWS})) TO '${path}' (${format})`);
  connection.closeSync();
  instance.closeSync();
}

interface Peak {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly bytes: number;
}

/** The peak is kept by the system: the last look before the end misses next to nothing of it. */
function runImport(...args: readonly string[]): Promise<Peak> {
  const child = spawn(process.execPath, [MAIN, 'import', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  let bytes = 0;
  child.stdout.on('data', (text) => (out += text));
  child.stderr.on('data', (text) => (err += text));
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      bytes = Math.max(bytes, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
    } catch {
      // It has ended.
    }
  }, 50);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearInterval(look);
      resolve({ code, out, err, bytes });
    });
  });
}

if (!existsSync('/proc/self/status')) test.skip('there is no /proc on this machine', () => {});
else
  for (const [format, options] of [
    ['parquet', 'FORMAT parquet, COMPRESSION zstd'],
    ['csv', 'FORMAT csv, HEADER'],
  ] as const)
    test(`${format}: 384 MB are enough for ${ROWS} rows, and not passed`, async () => {
      const path = files.path(`t.${format}`);
      await write(path, options);
      const args = ['--table', 't_1_1', '--data', files.path(format), '--import-memory', '384MiB'];
      const { code, out, err, bytes } = await runImport(path, ...args);
      assert.is(code, 0, err);
      assert.match(out, /added t_1_1: 1,500,000 rows/);
      process.stdout.write(`${format}: peak ${Math.round(bytes / MIB)} MiB\n`);
      assert.ok(bytes > 64 * MIB && bytes <= 384 * MIB, `its peak was ${Math.round(bytes / MIB)} MiB`);
    });

test.run();
