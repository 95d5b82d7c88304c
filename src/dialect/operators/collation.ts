// Collating sequences (datatype3.html section 7): which one a comparison uses, and the text whose bytes
// compare as the collation does.
import { GatewayError } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { type Collation, sql, type Value } from '../value.ts';
import { known } from './known.ts';

/**
 * SQLite folds ASCII letters only; the engine's lower() folds all of Unicode's, so it serves texts that are all ASCII: a
 * column that is known to be so, or row by row. A column without letters of the other case is as it is.
 */
function folded(x: Value, ctx: Context, name: 'lower' | 'upper'): Value {
  const { lower, upper, ...facts } = known(x, ctx);
  if ((name === 'lower' ? lower : upper) === true) return x;
  const kept = { ...x, simple: false, known: () => ({ ...facts, [name]: true }) };
  if (facts.ascii === true) return { ...kept, sql: sql`${name}(${x.sql})` };
  return ctx.once([x], ([cheap]) => ({ ...kept, sql: ctx.engine.folded(name, cheap!.sql) }));
}
export const asciiLower = (x: Value, ctx: Context): Value => folded(x, ctx, 'lower');
export const asciiUpper = (x: Value, ctx: Context): Value => folded(x, ctx, 'upper');

/** A text whose bytes compare as x does in the collation. */
export function collated(x: Value, collation: Collation, ctx: Context): Value {
  switch (collation) {
    case 'binary':
      return x;
    case 'nocase':
      return asciiLower(x, ctx);
    case 'rtrim':
      return { ...x, simple: false, sql: ctx.engine.trimmed('rtrim', x.sql, ["' '"]) };
  }
}

/** x COLLATE name */
export function collate(x: Value, name: string): Value {
  const lower = name.toLowerCase();
  if (lower !== 'binary' && lower !== 'nocase' && lower !== 'rtrim')
    throw new GatewayError('statement-syntax', `no such collation sequence: ${name}`);
  return { ...x, collation: { name: lower, explicit: true } };
}

/** An explicit COLLATE of an operand or argument is its operator's or call's too (sqlite3ExprCollSeq). */
export function carried(result: Value, operands: readonly Value[]): Value {
  const explicit = operands.find((x) => x.collation?.explicit)?.collation;
  return explicit === undefined ? result : { ...result, collation: explicit };
}

/** Of a comparison: an explicit one, left first; else a column's, left first; else BINARY (section 7.1). */
export function collationOf(l: Value, r: Value): Collation {
  if (l.collation?.explicit) return l.collation.name;
  if (r.collation?.explicit) return r.collation.name;
  return (l.collation ?? r.collation)?.name ?? 'binary';
}

/** The template of a value's key in a collation; texts only. */
export function collatedSql(x: Value, collation: Collation, ctx: Context): Template {
  return x.kind === 'text' ? collated(x, collation, ctx).sql : x.sql;
}
