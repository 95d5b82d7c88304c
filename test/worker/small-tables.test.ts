// Tables of the row store in the engine's memory: the same values as those that an import writes, once for all who ask,
// within their bound, and out of reach of statements that write.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SchemaTable } from '../../src/dialect/schema.ts';
import { columnsPath, rowsPath } from '../../src/snapshot/layout.ts';
import { openRows } from '../../src/snapshot/rows.ts';
import { openSchema } from '../../src/snapshot/schema.ts';
import { type EngineConnection, textRows } from '../../src/worker/engine.ts';
import { openSession, type Session } from '../../src/worker/session.ts';
import { createSmallTables, NoRoom, type SmallTables } from '../../src/worker/small-tables.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { HUGE, TEXTS } from './support.ts';

const ROWS = 300;
/** Some 1.5 MB each: texts too long to stand in their places. */
const WIDE_ROWS = 5_000;
const wide = (name: string): TestTable => ({
  name,
  columns: [{ name: 'a', type: 'text' }],
  select: `select repeat('x', 300) || i from range(${WIDE_ROWS}) t(i)`,
});
const TABLES: readonly TestTable[] = [
  {
    name: 'keyed_1_1',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'text', type: 'text' },
      { name: 'real', type: 'real' },
      { name: 'blob', type: 'blob' },
    ],
    rows: TEXTS.map((text, i) => [i * 3, text, i / 7, i % 2 === 0 ? null : new Uint8Array([0, i])]),
  },
  {
    name: 'Mixed "case"_1_2',
    columns: [
      { name: 'any "value"', type: 'any' },
      { name: 'rowid', type: 'integer' },
    ],
    rows: [
      [HUGE, 1],
      [-1.5, null],
      ['1', HUGE],
      [new Uint8Array([1, 2]), -HUGE],
      [null, 0],
    ],
  },
  { name: 'empty_1_3', columns: [{ name: 'a', type: 'integer' }] },
  {
    name: 'many_1_4',
    columns: [{ name: 'a', type: 'integer' }],
    select: `select i from range(${ROWS}) t(i)`,
  },
  wide('wide_1_5'),
  wide('wide_1_6'),
  wide('wide_1_7'),
];

let dir: string;
let rows: DatabaseSyncInstance;
let session: Session;
let writing: EngineConnection;
let reading: EngineConnection;
const known = new Map<string, SchemaTable>();
let columns: string;

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tablegate-small-'));
  const { path } = await makeSnapshot(dir, TABLES);
  rows = openRows(rowsPath(path));
  const schema = openSchema(rows);
  for (const { name } of TABLES) {
    const table = schema.tables.get(name.toLowerCase());
    if (table !== undefined) known.set(name, table);
  }
  columns = columnsPath(path);
});
test.after(() => {
  rows.close();
  rmSync(dir, { recursive: true, force: true });
});

const MIB = 1024 * 1024;

/** In an instance without the snapshot's columns, where it is not said otherwise. */
async function withTables(
  maxBytes: number,
  run: (small: SmallTables) => Promise<void>,
  attached?: string,
): Promise<void> {
  session = await openSession({
    columns: attached,
    threads: 1,
    memoryBytes: 256 * MIB,
    prelude: [],
  });
  try {
    [writing, reading] = [await session.connect(), await session.connect()];
    await run(createSmallTables({ rows, connection: writing, maxBytes }));
  } finally {
    session.close();
  }
}
const tables = (...names: readonly string[]): SchemaTable[] =>
  names.map((name) => known.get(name) as SchemaTable);
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

test('brings over what an import would have written, value by value', async () => {
  await withTables(
    16 * MIB,
    async (small) => {
      const names = TABLES.map(({ name }) => name).filter((name) => !name.startsWith('wide'));
      const release = await small.hold(tables(...names));
      for (const name of names) {
        const both = ['columns', 'memory'].map(
          (catalogue) => `${catalogue}.main."${name.replaceAll('"', '""')}"`,
        );
        const [shapes] = [
          await Promise.all(
            both.map((table) =>
              textRows(reading, `SELECT column_name, column_type FROM (DESCRIBE ${table})`),
            ),
          ),
        ];
        assert.equal(shapes[1], shapes[0], name);
        // As texts: a union tells its member by union_tag, and reals are written to the last digit.
        const [before, after] = await Promise.all(
          both.map((table) => textRows(reading, `SELECT to_json(t)::VARCHAR, t::VARCHAR FROM ${table} t`)),
        );
        assert.equal(after, before, name);
      }
      const tags = await textRows(
        reading,
        `SELECT union_tag("any ""value""")::VARCHAR FROM memory.main."Mixed ""case""_1_2" ORDER BY _rowid`,
      );
      assert.equal(tags.flat(), ['i', 'r', 't', 'b', null]);
      release();
    },
    columns,
  );
});

test('finds both kinds of tables by name, in one statement', async () => {
  await withTables(
    16 * MIB,
    async (small) => {
      (await small.hold(tables('many_1_4')))();
      await writing.query('ALTER TABLE memory.main.many_1_4 RENAME TO small_1_9');
      const found = await textRows(
        reading,
        'SELECT count(*)::VARCHAR FROM small_1_9 s JOIN keyed_1_1 k ON k.id = s.a',
      );
      assert.equal(found, [[String(TEXTS.length)]]);
    },
    columns,
  );
});

test('brings a table over once, whoever asks at the same time', async () => {
  await withTables(16 * MIB, async (small) => {
    const releases = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        small.hold(i % 2 === 0 ? tables('many_1_4', 'keyed_1_1') : tables('keyed_1_1', 'empty_1_3')),
      ),
    );
    const counted = await textRows(reading, 'SELECT count(*)::VARCHAR FROM many_1_4');
    assert.equal(counted, [[String(ROWS)]]);
    const before = small.bytes;
    for (const release of releases) release();
    (await small.hold(tables('many_1_4')))();
    assert.is(small.bytes, before);
  });
});

test('makes room by those that were used longest ago, but for those that are read', async () => {
  await withTables(4 * MIB, async (small) => {
    const there = async (): Promise<string[]> =>
      (await textRows(reading, 'SELECT table_name FROM duckdb_tables() ORDER BY table_name')).map(
        ([name]) => name ?? '',
      );
    (await small.hold(tables('wide_1_5')))();
    (await small.hold(tables('wide_1_6')))();
    (await small.hold(tables('wide_1_5')))();
    (await small.hold(tables('wide_1_7')))();
    assert.equal(await there(), ['wide_1_5', 'wide_1_7']);
    const [one, other] = [await small.hold(tables('wide_1_5')), await small.hold(tables('wide_1_7'))];
    const refused = await failure(small.hold(tables('wide_1_6')));
    assert.instance(refused, NoRoom);
    assert.equal(await there(), ['wide_1_5', 'wide_1_7']);
    one();
    other();
    // No room for the moment is not no room for ever.
    (await small.hold(tables('wide_1_6')))();
    assert.ok((await there()).includes('wide_1_6'));
    assert.ok(small.bytes <= 4 * MIB, String(small.bytes));
  });
});

test('refuses a table that is larger than all the room, and takes what it had of it away', async () => {
  await withTables(MIB, async (small) => {
    for (let again = 0; again < 2; again++) {
      const refused = await failure(small.hold(tables('many_1_4', 'wide_1_5')));
      assert.instance(refused, NoRoom);
    }
    assert.equal(
      await textRows(reading, "SELECT table_name FROM duckdb_tables() WHERE table_name = 'wide_1_5'"),
      [],
    );
    (await small.hold(tables('many_1_4')))();
    assert.ok(small.bytes < MIB);
  });
});

test('is not ready where the row store is not what its catalogue says', async () => {
  await withTables(MIB, async (small) => {
    const [table] = tables('many_1_4');
    const wrong = { ...(table as SchemaTable), rows: ROWS + 1 };
    assert.match(
      String(await failure(small.hold([wrong]))),
      /has 300 rows of many_1_4, its catalogue says 301/,
    );
    assert.equal(await textRows(reading, 'SELECT table_name FROM duckdb_tables()'), []);
  });
});

test('lets no statement of a client change what is there', async () => {
  await withTables(MIB, async (small) => {
    const release = await small.hold(tables('many_1_4'));
    for (const sql of [
      'DELETE FROM many_1_4',
      'DROP TABLE memory.main.many_1_4',
      'INSERT INTO many_1_4 VALUES (1, 1)',
      'UPDATE many_1_4 SET a = 1',
      'ALTER TABLE many_1_4 ADD COLUMN b INTEGER',
      'CREATE TABLE memory.main.other (a INTEGER)',
      'CREATE VIEW memory.main.other AS SELECT 1',
      'CREATE MACRO memory.main.lower(x) AS 1',
      'CREATE INDEX i ON many_1_4 (a)',
      'COMMIT; DELETE FROM many_1_4',
    ]) {
      assert.instance(await failure(reading.read(sql)), Error, sql);
      assert.instance(await failure(reading.stream(sql)), Error, sql);
    }
    // What it makes for itself goes with its transaction.
    await reading.read('CREATE TEMP TABLE many_1_4 AS SELECT 1 AS a');
    await reading.read('CREATE TEMP MACRO lower(x) AS 1');
    const counted = await textRows(reading, "SELECT count(*)::VARCHAR, lower('A') FROM many_1_4");
    assert.equal(counted, [[String(ROWS), 'a']]);
    release();
  });
});

test.run();
