// VALUES as a SELECT: columns named column1, column2 ... (lang_select.html section 3 "VALUES").
import { ENGINE_TYPE } from '../operators/computed.ts';
import { knownOfEach, unify } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import type { Values } from '../resolve/tree.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter, Query, Want } from './emitter.ts';
import { output, queryColumn } from './query-column.ts';
import type { Scope } from './scope.ts';
import { renamed } from './select-rows.ts';

type Rows = Values['rows'];

export function valuesQuery(rows: Rows, around: Scope, emitter: Emitter): Query {
  const cells = rows.map((row) => row.map((cell) => output(emitter.expression(cell, around), emitter)));
  const width = cells[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, i) => unify(cells.map((row) => row[i] as Value)));
  const line = (index: number): Template =>
    sql`(${join(
      columns.map((column) => typed(column[index] as Value)),
      ', ',
    )})`;
  const alias = emitter.alias('r');
  const names = columns.map((_, i) => [`c${i}`]);
  return {
    columns: columns.map((column) => columnOf(column, emitter)),
    single: rows.length === 1,
    render: (want) => {
      if (!emitter.engine.keepsOrder) return valuesAnywhere(columns, rows.length, want, alias, emitter);
      const lines = want === 'first' ? [line(0)] : rows.map((_, i) => line(i));
      return sql`SELECT * FROM (VALUES ${join(lines, ', ')}) AS ${alias}(${join(names, ', ')})`;
    },
  };
}

/** Where rows keep no order by themselves, each has its number. */
function valuesAnywhere(
  columns: readonly (readonly Value[])[],
  rows: number,
  want: Want,
  alias: string,
  emitter: Emitter,
): Template {
  const lines = Array.from({ length: want === 'first' ? 1 : rows }, (_, row): Template => {
    const cells = columns.map((column) => typed(column[row] as Value));
    return sql`(${join([...cells, [String(row)]], ', ')})`;
  });
  const names = [...columns.map((_, i) => `c${i}`), 'o'];
  const shown = columns.map((column, i) => {
    const kind = column.find((value) => value.kind !== 'null')?.kind ?? 'null';
    return renamed({ ...(column[0] as Value), kind, sql: [`${alias}.c${i}`] }, i, want, emitter);
  });
  if (want === 'numbered') shown.push([`${alias}.o`]);
  const order = want === 'rows' || want === 'result' ? ` ORDER BY ${alias}.o` : '';
  return sql`SELECT ${join(shown, ', ')} FROM (VALUES ${join(lines, ', ')}) AS ${alias}(${names.join(', ')})${order}`;
}

/** Affinity and collation are the first row's; a NULL in any row makes the column nullable. */
function columnOf(column: readonly Value[], emitter: Emitter): Query['columns'][number] {
  const [first] = column as readonly [Value, ...Value[]];
  const kind = column.find((value) => value.kind !== 'null')?.kind ?? 'null';
  const { literal: _, ...value } = first;
  const made = {
    ...value,
    kind,
    notNull: column.every((cell) => cell.notNull),
    known: knownOfEach(column),
  };
  return queryColumn(made, emitter);
}

function typed(value: Value): Template {
  return value.kind === 'null' ? [`CAST(NULL AS ${ENGINE_TYPE.null})`] : value.sql;
}
