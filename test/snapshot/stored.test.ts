// Jobs that are no statement, read from the row store of a small snapshot: records, pages in order, bounds, and whether
// many tables are searched and not scanned.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askOf } from '../../src/snapshot/ask.ts';
import { rowsPath } from '../../src/snapshot/layout.ts';
import { openRows } from '../../src/snapshot/rows.ts';
import { openStored, type Stored } from '../../src/snapshot/stored.ts';
import type { TablePosition } from '../../src/wire/protocol.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { CHAIN, EMPTY, HASHES, RECEIPTS, TOKENS } from '../support/tables.ts';

const LONG = 'ä'.repeat(1000);
/** Ids of all lengths, so that their order is not that of their texts; the last is as large as a uint256 may be. */
const MANY = [1, 2, 9, 10, 11, 99, 100, 1000].map(String).concat(String(2n ** 256n - 1n));

const listed = (chain: number, id: string): TestTable => ({
  name: `many_${chain}_${id}`,
  columns: [{ name: 'a', type: 'integer' }],
});
const WIDE: TestTable = {
  name: 'Wide_5_7',
  createdAt: 1_650_000_000,
  columns: [
    { name: 'a "b"', type: 'text' },
    { name: 'rowid', type: 'blob' },
    { name: 'c', type: 'real' },
    { name: 'd', type: 'integer' },
  ],
  unique: [['d']],
  rows: [
    [LONG, new Uint8Array(1000).fill(171), 1.5, 9],
    [null, null, null, 9_223_372_036_854_775_807n],
    ['', new Uint8Array(0), -0.25, 3],
  ],
};

let dir: string;
let id: string;
let rows: DatabaseSyncInstance;
let stored: Stored;

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tablegate-stored-'));
  const tables = [TOKENS, EMPTY, RECEIPTS, WIDE, ...MANY.map((table) => listed(7, table)), listed(8, '3')];
  const snapshot = await makeSnapshot(
    dir,
    tables,
    new Map([
      [CHAIN, 77],
      [4, 5],
    ]),
  );
  id = snapshot.id;
  rows = openRows(rowsPath(snapshot.path));
  stored = openStored(askOf(rows));
});
test.after(() => {
  rows.close();
  rmSync(dir, { recursive: true, force: true });
});

test('tells what a table is like, with its constraints as they were written', () => {
  assert.equal(stored.read({ kind: 'table', chainId: CHAIN, tableId: '1' }), {
    name: `tokens_${CHAIN}_1`,
    chainId: CHAIN,
    tableId: '1',
    prefix: 'tokens',
    createdAt: 1_700_000_000,
    columns: [
      { name: 'id', type: 'integer', constraints: ['primary key autoincrement'] },
      { name: 'name', type: 'text', constraints: ['not null', 'unique'] },
      { name: 'level', type: 'int', constraints: ['check(level>0)'] },
      { name: 'picture', type: 'blob', constraints: [] },
    ],
    tableConstraints: ['check(id<1000)'],
  });
  assert.is(stored.table({ chainId: CHAIN, tableId: '99' }), null);
  assert.is(stored.table({ chainId: 99, tableId: '1' }), null);
  assert.is(stored.table({ chainId: CHAIN, tableId: "1' or '1'='1" }), null);
  assert.is(stored.table({ chainId: 7, tableId: MANY.at(-1) ?? '' })?.name, `many_7_${MANY.at(-1)}`);
  assert.throws(() => stored.table({ chainId: 1.5, tableId: '1' }), /no whole number/);
});

test('finds receipts by chain and hash', () => {
  const job = { kind: 'receipt', chainId: CHAIN, transactionHash: HASHES.done } as const;
  assert.equal(stored.read(job), {
    chainId: CHAIN,
    transactionHash: HASHES.done,
    blockNumber: 10,
    tableId: '1',
    tableIds: ['1', '2'],
    error: null,
    errorEventIdx: null,
  });
  assert.equal(stored.receipt({ ...job, transactionHash: HASHES.failed }), {
    chainId: CHAIN,
    transactionHash: HASHES.failed,
    blockNumber: 11,
    tableId: null,
    tableIds: [],
    error: 'boom',
    errorEventIdx: 2,
  });
  assert.is(stored.receipt({ ...job, transactionHash: HASHES.unknown }), null);
  assert.is(stored.receipt({ ...job, chainId: 7 }), null);
});

test('has no receipts where the snapshot has none', async () => {
  const other = mkdtempSync(join(tmpdir(), 'tablegate-stored-'));
  const { path } = await makeSnapshot(other, [EMPTY]);
  const database = openRows(rowsPath(path));
  const empty = openStored(askOf(database));
  assert.is(empty.receipt({ kind: 'receipt', chainId: CHAIN, transactionHash: HASHES.done }), null);
  assert.equal(empty.snapshot().blocks, []);
  database.close();
  rmSync(other, { recursive: true, force: true });
});

test('tells what the snapshot is, with the chains of tables and of blocks', () => {
  assert.equal(stored.read({ kind: 'snapshot' }), {
    id,
    chains: [4, 5, 7, 8, CHAIN],
    blocks: [
      [4, 5],
      [CHAIN, 77],
    ],
    createdAt: 1_700_000_000,
  });
  assert.is(stored.read({ kind: 'probe' }), true);
});

test('lists tables by chain and by the size of their ids, in pages that leave none out', () => {
  const wanted = ['5 7', ...MANY.map((table) => `7 ${table}`), '8 3', `${CHAIN} 1`, `${CHAIN} 2`];
  for (const limit of [1, 2, 3, 5, 100]) {
    const seen: string[] = [];
    let after: TablePosition | null = null;
    for (;;) {
      const page = stored.tables({ kind: 'tables', chainId: null, search: '', limit, after });
      assert.is(page.total, wanted.length);
      assert.ok(page.tables.length <= limit);
      seen.push(...page.tables.map((table) => `${table.chainId} ${table.tableId}`));
      const last = page.tables.at(-1);
      if (!page.more || last === undefined) break;
      after = { chainId: last.chainId, tableId: last.tableId };
    }
    assert.equal(seen, wanted, `pages of ${limit}`);
  }
  // A position need not be that of a table.
  const page = stored.tables({
    kind: 'tables',
    chainId: 7,
    search: '',
    limit: 2,
    after: { chainId: 7, tableId: '50' },
  });
  assert.equal(
    page.tables.map(({ tableId }) => tableId),
    ['99', '100'],
  );
  assert.is(page.total, MANY.length);
});

test('lists what a search finds in any case, with rows and columns of each', () => {
  const page = stored.tables({ kind: 'tables', chainId: null, search: 'WIDE_', limit: 10, after: null });
  assert.equal(page, {
    total: 1,
    more: false,
    tables: [
      {
        name: 'Wide_5_7',
        chainId: 5,
        tableId: '7',
        prefix: 'Wide',
        createdAt: 1_650_000_000,
        rowCount: 3,
        columnCount: 4,
      },
    ],
  });
  for (const search of ['%', "'", 'system_txn'])
    assert.is(
      stored.tables({ kind: 'tables', chainId: null, search, limit: 10, after: null }).total,
      0,
      search,
    );
});

test('shows the first rows in the order of the table, cut where they are long', () => {
  const preview = stored.preview({ kind: 'preview', chainId: 5, tableId: '7', rows: 2 });
  assert.is(preview?.rowCount, 3);
  assert.is(preview?.table.name, 'Wide_5_7');
  assert.equal(preview?.rows, [
    ['ä'.repeat(400), `0x${'ab'.repeat(200)}`, '1.5', '9'],
    [null, null, null, '9223372036854775807'],
  ]);
  assert.is(stored.preview({ kind: 'preview', chainId: 5, tableId: '7', rows: 1e9 })?.rows.length, 3);
  assert.equal(stored.preview({ kind: 'preview', chainId: CHAIN, tableId: '2', rows: 5 })?.rows, []);
  assert.is(stored.preview({ kind: 'preview', chainId: 5, tableId: '8', rows: 5 }), null);
});

test('searches for one table and one page, however many tables there are', () => {
  const sqls = new Set<string>();
  const seen = new Proxy(rows, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            sqls.add(sql);
            return target.prepare(sql);
          }
        : Reflect.get(target, name),
  });
  const plansOf = (ask: (asked: Stored) => unknown): readonly string[] => {
    const asked = openStored(askOf(seen));
    sqls.clear();
    ask(asked);
    return [...sqls].flatMap((sql) =>
      (rows.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail),
    );
  };
  const one = plansOf((asked) => asked.table({ chainId: 7, tableId: '9' }));
  assert.ok(one.length > 1 && one.every((line) => line.startsWith('SEARCH ')), one.join('\n'));
  const page = { kind: 'tables', chainId: null, search: '', limit: 3, after: null } as const;
  for (const given of [page, { ...page, after: { chainId: 7, tableId: '2' } }]) {
    const plans = plansOf((asked) => asked.tables(given)).join('\n');
    assert.match(plans, 'tablegate_tables_order');
    assert.not.match(plans, 'TEMP B-TREE');
  }
});

test.run();
