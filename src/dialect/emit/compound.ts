// UNION, UNION ALL, EXCEPT, INTERSECT (lang_select.html section 3). They lean left; all but UNION ALL give
// distinct rows, which SQLite sorts by their columns.
import { NotNative } from '../not-native.ts';
import { knownOfEach, unify } from '../operators/convert.ts';
import { groupKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import type { OrderTerm, Select } from '../resolve/tree.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter, Query, QueryColumn, Want } from './emitter.ts';
import { limitClause } from './limit.ts';
import { ascending, collationOf, orderKeys, orderList, orderTerms } from './order-key.ts';
import { columnValue, isPlainKey } from './query-column.ts';
import type { Scope } from './scope.ts';
import { numberOf, renamed } from './select-rows.ts';
import { templateKey } from './templates.ts';

export type Operator = Select['rest'][number]['operator'];

export interface Term {
  readonly operator: Operator | undefined;
  readonly query: Query;
}

export function compoundQuery(
  terms: readonly Term[],
  tail: Pick<Select, 'orderBy' | 'limit' | 'offset'>,
  around: Scope,
  emitter: Emitter,
): Query {
  const columns = commonColumns(terms);
  const places = tail.orderBy.map((term) => [term.place ?? 0, term] as const);
  const limit = limitClause(tail, around, emitter);
  return {
    columns: columns.map(({ column }) => column),
    single: false,
    render: (want) => {
      const ordered = want !== 'any' || limit.length > 0;
      const keep = tail.orderBy.length > 0 ? 'first' : 'last';
      const last = terms[terms.length - 1]?.operator;
      // Ties of an ORDER BY are in the order of the rows, but where all rows are distinct there are none.
      const inOrder = ordered && (places.length === 0 || last === 'union all');
      if (!emitter.engine.keepsOrder)
        return compoundAnywhere({ terms, columns, places, limit, keep, last }, want, emitter);
      const rows = combined(terms, columns, inOrder, keep, emitter);
      if (!ordered) return rows;
      const alias = emitter.alias('u');
      const value = (i: number): Value => columnValue(columns[i]?.column as QueryColumn, `${alias}.c${i}`);
      const keys = places.flatMap(([i, term]) => orderKeys(value(i), term, emitter));
      const names = join(
        columns.map((_, i) => [`${alias}.c${i}`]),
        ', ',
      );
      const first = want === 'first';
      const end = first ? (limit.length === 0 ? sql` LIMIT 1` : limit) : limit;
      let whole: Template;
      if (keys.length === 0 && last === 'union all') {
        whole = sql`SELECT ${names} FROM (${rows}) AS ${alias}${end}`;
      } else if (last === 'union all') {
        const numbered = sql`SELECT *, row_number() OVER () AS o FROM (${rows}) AS ${alias}n`;
        whole = sql`SELECT ${names} FROM (${numbered}) AS ${alias} ORDER BY ${join([...orderTerms(keys), [`${alias}.o`]], ', ')}${end}`;
      } else {
        const rest = columns.map((_, i) => ascending(value(i), emitter));
        whole = sql`SELECT ${names} FROM (${rows}) AS ${alias} ORDER BY ${orderList([...keys, ...rest])}${end}`;
      }
      return first && limit.length > 0 ? sql`SELECT * FROM (${whole}) AS ${alias}f LIMIT 1` : whole;
    },
  };
}

interface Parts {
  readonly terms: readonly Term[];
  readonly columns: readonly Column[];
  readonly places: readonly (readonly [number, OrderTerm])[];
  readonly limit: Template;
  readonly keep: Keep;
  readonly last: Operator | undefined;
}

/** Where rows keep no order by themselves: those of UNION ALL are numbered in each term, and the terms too. */
function compoundAnywhere(
  { terms, columns, places, limit, keep, last }: Parts,
  want: Want,
  emitter: Emitter,
): Template {
  if (want === 'first' && limit.length > 0) throw new NotNative('a value of the first row of several');
  const ordered = want !== 'any' || limit.length > 0;
  const isAll = last === 'union all';
  if (ordered && isAll && terms.some(({ operator }) => operator !== undefined && operator !== 'union all'))
    throw new NotNative('row order of UNION ALL after another compound');
  const numbered = ordered && (isAll || last === undefined);
  const rows = numbered
    ? join(
        terms.map(({ query }, i) => {
          const cells = columns.map((column, c) => sql`${(column.values[i] as Value).sql} AS c${c}`);
          return sql`SELECT ${join(cells, ', ')}, ${i} AS p, x.o AS o FROM (${query.render('numbered')}) AS x`;
        }),
        ' UNION ALL ',
      )
    : combined(terms, columns, false, keep, emitter);
  if (!ordered) return rows;
  const alias = emitter.alias('u');
  const value = (i: number): Value => columnValue(columns[i]?.column as QueryColumn, `${alias}.c${i}`);
  const keys = places.flatMap(([i, term]) => orderKeys(value(i), term, emitter));
  const rest = numbered
    ? [[`${alias}.p`], [`${alias}.o`]]
    : orderTerms(columns.map((_, i) => ascending(value(i), emitter)));
  const order = [...orderTerms(keys), ...rest];
  const shown = columns.map((_, i) => renamed(value(i), i, want, emitter));
  if (want === 'numbered') shown.push(sql`${numberOf(order)} AS o`);
  const end = want === 'first' ? ' LIMIT 1' : limit;
  return sql`SELECT ${join(shown, ', ')} FROM (${rows}) AS ${alias} ORDER BY ${join(order, ', ')}${end}`;
}

interface Column {
  readonly column: QueryColumn;
  /** Each term's value of it, from that term's own column. */
  readonly values: readonly Value[];
}

function commonColumns(terms: readonly Term[]): readonly Column[] {
  const [first] = terms as readonly [Term, ...Term[]];
  return first.query.columns.map((own, i) => {
    const values = unify(terms.map(({ query }) => columnValue(query.columns[i] as QueryColumn, `x.c${i}`)));
    const kind = (values.find((value) => value.kind !== 'null')?.kind ?? 'null') as QueryColumn['kind'];
    // The affinity is the first SELECT's, the collation that of the first one that has any.
    const collation = terms.map(({ query }) => query.columns[i]?.collation).find((one) => one !== undefined);
    const notNull = terms.every(({ query }) => query.columns[i]?.notNull === true);
    return { column: { ...own, kind, collation, notNull, known: knownOfEach(values) }, values };
  });
}

function combined(
  terms: readonly Term[],
  columns: readonly Column[],
  ordered: boolean,
  keep: Keep,
  emitter: Emitter,
): Template {
  const lastDistinct = terms.findLastIndex(
    ({ operator }) => operator !== undefined && operator !== 'union all',
  );
  let rows: Template = [];
  terms.forEach(({ operator, query }, i) => {
    const one = converted(query.render(ordered && i > lastDistinct ? 'rows' : 'any'), i, columns);
    if (operator === undefined) rows = one;
    else if (operator === 'union all') rows = sql`(${rows}) UNION ALL (${one})`;
    else rows = distinct(operator, rows, one, columns, keep, emitter);
    // What comes before a UNION ALL keeps the order in which it was made distinct.
    if (ordered && i === lastDistinct && i < terms.length - 1) rows = sorted(rows, columns, emitter);
  });
  return rows;
}

function sorted(rows: Template, columns: readonly Column[], emitter: Emitter): Template {
  const keys = columns.map(({ column }, i) => ascending(columnValue(column, `x.c${i}`), emitter));
  return sql`SELECT * FROM (${rows}) AS x ORDER BY ${orderList(keys)}`;
}

/** A term with its columns brought to the kinds of the compound. */
function converted(rows: Template, term: number, columns: readonly Column[]): Template {
  const values = columns.map((column) => column.values[term] as Value);
  if (values.every((value, i) => templateKey(value.sql) === `x.c${i}`)) return rows;
  return sql`SELECT ${join(
    values.map((value, i) => sql`${value.sql} AS c${i}`),
    ', ',
  )} FROM (${rows}) AS x`;
}

const ENGINE: Readonly<Record<Exclude<Operator, 'union all'>, string>> = {
  union: 'UNION',
  except: 'EXCEPT',
  intersect: 'INTERSECT',
};

function distinct(
  operator: Exclude<Operator, 'union all'>,
  left: Template,
  right: Template,
  columns: readonly Column[],
  keep: Keep,
  emitter: Emitter,
): Template {
  const values = columns.map(({ column }, i) => columnValue(column, `x.c${i}`));
  if (values.every((value) => isPlainKey(value, emitter)))
    return sql`(${left}) ${ENGINE[operator]} (${right})`;
  if (!emitter.engine.keepsOrder) throw new NotNative('rows that are equal by a collation');
  const keys = values.map((value) => groupKey(value, collationOf(value), emitter));
  if (operator === 'union') {
    const both = keep === 'last' ? [left, right] : [right, left];
    return oneOfEqual(sql`(${both[0] as Template}) UNION ALL (${both[1] as Template})`, columns, keys, keep);
  }
  const other = columns.map(({ column }, i) => columnValue(column, `y.c${i}`));
  const same = join(
    other.map(
      (value, i) =>
        sql`${groupKey(value, collationOf(value), emitter)} IS NOT DISTINCT FROM ${keys[i] as Template}`,
    ),
    ' AND ',
  );
  const kept = sql`SELECT * FROM (${left}) AS x WHERE ${operator === 'except' ? 'NOT ' : ''}EXISTS (SELECT 1 FROM (${right}) AS y WHERE ${same})`;
  return oneOfEqual(kept, columns, keys, keep);
}

/**
 * Which of rows that are equal but not the same (1 and 1.0, a and A) stays in SQLite 3.39: the last one, but
 * under ORDER BY the first one of the right SELECT that has any (select.c, multiSelectOrderBy).
 */
type Keep = 'first' | 'last';

function oneOfEqual(
  rows: Template,
  columns: readonly Column[],
  keys: readonly Template[],
  keep: Keep,
): Template {
  const fields = join(
    columns.map((_, i) => [`c${i} := x.c${i}`]),
    ', ',
  );
  const names = join(
    columns.map((_, i) => [`z.r.c${i} AS c${i}`]),
    ', ',
  );
  const pick = keep === 'last' ? 'arg_max' : 'arg_min';
  return sql`SELECT ${names} FROM (SELECT ${pick}(struct_pack(${fields}), x.o) AS r FROM (SELECT *, row_number() OVER () AS o FROM (${rows}) AS w) AS x GROUP BY ${join(keys, ', ')}) AS z`;
}
