// A table of the snapshot as a relation: its columns, its rowid, the sets of columns that are unique.
import type { Engine } from '../engine.ts';
import { knownOf } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { ReadColumn } from '../read-column.ts';
import type { Relation as ResolvedRelation } from '../resolve/tree.ts';
import type { SchemaColumn, SchemaTable } from '../schema.ts';
import { identifier, type Value } from '../value.ts';
import type { OrderKey } from './order-key.ts';
import type { Relation, RelationColumn } from './scope.ts';

export function tableRelation(
  schemaTable: SchemaTable,
  of: ResolvedRelation,
  alias: string,
  engine: Engine,
): Relation {
  const columnValue = (name: string): string => `${alias}.${identifier(name)}`;
  const columns = of.columns.flatMap((column) =>
    column.origin.type === 'stored'
      ? [{ of: column, value: storedValue(column.origin.column, columnValue, engine) }]
      : [],
  );
  const { rowid } = schemaTable;
  const declared = columns.find((_, i) => schemaTable.columns[i]?.name === rowid);
  const rowidSql = declared?.value.sql ?? [columnValue(rowid ?? '')];
  const rowidColumn: RelationColumn | undefined =
    of.rowid === undefined
      ? undefined
      : {
          of: of.rowid,
          value: {
            sql: rowidSql,
            column: declared?.value.column ?? { sql: rowidSql },
            kind: 'integer',
            affinity: 'integer',
            collation: undefined,
            simple: true,
            notNull: true,
          },
        };
  // Elsewhere there are tables without rowids, of which only equal rows may change their places.
  const byAll = (): readonly OrderKey[] =>
    engine.keepsOrder
      ? []
      : columns.map(({ value: { sql: by, column } }) => ({ by, column, direction: 'ASC NULLS FIRST' }));
  const named = new Map(columns.map(({ value }, i) => [schemaTable.columns[i]?.name, value.column]));
  const uniqueSets = schemaTable.unique.map((names) => names.map((name) => named.get(name)));
  return {
    of,
    alias,
    columns,
    rowid: rowidColumn,
    merged: new Map(),
    order: () =>
      rowidColumn === undefined
        ? byAll()
        : [{ by: rowidColumn.value.sql, column: rowidColumn.value.column, direction: undefined }],
    unique: [
      ...(rowidColumn === undefined ? [] : [[rowidColumn.value.column]]),
      ...uniqueSets.filter((set): set is ReadColumn[] => !set.includes(undefined)),
    ],
    single: false,
    stored: true,
  };
}

function storedValue(
  { name, kind, affinity, notNull, collation, facts }: SchemaColumn,
  columnValue: (name: string) => string,
  engine: Engine,
): RelationColumn['value'] {
  const stored: Template = [columnValue(name)];
  const mayBeNaN = kind === 'real' && facts === undefined && engine.readsNaN;
  const text = mayBeNaN ? engine.settled(stored) : stored;
  return {
    sql: text,
    column: { sql: text },
    kind: oneKind(kind),
    affinity,
    collation: { name: collation, explicit: false },
    simple: true,
    notNull,
    // SQLite stores -0.0 as the integer 0.
    known: () => ({ ...knownOf(facts), ...(kind === 'real' && { unsignedZero: true }) }),
    ...(engine.addsDecimals ? scaledColumn(text, facts, columnValue) : {}),
  };
}

/** The column beside it that has the same as whole numbers. */
function scaledColumn(
  of: Template,
  facts: SchemaColumn['facts'],
  columnValue: (name: string) => string,
): Pick<Value, 'scaled'> {
  const { scaled, digits, size } = facts?.reals ?? {};
  if (typeof scaled !== 'string' || typeof digits !== 'number' || size === undefined) return {};
  const form = { sql: [columnValue(scaled)], digits, size: Math.round(size * 10 ** digits) };
  return { scaled: { of, as: () => form } };
}

function oneKind(kind: SchemaColumn['kind']): Exclude<SchemaColumn['kind'], 'any'> {
  if (kind === 'any') throw new NotNative('table with values of several kinds in a column');
  return kind;
}
