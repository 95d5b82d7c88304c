// Writers that come and go at the worst moment: while an import opens the database.
import { existsSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import url from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lockPages } from '../../src/ingest/sqlite-lock.ts';
import { askRows, makeDatabase, register, runImport, scratch } from './support.ts';

const test = suite('ingest/race');
const files = scratch();
test.after(() => files.remove());

const TABLES = ['first_1_1', 'second_1_2'];

function source(name: string): string {
  return makeDatabase(files.path(name), (database) => {
    for (const table of TABLES) {
      database.exec(`create table ${table} (v text); insert into ${table} values ('of ${table}: old')`);
      register(database, table);
    }
    database.exec('pragma journal_mode=wal');
  });
}

function write(path: string, sql: string): DatabaseSyncInstance {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(`pragma wal_autocheckpoint=0; ${sql}`);
  return database;
}

const setAll = (value: string): string =>
  `begin; ${TABLES.map((table) => `update ${table} set v = 'of ${table}: ${value}'`).join(';')}; commit`;

/** Does something once, when the import has looked for a log and names the file for SQLite to open. */
async function beforeOpening(act: () => void, work: () => Promise<void> | void): Promise<void> {
  const { pathToFileURL } = url;
  let acted = false;
  const set = (value: typeof pathToFileURL): void => {
    url.pathToFileURL = value;
    syncBuiltinESMExports();
  };
  set((...args) => {
    if (!acted) act();
    acted = true;
    return pathToFileURL(...args);
  });
  try {
    await work();
    assert.ok(acted);
  } finally {
    set(pathToFileURL);
  }
}

test('a log that is removed and made anew while it is opened is read, not the one that is gone', async () => {
  const path = source('anew.db');
  let writer = write(path, `update ${TABLES[0]} set v = 'of ${TABLES[0]}: between'`);
  const anew = (): void => {
    writer.close();
    assert.not(existsSync(`${path}-wal`));
    writer = write(path, setAll('new'));
  };
  try {
    await beforeOpening(anew, () => {
      const locked = lockPages(path);
      try {
        assert.ok(locked);
        const all = Array.from({ length: locked.pages.pages }, (_, at) =>
          locked.pages.read(at + 1).toString('latin1'),
        ).join('');
        for (const table of TABLES) assert.ok(all.includes(`of ${table}: new`), table);
      } finally {
        locked?.close();
      }
    });
  } finally {
    writer.close();
  }
});

test('a writer that comes while a stopped database is opened is not missed', async () => {
  const path = source('comes.db');
  const data = files.path('comes');
  let writer: DatabaseSyncInstance | undefined;
  const come = (): void => {
    assert.not(existsSync(`${path}-wal`));
    writer = write(path, setAll('new'));
  };
  const stored = (): Promise<unknown[][]> =>
    askRows(data, TABLES.map((table) => `select v from ${table}`).join(' union all '));
  const all = TABLES.map((table) => [`of ${table}: new`]);
  try {
    assert.is((await runImport(path, '--data', data)).code, 0);
    await beforeOpening(come, async () => {
      const ran = await runImport(path, '--data', data, '--update');
      assert.is(ran.code, 0, ran.err);
    });
    assert.equal(await stored(), all);
    assert.match((await runImport(path, '--data', data, '--update')).out, /^unchanged/);
    assert.equal(await stored(), all);
  } finally {
    writer?.close();
  }
});

test('an empty log without an index is no writer', async () => {
  const path = source('empty.db');
  const data = files.path('empty');
  writeFileSync(`${path}-wal`, '');
  const ran = await runImport(path, '--data', data);
  assert.is(ran.code, 0, ran.err);
  assert.equal(await askRows(data, `select v from ${TABLES[0]}`), [[`of ${TABLES[0]}: old`]]);
});

test('where there is no log none is made', () => {
  const path = source('without.db');
  assert.is(lockPages(path), undefined);
  for (const suffix of ['-wal', '-shm']) assert.not(existsSync(path + suffix));
});

test.run();
