// A table of the snapshot as a relation: its columns, its rowid, the sets of columns that are unique.
import type { Engine } from '../engine.ts';
import { knownOf } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { SchemaColumn, SchemaTable } from '../schema.ts';
import { identifier, sql, type Value } from '../value.ts';
import { nameKey } from './name.ts';
import type { Relation, RelationColumn } from './scope.ts';

export function tableRelation(
  schemaTable: SchemaTable,
  alias: string,
  key: string,
  engine: Engine,
): Relation {
  const columnValue = (name: string): string => `${alias}.${identifier(name)}`;
  const columns = schemaTable.columns.map(
    ({ name, kind, affinity, notNull, collation, facts }): RelationColumn => {
      const stored: Template = [columnValue(name)];
      const mayBeNaN = kind === 'real' && facts === undefined && engine.readsNaN;
      const text = mayBeNaN ? engine.settled(stored) : stored;
      return {
        name: [name],
        key: nameKey(name),
        value: {
          sql: text,
          kind: oneKind(kind),
          affinity,
          collation: { name: collation, explicit: false },
          simple: true,
          notNull,
          known: () => knownOf(facts),
          ...(engine.addsDecimals ? scaledColumn(text, facts, columnValue) : {}),
        },
      };
    },
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
  // Elsewhere there are tables without rowids, of which only equal rows may change their places.
  const byAll = (): readonly Template[] =>
    engine.keepsOrder ? [] : columns.map(({ value }) => sql`${value.sql} ASC NULLS FIRST`);
  return {
    alias,
    key,
    columns,
    rowid: rowidColumn,
    merged: new Set(),
    join: 'inner',
    order: () => (order === undefined ? byAll() : [order]),
    unique: [
      ...(order === undefined ? [] : [order]),
      ...schemaTable.unique.map((set) => set.map((name) => columnValue(name))),
    ],
    single: false,
    stored: true,
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
