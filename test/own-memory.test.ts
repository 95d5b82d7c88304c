// What a process has for itself, beside the pages of a file that SQLite maps.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownMemoryBytes, TELLS_MAPPED_APART } from '../src/base/own-memory.ts';

const test = suite('own-memory');
const MIB = 1024 * 1024;

test('counts what is allocated, and no page of a mapped file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-own-memory-'));
  const path = join(folder, 'large.sqlite');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const made = new DatabaseSync(path);
  made.exec(
    'create table t(x); insert into t select zeroblob(1000000) from (values (1), (2), (3), (4), (5), (6), (7), (8))',
  );
  for (let i = 0; i < 3; i++) made.exec('insert into t select x from t');
  made.close();

  const mapped = new DatabaseSync(path, { readOnly: true });
  mapped.exec('pragma mmap_size=1000000000');
  mapped.exec('pragma cache_size=-100');
  const [own, resident] = [ownMemoryBytes(), process.memoryUsage.rss()];
  // The last byte of each is read by way of all pages before it.
  mapped.prepare("select sum(instr(x, x'01')) from t").get();
  if (TELLS_MAPPED_APART) {
    assert.ok(process.memoryUsage.rss() - resident > 40 * MIB);
    assert.ok(ownMemoryBytes() - own < 30 * MIB);
  }
  mapped.close();

  const before = ownMemoryBytes();
  const filled = Buffer.alloc(100 * MIB, 1);
  assert.ok(ownMemoryBytes() - before > 80 * MIB);
  assert.is(filled.length, 100 * MIB);
});

test.run();
