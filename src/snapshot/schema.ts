// What the compiler knows of a snapshot (dialect/schema.ts), out of the row store's catalogue: a table when it is
// first named, since a snapshot may have a hundred thousand and a statement names two.
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { createCache } from '../base/cache.ts';
import type { ColumnFacts } from '../dialect/facts.ts';
import type { Schema, SchemaColumn, SchemaTable } from '../dialect/schema.ts';

const KINDS: ReadonlySet<string> = new Set(['integer', 'real', 'text', 'blob', 'any']);
const AFFINITIES: ReadonlySet<string> = new Set(['integer', 'real', 'numeric', 'text', 'blob']);
const COLLATIONS: ReadonlySet<string> = new Set(['binary', 'nocase', 'rtrim']);

/** Tables that are remembered, and names that are known to be none. */
const REMEMBERED = 1000;
/** Names that are listed. */
const NAMED = 10_000;

type Cell = string | number | null;

/**
 * @param database of rows.sqlite, which may read the tables `tablegate_*` and `sqlite_schema`
 * @throws Error where the catalogue cannot be read
 */
export function openSchema(database: DatabaseSyncInstance): Schema {
  const prepare = (sql: string): StatementSyncInstance => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const tableOf = prepare(
    'select name, rows, rowid_column, unique_sets, columnar, version from tablegate_tables where name = ?',
  );
  const columnsOf = prepare(
    `select name, kind, affinity, not_null, collation, facts from tablegate_columns
     where table_name = ? order by position`,
  );
  // No index helps here: some 3 ms among 20,000 tables, so it is asked for where it is needed.
  const createOf = prepare(
    `select sql from sqlite_schema where tbl_name = ? collate nocase and sql is not null
       and name not like 'tablegate!_%' escape '!' order by type = 'table' desc, rowid`,
  );
  const readTable = (key: string): SchemaTable | null => {
    const found = tableOf.get(key) as unknown as readonly Cell[] | undefined;
    if (found === undefined) return null;
    const [name, rows, rowid, unique, columnar, version] = found;
    let create: readonly string[] | undefined;
    return {
      name: String(name),
      columns: (columnsOf.all(String(name)) as unknown as Cell[][]).map(columnFrom),
      rowid: rowid === null || rowid === '' ? undefined : String(rowid),
      rows: Number(rows),
      unique: JSON.parse(String(unique)) as string[][],
      columnar: columnar === 1,
      version: String(version),
      get create() {
        create ??= (createOf.all(String(name)) as unknown as string[][]).map(([sql]) => String(sql));
        return create;
      },
    };
  };

  const namesOf = prepare('select name from tablegate_tables limit ?');
  let names: readonly { readonly name: string }[] | undefined;
  const tables = createCache<{ readonly table: SchemaTable | null }>(REMEMBERED);
  const blocks = prepare('select chain_id, block_number from tablegate_blocks').all() as unknown as [
    number,
    number,
  ][];
  return {
    tables: {
      get(key) {
        let known = tables.get(key);
        if (known === undefined) {
          known = { table: readTable(key) };
          tables.set(key, known);
        }
        return known.table ?? undefined;
      },
      values() {
        names ??= (namesOf.all(NAMED) as unknown as string[][]).map(([name]) => ({ name: String(name) }));
        return names;
      },
    },
    blocks: new Map(blocks),
  };
}

function columnFrom([name, kind, affinity, notNull, collation, facts]: readonly Cell[]): SchemaColumn {
  return {
    name: String(name),
    kind: oneOf<SchemaColumn['kind']>(KINDS, kind, 'kind of column'),
    affinity: oneOf<SchemaColumn['affinity']>(AFFINITIES, affinity, 'affinity'),
    notNull: notNull === 1,
    collation: oneOf<SchemaColumn['collation']>(COLLATIONS, collation, 'collation'),
    ...(typeof facts === 'string' ? { facts: JSON.parse(facts) as ColumnFacts } : {}),
  };
}

function oneOf<T extends string>(known: ReadonlySet<string>, word: Cell | undefined, what: string): T {
  if (typeof word !== 'string' || !known.has(word))
    throw new Error(`the snapshot has an unknown ${what}: ${word}`);
  return word as T;
}
