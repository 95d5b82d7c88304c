// The mark of a source: another one after each change, and the same one after a look.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSqlite } from '../../src/ingest/sqlite-open.ts';
import { sourceMark } from '../../src/source/source.ts';

const test = suite('follow/mark');
const folder = mkdtempSync(join(tmpdir(), 'tablegate-mark-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Times of files have some milliseconds. */
const TICK_MS = 20;

test('whoever reads a database in use does not change its mark, root neither; a commit does', async () => {
  const path = join(folder, 'database.db');
  const writer = new DatabaseSync(path);
  try {
    writer.exec('pragma journal_mode=wal; create table t (a integer); insert into t values (1)');
    const before = await sourceMark(path);
    await wait(TICK_MS);
    const opened = await openSqlite(path, join(folder, 'scratch'), new AbortController().signal);
    assert.is(opened.database.prepare('select a from source.t').get()?.['a'], 1);
    await opened.close();
    assert.is(await sourceMark(path), before, 'after a reader');
    // What SQLite does to a log that root opens.
    chmodSync(`${path}-wal`, 0o600);
    assert.is(await sourceMark(path), before, 'after the log was given to somebody');
    writer.exec('update t set a = 2');
    const updated = await sourceMark(path);
    assert.is.not(updated, before, 'after a commit');
    writer.exec('pragma wal_checkpoint(truncate)');
    assert.is.not(await sourceMark(path), updated, 'after the log was ended');
  } finally {
    writer.close();
  }
});

test.run();
