// Comparisons: = != < <= > >= IS, IS NOT, BETWEEN, IN (datatype3.html section 4, lang_expr.html). Storage
// classes order NULL < numbers < text < blob; integers and reals compare exactly.
import type { Context } from '../context.ts';
import type { ExactComparison } from '../engine.ts';
import type { Template } from '../plan.ts';
import { type Affinity, type Collation, join, sql, type Value } from '../value.ts';
import { collated, collationOf } from './collation.ts';
import { computed } from './computed.ts';
import { applyAffinity, toReal, unboolean } from './convert.ts';
import { isExactReal } from './known.ts';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'is' | 'is not';
type Order = Exclude<Comparison, 'is' | 'is not'>;

const numeric = (affinity: Affinity): boolean =>
  affinity === 'integer' || affinity === 'real' || affinity === 'numeric';

/** The affinity to apply to both sides before they are compared (datatype3.html section 4.2). */
export function comparisonAffinity(l: Affinity, r: Affinity): Affinity {
  if (l !== 'none' && r !== 'none') return numeric(l) || numeric(r) ? 'numeric' : 'none';
  const one = l === 'none' ? r : l;
  return numeric(one) ? 'numeric' : one;
}

type Rank = 'number' | 'text' | 'blob';
const RANKS: readonly Rank[] = ['number', 'text', 'blob'];
const rankOf = (x: Value): Rank => (x.kind === 'text' || x.kind === 'blob' ? x.kind : 'number');

/** The answer where the storage classes alone decide; NULL where a side is NULL. */
function byRank(op: Order, l: Value, r: Value): Template {
  const difference = RANKS.indexOf(rankOf(l)) - RANKS.indexOf(rankOf(r));
  const holds = {
    '=': false,
    '!=': true,
    '<': difference < 0,
    '<=': difference < 0,
    '>': difference > 0,
    '>=': difference > 0,
  }[op];
  const answer = holds ? 'TRUE' : 'FALSE';
  const nullable = [l, r].filter((x) => !x.notNull);
  if (nullable.length === 0) return [answer];
  return sql`CASE WHEN ${join(
    nullable.map((x) => sql`${x.sql} IS NOT NULL`),
    ' AND ',
  )} THEN ${answer} END`;
}

const MIRRORED: Readonly<Record<Order, Order>> = {
  '=': '=',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const ENGINE: Readonly<Record<Order, string>> = {
  '=': '=',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/**
 * An integer against a real, exactly. As doubles they compare right except where they are equal: rounding
 * keeps order, so only then the whole digits must decide.
 */
function integerReal(op: Order, i: Value, r: Value, ctx: Context): Template {
  if (i.literal !== undefined || isExactReal(i, ctx))
    return sql`(${toReal(i, ctx).sql} ${ENGINE[op]} ${r.sql})`;
  const double = sql`CAST(${i.sql} AS DOUBLE)`;
  const exact = (operator: ExactComparison): Template => ctx.engine.exactly(operator, i.sql, r.sql);
  if (op === '=') return sql`(${double} = ${r.sql} AND ${exact('=')})`;
  if (op === '!=') return sql`(${double} <> ${r.sql} OR ${exact('<>')})`;
  const strict = op[0]!;
  return sql`(${double} ${strict} ${r.sql} OR (${double} = ${r.sql} AND ${exact(op)}))`;
}

/** Affinity already applied. */
function ordered(op: Order, l: Value, r: Value, collation: Collation, ctx: Context): Template {
  if (rankOf(l) !== rankOf(r)) return byRank(op, l, r);
  if (l.kind === 'integer' && r.kind !== 'integer' && r.kind !== 'text') return integerReal(op, l, r, ctx);
  if (r.kind === 'integer' && l.kind !== 'integer') return integerReal(MIRRORED[op], r, l, ctx);
  const [a, b] = [l, r].map((x) => (x.kind === 'text' ? collated(x, collation, ctx) : x)) as [Value, Value];
  return sql`(${a.sql} ${ENGINE[op]} ${b.sql})`;
}

const mixesNumbers = (l: Value, r: Value): boolean =>
  rankOf(l) === 'number' && rankOf(r) === 'number' && (l.kind === 'integer') !== (r.kind === 'integer');

/** l op r with affinity and collation already chosen. */
function compareWith(op: Comparison, left: Value, right: Value, collation: Collation, ctx: Context): Value {
  const isNot = op === 'is not';
  if (op !== 'is' && !isNot) {
    if (left.kind === 'null' || right.kind === 'null') return computed('boolean', ['CAST(NULL AS BOOLEAN)']);
    const l = unboolean(left);
    const r = unboolean(right);
    const notNull = l.notNull && r.notNull;
    if (left.kind === 'boolean' && right.kind === 'boolean')
      return computed('boolean', sql`(${left.sql} ${ENGINE[op]} ${right.sql})`, notNull);
    if (rankOf(l) === rankOf(r) && !mixesNumbers(l, r))
      return computed('boolean', ordered(op, l, r, collation, ctx), notNull);
    return ctx.once([l, r], ([a, b]) =>
      computed('boolean', sql`(${ordered(op, a!, b!, collation, ctx)})`, notNull),
    );
  }
  // IS and IS NOT compare as = and != do, except that NULL is a value like others (lang_expr.html).
  const not = isNot ? 'NOT ' : '';
  if (left.kind === 'null' || right.kind === 'null') {
    if (left.kind === 'null' && right.kind === 'null')
      return computed('boolean', [isNot ? 'FALSE' : 'TRUE'], true);
    const x = left.kind === 'null' ? right : left;
    return computed('boolean', sql`(${x.sql} IS ${not}NULL)`, true);
  }
  const l = unboolean(left);
  const r = unboolean(right);
  if (rankOf(l) === rankOf(r) && !mixesNumbers(l, r)) {
    const [a, b] = l.kind === 'text' ? [collated(l, collation, ctx), collated(r, collation, ctx)] : [l, r];
    return computed('boolean', sql`(${a.sql} IS ${isNot ? '' : 'NOT '}DISTINCT FROM ${b.sql})`, true);
  }
  return ctx.once([l, r], ([a, b]) =>
    computed(
      'boolean',
      sql`(${not}COALESCE((${ordered('=', a!, b!, collation, ctx)}), ${a!.sql} IS NULL AND ${b!.sql} IS NULL))`,
      true,
    ),
  );
}

export function compare(op: Comparison, l: Value, r: Value, ctx: Context): Value {
  const affinity = comparisonAffinity(l.affinity, r.affinity);
  return compareWith(
    op,
    applyAffinity(l, affinity, ctx),
    applyAffinity(r, affinity, ctx),
    collationOf(l, r),
    ctx,
  );
}

/** x BETWEEN low AND high is x >= low AND x <= high, x computed once (lang_expr.html "The BETWEEN operator"). */
export function between(x: Value, low: Value, high: Value, not: boolean, ctx: Context): Value {
  return ctx.once([x], ([y]) => {
    const above = compare('>=', y!, low, ctx);
    const below = compare('<=', y!, high, ctx);
    const text = sql`(${above.sql} AND ${below.sql})`;
    return computed('boolean', not ? sql`(NOT ${text})` : text, above.notNull && below.notNull);
  });
}

/**
 * x IN (list): x = +a OR x = +b ..., so only x gives affinity and collation (datatype3.html section 4.2;
 * lang_expr.html "The IN and NOT IN operators": an empty list is false even for NULL).
 */
export function inList(x: Value, list: readonly Value[], not: boolean, ctx: Context): Value {
  if (list.length === 0) return computed('boolean', [not ? 'TRUE' : 'FALSE'], true);
  const affinity = comparisonAffinity(x.affinity, 'none');
  // x IN (a) with a constant is rewritten to x = +a, where a COLLATE of a counts.
  const [only] = list;
  const collation =
    list.length === 1 && only?.simple ? collationOf(x, only) : (x.collation?.name ?? 'binary');
  const left = applyAffinity(unboolean(x), affinity, ctx);
  const right = list.map((item) => applyAffinity(unboolean(item), affinity, ctx));
  const notNull = left.notNull && right.every((item) => item.notNull);
  const answer = (text: Template): Value =>
    computed('boolean', not ? sql`(NOT (${text}))` : sql`(${text})`, notNull);
  if (left.kind === 'null') return answer(['CAST(NULL AS BOOLEAN)']);
  return ctx.once([left], ([cheap]) => answer(membership(cheap!, right, collation, ctx)));
}

/** One native IN for the items of x's own kind, one comparison for each of the others. */
function membership(x: Value, items: readonly Value[], collation: Collation, ctx: Context): Template {
  const key = (y: Value): Template => (y.kind === 'text' ? collated(y, collation, ctx).sql : y.sql);
  const same = items.filter((item) => item.kind === x.kind);
  const others = items.filter((item) => item.kind !== x.kind);
  const parts: Template[] = [];
  if (same.length > 0) parts.push(sql`${key(x)} IN (${join(same.map(key), ', ')})`);
  for (const item of others) parts.push(compareWith('=', x, item, collation, ctx).sql);
  return join(parts, ' OR ');
}

/** x IS [NOT] TRUE / FALSE: the keyword after IS asks for truth (lang_expr.html "Boolean Expressions"). */
export function isTruth(truth: Template, expected: boolean, not: boolean, { engine }: Context): Value {
  return computed('boolean', engine.isTruth(truth, expected, not), true);
}

export function isNull(x: Value, not: boolean): Value {
  if (x.kind === 'null') return computed('boolean', [not ? 'FALSE' : 'TRUE'], true);
  return computed('boolean', sql`(${x.sql} IS ${not ? 'NOT ' : ''}NULL)`, true);
}
