// What the compiler is told of a snapshot: by name, when it is asked for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowsPath } from '../../src/snapshot/layout.ts';
import { openRows } from '../../src/snapshot/rows.ts';
import { openSchema } from '../../src/snapshot/schema.ts';
import { makeSnapshot } from '../support/snapshot.ts';

const TABLES = [
  {
    name: 'Items_1_1',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text', notNull: true, collation: 'nocase' },
      { name: 'price', type: 'real' },
    ],
    unique: [['name'], ['price', 'name']],
    rows: [[4, 'a', 1.5]],
  },
  { name: 'system_any', columns: [{ name: '_rowid', type: 'any' }], rows: [['a'], [1]] },
] as const;

test('reads a table when it is named, and what SQLite keeps of how it was created', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-schema-'));
  const { id, path } = await makeSnapshot(dir, TABLES, new Map([[1, 77]]));
  const rows = openRows(rowsPath(path));
  let prepared = 0;
  const { tables, blocks } = openSchema(
    new Proxy(rows, {
      get(target, name) {
        if (name === 'prepare') prepared += 1;
        const found: unknown = Reflect.get(target, name);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    }),
  );
  try {
    assert.equal([...blocks], [[1, 77]]);
    const items = tables.get('items_1_1');
    const before = prepared;
    const columns = items?.columns.slice(1).map(({ facts: _, ...column }) => column);
    assert.equal(columns, [
      { name: 'name', kind: 'text', affinity: 'text', notNull: true, collation: 'nocase' },
      { name: 'price', kind: 'real', affinity: 'real', notNull: false, collation: 'binary' },
    ]);
    assert.is(items?.columns[1]?.facts?.ascii, true);
    assert.is(items?.name, 'Items_1_1');
    assert.is(items?.rowid, 'id');
    assert.is(items?.rows, 1);
    assert.is(items?.version, id);
    assert.equal(items?.unique, [['id'], ['name'], ['price', 'name']]);
    assert.match(items?.create[0] ?? '', /^CREATE TABLE "Items_1_1"\(/);
    assert.is(items?.create.length, 1);

    const any = tables.get('system_any');
    assert.is(any?.rowid, '_rowid_');
    assert.is(any?.columns[0]?.kind, 'any');

    assert.is(tables.get('items_1_1'), items);
    assert.equal([...tables.values()], [{ name: 'Items_1_1' }, { name: 'system_any' }]);
    for (const name of ['tablegate_tables', 'sqlite_schema', 'items_1_2', ''])
      assert.is(tables.get(name), undefined, name);
    assert.is(prepared, before, 'statements are prepared once');
  } finally {
    rows.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

test.run();
