// What the front can tell of a DuckDB file without DuckDB.
import { copyFileSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultOfColumns } from '../../src/snapshot/header.ts';

const folder = mkdtempSync(join(tmpdir(), 'tablegate-header-'));
const good = join(folder, 'good.duckdb');
const test = suite('header');

async function make(path: string, options: Record<string, string>): Promise<void> {
  const instance = await DuckDBInstance.create(path, options);
  const connection = await instance.connect();
  await connection.run('create table t as select i, repeat(i::varchar, 20) s from range(200000) r(i)');
  await connection.run('checkpoint');
  connection.closeSync();
  instance.closeSync();
}

function damaged(name: string, change: (path: string) => unknown): string {
  const path = join(folder, name);
  copyFileSync(good, path);
  change(path);
  return path;
}
const write = (bytes: Uint8Array, at: number) => (path: string) => {
  writeSync(openSync(path, 'r+'), bytes, 0, bytes.length, at);
};

test.before(() => make(good, {}));
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('a whole file of each storage version that the engine reads has no fault', async () => {
  assert.is(await faultOfColumns(good), undefined);
  for (const version of ['v1.0.0', 'v1.3.0', 'v1.5.0', 'latest']) {
    const path = join(folder, `${version}.duckdb`);
    await make(path, { storage_compatibility_version: version });
    assert.is(await faultOfColumns(path), undefined, version);
  }
});

test('a file of a newer DuckDB is named as such', async () => {
  const newer = damaged('newer', write(Buffer.from([69]), 12));
  assert.match((await faultOfColumns(newer)) ?? '', /newer DuckDB \(storage version 69, v1\.5\.6/);
});

test('a truncated, empty or overwritten file is told from a good one', async () => {
  const cases: readonly [string, (path: string) => unknown, RegExp][] = [
    ['cut', (path) => truncateSync(path, 300_000), /half-written: columns.duckdb has 300000 of \d+ bytes/],
    ['short', (path) => truncateSync(path, 5000), /half-written/],
    ['empty', (path) => truncateSync(path, 0), /half-written/],
    ['zeros', write(new Uint8Array(12288), 0), /not a DuckDB file/],
    ['text', (path) => writeFileSync(path, 'id,name\n'.repeat(5000)), /not a DuckDB file/],
    ['flipped', write(Buffer.from([0xff]), 600), /damaged/],
    ['both headers', (path) => [4200, 8300].map((at) => write(Buffer.from([1, 2]), at)(path)), /damaged/],
  ];
  for (const [name, change, expected] of cases)
    assert.match((await faultOfColumns(damaged(name, change))) ?? 'no fault', expected, name);
});

test('a missing file is an error of the system, not a fault', async () => {
  try {
    await faultOfColumns(join(folder, 'none'));
    assert.unreachable();
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'ENOENT');
  }
});

test.run();
