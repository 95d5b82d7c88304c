// A row store of a few tables as an import makes it, opened as a lane opens it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createShapeMemory } from '../../src/rowstore/shape-memory.ts';
import { openStore, type RowStore, type StoreOptions } from '../../src/rowstore/store.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';

export interface TestStore {
  readonly store: RowStore;
  /** The snapshot's folder. */
  readonly path: string;
  close(): void;
}

/** Each store has a memory of its own. */
export const storeOptions = (): StoreOptions => ({
  memory: createShapeMemory(100),
  heapBytes: 64 * 1024 * 1024,
  valueBytes: 1024 * 1024,
  maxVisits: 10_000,
  plainVisits: 10_000,
  shapes: 100,
  pageBytes: 4 * 1024 * 1024,
  readRows: 200_000,
  seekBytes: 64 * 1024 * 1024,
  countsPairs: true,
  seeks: true,
  proven: true,
});

const integer = (name: string) => ({ name, type: 'integer' }) as const;
const text = (name: string) => ({ name, type: 'text' }) as const;

/** An NFT collection: tokens, their attributes, a table with a key of text, and one that is too large to be scanned. */
const TABLES: readonly TestTable[] = [
  {
    name: 'rigs_1_2',
    primaryKey: 'id',
    columns: [integer('id'), text('name'), integer('score')],
    select: "select i, 'rig ' || i, i % 7 from range(1, 301) t(i)",
  },
  {
    name: 'attributes_1_3',
    unique: [['rig_id', 'trait']],
    columns: [integer('rig_id'), text('trait'), text('value')],
    select: "select i, 'trait ' || j, 'value' from range(1, 301) t(i), range(3) u(j)",
  },
  {
    name: 'marks_1_6',
    columns: [integer('rig'), text('mark'), integer('weight')],
    select: "select (i * 7) % 300, 'mark ' || i % 11, i % 13 from range(3000) t(i)",
  },
  {
    name: 'names_1_4',
    unique: [['name']],
    columns: [text('name'), text('owner'), { name: 'data', type: 'blob' }],
    select: "select 'rig ' || i, 'owner', '\\x00\\xFF'::blob from range(1, 301) t(i)",
  },
  {
    name: 'big_1_5',
    primaryKey: 'id',
    columns: [integer('id'), integer('n')],
    select: 'select i, i % 100 from range(1, 50001) t(i)',
  },
  {
    name: 'images_1_8',
    primaryKey: 'id',
    columns: [integer('id'), text('image')],
    select: "select i, repeat('x', 15000) from range(1, 301) t(i)",
  },
  {
    name: 'pairs_1_9',
    unique: [['a'], ['b']],
    columns: [integer('a'), integer('b')],
    select: 'select i, 1000 - i from range(1000) t(i)',
  },
  {
    name: 'owners_1_7',
    columnar: false,
    columns: [integer('id'), text('owner'), { ...text('folded'), collation: 'nocase' }],
    select: "select i, 'owner ' || i % 150, 'owner ' || i % 150 from range(1, 301) t(i)",
  },
];

export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-rows-'));
  const snapshot = await makeSnapshot(folder, TABLES, new Map([[1, 77]]));
  const store = openStore(snapshot, { ...storeOptions(), ...options });
  return {
    store,
    path: snapshot.path,
    close() {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
