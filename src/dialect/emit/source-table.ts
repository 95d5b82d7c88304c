// A table of the snapshot as a relation: its columns, its rowid, the indexes that SQLite has for it.
import type { SchemaTable } from '../schema.ts';
import { identifier } from '../value.ts';
import { nameKey } from './name.ts';
import type { Relation, RelationColumn } from './scope.ts';

export function tableRelation(schemaTable: SchemaTable, alias: string, key: string): Relation {
  const columnValue = (name: string): string => `${alias}.${identifier(name)}`;
  const columns = schemaTable.columns.map(
    ({ name, kind, affinity, notNull, collation }): RelationColumn => ({
      name: [name],
      key: nameKey(name),
      value: {
        sql: [columnValue(name)],
        kind,
        affinity,
        collation: { name: collation, explicit: false },
        simple: true,
        notNull,
      },
    }),
  );
  const { rowid } = schemaTable;
  const declared = columns.find((_, i) => schemaTable.columns[i]?.name === rowid);
  const rowidColumn: RelationColumn | undefined =
    rowid === undefined
      ? undefined
      : {
          // The rowid is named as the INTEGER PRIMARY KEY where there is one (see names.ts).
          name: declared?.name ?? ['rowid'],
          key: undefined,
          value: {
            sql: [columnValue(rowid)],
            kind: 'integer',
            affinity: 'integer',
            collation: undefined,
            simple: true,
            notNull: true,
          },
        };
  const order = rowid === undefined ? undefined : [columnValue(rowid)];
  return {
    alias,
    key,
    columns,
    rowid: rowidColumn,
    merged: new Set(),
    join: 'inner',
    barrier: false,
    order: () => (order === undefined ? [] : [order]),
    unique: [
      ...(order === undefined ? [] : [order]),
      ...schemaTable.unique.map((set) => set.map((name) => columnValue(name))),
    ],
    single: false,
    rows: schemaTable.rows,
    ...indexesOf(schemaTable, columnValue),
    used: new Set(),
  };
}

/** SQLite's estimate of bytes a row: 4 for a number, 20 for anything else (build.c, estimateTableWidth). */
function indexesOf(
  { columns, rowid, unique }: SchemaTable,
  sqlOf: (name: string) => string,
): Pick<Relation, 'indexes' | 'width'> {
  const width = (name: string): number => {
    const kind = columns.find((column) => column.name === name)?.kind;
    return kind === 'text' || kind === 'blob' ? 5 : 1;
  };
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + width(name), 1);
  const names = columns.map((column) => column.name);
  const hidden = rowid === undefined || !names.includes(rowid);
  return {
    indexes: unique
      .filter((set) => set.length !== 1 || set[0] !== rowid)
      .map((set) => ({ columns: set.map(sqlOf), width: sum(set) })),
    width: sum(names) - (hidden ? 0 : 1),
  };
}
