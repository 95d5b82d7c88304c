// The columns of a compiled SELECT, seen from inside (values) and from outside (a subquery's columns).
import type { Known } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import { unboolean } from '../operators/convert.ts';
import { isOwnKey } from '../operators/keys.ts';
import { known } from '../operators/known.ts';
import type { Template } from '../plan.ts';
import type { Column, Relation } from '../resolve/tree.ts';
import type { Pin, Value } from '../value.ts';
import type { Emitter, QueryColumn, Want } from './emitter.ts';
import { collationOf } from './order-key.ts';
import type { RelationColumn } from './scope.ts';

/** A value as it leaves its SELECT: SQLite has no booleans. */
export function output(value: Value, { engine }: Emitter): Value & { readonly kind: QueryColumn['kind'] } {
  const left =
    value.kind === 'number'
      ? { ...value, sql: engine.number(value.sql, value.whole ?? ['FALSE']) }
      : unboolean(value);
  return left as Value & { readonly kind: QueryColumn['kind'] };
}

/**
 * A column of a subquery has the affinity and collation of its expression, which are those of a column or
 * CAST behind it (datatype3.html sections 3.3 and 7.1).
 */
export function queryColumn(value: Value, emitter: Emitter): QueryColumn {
  const { kind, affinity, collation, notNull, json } = output(value, emitter);
  const column = { kind, affinity, collation, notNull, known: (ctx: Pin): Known => known(value, ctx) };
  return json === undefined ? column : { ...column, json };
}

export function columnValue(column: QueryColumn, text: string): Value {
  const { kind, affinity, collation, notNull } = column;
  if (kind === 'number') throw new NotNative('integers and reals in a column of a subquery');
  return { sql: [text], kind, affinity, collation, notNull, simple: true, known: column.known };
}

/** A column of the SELECT that is written, by what is wanted of it. */
export function writtenColumn(value: Value, want: Want, emitter: Emitter): Template {
  const left = output(value, emitter);
  return want === 'result' ? emitter.engine.column(left) : left.sql;
}

/** Columns of a subquery under its SQL name. An explicit COLLATE inside is a column's collation outside. */
export function derivedColumns(
  { columns: own }: Relation,
  columns: readonly QueryColumn[],
  alias: string,
): readonly RelationColumn[] {
  return columns.map((column, i): RelationColumn => {
    const value = columnValue(column, `${alias}.c${i}`);
    return {
      of: own[i] as Column,
      value: {
        ...value,
        column: { sql: value.sql },
        collation: { name: collationOf(value), explicit: false },
      },
    };
  });
}

/** Whether the engine's own equality on the value is SQLite's. */
export function isPlainKey(value: Value, emitter: Emitter): boolean {
  return isOwnKey(value, collationOf(value), emitter);
}
