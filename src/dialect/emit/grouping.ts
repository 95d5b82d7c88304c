// An aggregate query in two levels: the inner SELECT groups and aggregates, the outer one computes with its
// columns. The engine plans both as one; HAVING, DISTINCT, windows and ORDER BY become plain clauses outside.
import { NotNative } from '../not-native.ts';
import { groupKey } from '../operators/keys.ts';
import type { Template } from '../plan.ts';
import { columnOf, type ReadColumn } from '../read-column.ts';
import { sameExpression } from '../resolve/same.ts';
import type { Expression } from '../resolve/tree.ts';
import { join, sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { oneRow, rowOf } from './group-row.ts';
import { collationOf, isConstant, type OrderKey, orderKeys } from './order-key.ts';
import { isPlainKey } from './query-column.ts';
import type { RowOrder } from './row-order.ts';
import type { Extreme, Group, Scope } from './scope.ts';
import { templateKey } from './templates.ts';
import { withoutNulls } from './unique.ts';

interface Term {
  readonly expression: Expression;
  readonly value: Value;
  readonly key: Template;
  /** Whether the key is the value itself, so that every row of the group has the same value. */
  readonly plain: boolean;
  /** Column of the inner SELECT; undefined until somebody asks for it. */
  out: Value | undefined;
}

export interface Grouping extends Group {
  /** Keys in the order in which SQLite's groups come out: by the terms (it sorts to group). */
  readonly order: () => readonly OrderKey[];
  /** Sets of columns of the inner SELECT that no two groups share. */
  readonly unique: () => readonly (readonly ReadColumn[])[];
  readonly alias: string;
  /** The inner SELECT; called last, when all columns are known. `from` has FROM and WHERE. */
  readonly render: (from: () => Template) => Template;
}

export function grouping(
  terms: readonly Pick<Term, 'expression' | 'value'>[],
  /** Of each term: SQLite sorts its groups downwards where ORDER BY has as many terms and that one is DESC. */
  descending: readonly boolean[],
  /** The columns by which the rows come, outermost loop first, where SQLite does not sort to group. */
  loopColumns: () => RowOrder['columns'] | undefined,
  base: Scope,
  emitter: Emitter,
): Grouping {
  const alias = emitter.alias('g');
  const keys: Term[] = terms.map(({ expression, value }) => {
    const key = groupKey(value, collationOf(value), emitter);
    return { expression, value, key, plain: isPlainKey(value, emitter), out: undefined };
  });
  const columns: Template[] = [];
  /** By their SQL: what is equal is computed once. */
  const aggregates = new Map<string, Value>();
  /** Of columns by the column, of other values by their SQL: what is equal is taken from the row once. */
  const bare = new Map<ReadColumn | string, { readonly value: Value; readonly out: Value }>();
  let extreme: Extreme | undefined;
  const bareField = `${alias}b`;

  const column = (value: Value, name: string): Value => {
    const { literal: _, ...rest } = value;
    const text = [`${alias}.${name}`];
    return { ...rest, sql: text, column: { sql: text }, simple: true };
  };
  /** A value of one row of the group: bare columns, and terms whose key is not their value. */
  const fromOneRow = (value: Value): Value => {
    const id = columnOf(value) ?? templateKey(value.sql);
    const known = bare.get(id);
    // One SQL may be seen with several collations.
    if (known !== undefined) return { ...known.out, collation: value.collation };
    const out = { ...column(value, emitter.engine.field(bareField, bare.size)), notNull: false };
    bare.set(id, { value, out });
    return out;
  };
  const termValue = (term: Term): Value => {
    if (term.out === undefined) {
      if (term.plain) {
        term.out = column(term.value, `k${columns.length}`);
        columns.push(sql`${term.key} AS k${columns.length}`);
      } else term.out = fromOneRow(term.value);
    }
    return term.out;
  };

  return {
    alias,
    base,
    grouped: terms.length > 0,
    column: ({ value }) => {
      const term = keys.find((key) => key.plain && columnOf(key.value) === value.column);
      return term === undefined ? fromOneRow(value) : termValue(term);
    },
    term: (expression) => {
      const term = keys.find(
        (key) => key.expression === expression || sameExpression(key.expression, expression, emitter),
      );
      return term === undefined ? undefined : termValue(term);
    },
    aggregate: (value, candidate) => {
      const id = templateKey(value.sql);
      const known = aggregates.get(id);
      if (known !== undefined) return known;
      // Of several min() and max(), the last one gives the row (as SQLite 3.39 does; the document says any). One that
      // stood before is no other.
      if (candidate !== undefined) extreme = candidate;
      const name = `a${columns.length}`;
      const { whole } = value;
      const out = { ...column(value, name), ...(whole && { whole: [`${alias}.${name}w`] }) };
      columns.push(sql`${value.sql} AS ${name}${whole === undefined ? [] : sql`, ${whole} AS ${name}w`}`);
      aggregates.set(id, out);
      return out;
    },
    order: () => {
      const columns = loopColumns();
      const order = columns === undefined ? keys.map((_, i) => i) : scannedTerms(keys, columns, base);
      const terms = order.map((i) => [keys[i] as Term, i] as const);
      return terms.flatMap(([term, i]) =>
        isConstant(term.value)
          ? []
          : orderKeys(termValue(term), { descending: descending[i] === true, nulls: undefined }, emitter),
      );
    },
    unique: () => {
      // What nobody has asked for yet is no column of it.
      const columns = keys.flatMap((term) =>
        isConstant(term.value) ? [] : [term.plain && term.out !== undefined ? columnOf(term.out) : undefined],
      );
      const known = columns.filter((each) => each !== undefined);
      return known.length > 0 && known.length === columns.length ? [known] : [];
    },
    render: (from) => {
      if (bare.size > 0) {
        const row = emitter.engine.row([...bare.values()].map(({ value }) => value.sql));
        const unique = oneRowGroups(keys, base);
        const picked = unique ? oneRow(row, [], emitter) : rowOf(row, extreme, base.order(), emitter);
        columns.push(sql`${picked} AS ${bareField}`);
      }
      if (columns.length === 0) columns.push(['count(*) AS a0']);
      const select = sql`SELECT ${join(columns, ', ')}${from()}`;
      if (keys.length === 0) return select;
      return sql`${select} GROUP BY ${join(
        keys.map((term) => term.key),
        ', ',
      )}`;
    },
  };
}

/**
 * Where the nested loops come in an order that groups by itself, SQLite sorts nothing: the groups come in the
 * order of the loops, whatever the order of the terms. Gives the terms' indexes in the order that counts.
 */
function scannedTerms(terms: readonly Term[], columns: RowOrder['columns'], scope: Scope): readonly number[] {
  const order: number[] = [];
  const indexed = terms.map(({ value }) => indexedColumn(value, scope));
  for (const column of columns) {
    const term = column === undefined ? -1 : indexed.indexOf(column);
    if (term < 0) break;
    order.push(term);
  }
  const rest = terms.filter(({ value }, i) => !order.includes(i) && !isConstant(value));
  if (rest.length > 0) throw new NotNative('row order of groups');
  return order;
}

/** The column of this scope that a value is, compared by its own collation. */
function indexedColumn(value: Value, { relations }: Scope): ReadColumn | undefined {
  const column = columnOf(value);
  if (column === undefined) return undefined;
  const own = relations
    .flatMap(({ columns, rowid }) => [...columns, ...(rowid === undefined ? [] : [rowid])])
    .find((candidate) => candidate.value.column === column)?.value;
  return own !== undefined && collationOf(value) === collationOf(own) ? column : undefined;
}

/** The terms hold a unique key of the only table. */
function oneRowGroups(terms: readonly Term[], { relations }: Scope): boolean {
  const [relation] = relations;
  if (relation === undefined || relations.length > 1) return false;
  const columns = new Set(terms.map((term) => columnOf(term.value)));
  return withoutNulls(relation).some((set) => set.every((column) => columns.has(column)));
}
