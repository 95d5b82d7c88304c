// VALUES as a SELECT: columns named column1, column2 ... (lang_select.html section 3 "VALUES").
import type { SelectCore } from '../ast.ts';
import { ENGINE_TYPE } from '../operators/computed.ts';
import { knownOfEach, unify } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter, Query } from './emitter.ts';
import { output, queryColumn } from './query-column.ts';
import type { Scope } from './scope.ts';

type Rows = Extract<SelectCore, { readonly type: 'values' }>['rows'];

export function valuesQuery(rows: Rows, around: Scope, emitter: Emitter): Query {
  const cells = rows.map((row) => row.map((cell) => output(emitter.expression(cell, around))));
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
    columns: columns.map((column, i) => columnOf(column, i)),
    single: rows.length === 1,
    render: (want) => {
      const lines = want === 'first' ? [line(0)] : rows.map((_, i) => line(i));
      return sql`SELECT * FROM (VALUES ${join(lines, ', ')}) AS ${alias}(${join(names, ', ')})`;
    },
  };
}

/** Affinity and collation are the first row's; a NULL in any row makes the column nullable. */
function columnOf(column: readonly Value[], i: number): Query['columns'][number] {
  const [first] = column as readonly [Value, ...Value[]];
  const kind = column.find((value) => value.kind !== 'null')?.kind ?? 'null';
  const { literal: _, ...value } = first;
  return queryColumn([`column${i + 1}`], {
    ...value,
    kind,
    notNull: column.every((cell) => cell.notNull),
    known: knownOfEach(column),
  });
}

function typed(value: Value): Template {
  return value.kind === 'null' ? [`CAST(NULL AS ${ENGINE_TYPE.null})`] : value.sql;
}
