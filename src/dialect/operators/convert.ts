// Values turned into another kind: CAST (lang_expr.html "CAST expressions"), affinity (datatype3.html
// sections 3 and 4.2) and truth. What is not exact for every value is guarded, or not native at all.
import type { Context } from '../context.ts';
import { type Known, knownOfAll } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { type Affinity, type Pin, sql, type Value } from '../value.ts';
import { computed, integerConstant, nullOf, realConstant } from './computed.ts';
import { DIGITS, isExactReal, known } from './known.ts';

/** Where SQLite takes any number: booleans are the integers 0 and 1. */
export function unboolean(x: Value): Value {
  return x.kind === 'boolean'
    ? { ...x, sql: sql`CAST(${x.sql} AS BIGINT)`, kind: 'integer', known: () => ({ min: 0n, max: 1n }) }
    : x;
}

/** The same value in other SQL: what is simple stays so, since the engine folds constants. */
const turned = (x: Value, kind: Value['kind'], text: Template, facts?: Value['known']): Value => ({
  ...computed(kind, text, x.notNull),
  simple: x.simple,
  ...(facts === undefined ? {} : { known: facts }),
});

/** A text that is an integer and nothing else; any other ends the statement here. */
function integerText(x: Value, ctx: Context): Template {
  const text = x.sql;
  // An integer's digits come first in a date: the year.
  if (known(x, ctx).dates !== undefined) return sql`CAST(substring(${text}, 1, 4) AS BIGINT)`;
  return ctx.once([x], ([y]) =>
    computed(
      'integer',
      sql`CASE WHEN ${ctx.engine.matches(y!.sql, '[0-9]{1,18}|-0*[1-9][0-9]{0,17}')} THEN CAST(${y!.sql} AS BIGINT) WHEN ${y!.sql} IS NOT NULL THEN ${ctx.engine.failing('BIGINT')} END`,
    ),
  ).sql;
}

/** CAST AS INTEGER: the longest integer prefix of a text; a real is cut towards zero. */
export function toInteger(x: Value, ctx: Context): Value {
  switch (x.kind) {
    case 'integer':
      return x;
    case 'boolean':
      return unboolean(x);
    case 'null':
      return nullOf('integer');
    case 'real':
    case 'number':
      // Past 64 bits the engine ends with an error.
      return turned(x, 'integer', sql`CAST(${ctx.engine.truncated(x.sql)} AS BIGINT)`);
    case 'text':
      return turned(x, 'integer', integerText(x, ctx));
    case 'blob':
      throw new NotNative('blob as number');
  }
}

/** CAST AS REAL: the longest numeric prefix. */
export function toReal(x: Value, ctx: Context): Value {
  switch (x.kind) {
    case 'real':
      return x;
    case 'number':
      return turned(x, 'real', x.sql);
    case 'integer':
      if (x.literal !== undefined && !x.literal.negative)
        return turned(x, 'real', [{ index: x.literal.index, as: 'real' }]);
      return turned(x, 'real', sql`CAST(${x.sql} AS DOUBLE)`);
    case 'boolean':
      return turned(x, 'real', sql`CAST(${unboolean(x).sql} AS DOUBLE)`);
    case 'null':
      return nullOf('real');
    case 'text':
      return turned(x, 'real', sql`CAST(${integerText(x, ctx)} AS DOUBLE)`);
    case 'blob':
      throw new NotNative('blob as number');
  }
}

/** An operand of arithmetic: a text is the number that comes first in it. */
export function toNumber(x: Value, ctx: Context): Value {
  return x.kind === 'text' || x.kind === 'blob' ? toInteger(x, ctx) : unboolean(x);
}

/** CAST AS TEXT */
export function toText(x: Value): Value {
  switch (x.kind) {
    case 'text':
      return x;
    case 'integer':
    case 'boolean':
      return turned(x, 'text', sql`CAST(${unboolean(x).sql} AS VARCHAR)`, () => DIGITS);
    case 'null':
      return nullOf('text');
    case 'real':
    case 'number':
      throw new NotNative('real as text');
    case 'blob':
      throw new NotNative('blob as text');
  }
}

/** CAST AS BLOB: the bytes of what CAST AS TEXT gives. */
export function toBlob(x: Value, { engine }: Context): Value {
  if (x.kind === 'blob') return x;
  if (x.kind === 'null') return nullOf('blob');
  return turned(x, 'blob', engine.bytesOf(toText(x).sql));
}

/** A text without NUL, at which much of SQLite ends. Where nothing is known of it, it is looked at row by row. */
export function withoutNul(x: Value, what: string, ctx: Context): Value {
  const text = toText(x);
  if (x.kind === 'null') return text;
  const facts = known(text, ctx);
  if (facts.noNul === true) return text;
  if (facts.noNul === false) throw new NotNative(`${what} of a text with NUL`);
  const looked = ctx.once([text], ([y]) =>
    computed(
      'text',
      sql`CASE WHEN ${ctx.engine.contains(y!.sql, ['chr(0)'])} THEN ${ctx.engine.failing('VARCHAR')} ELSE ${y!.sql} END`,
    ),
  );
  return { ...text, sql: looked.sql, simple: false, known: () => ({ ...facts, noNul: true }) };
}

/** What values of one kind each have in common, for the branches of a CASE and the rows of a compound SELECT. */
export function unify(values: readonly Value[]): readonly Value[] {
  const kinds = new Set(values.map((x) => x.kind));
  kinds.delete('null');
  if (kinds.has('boolean') && kinds.size > 1) {
    kinds.delete('boolean');
    kinds.add('integer');
  }
  if (kinds.size === 0) return values;
  if (kinds.size > 1 || kinds.has('number')) throw new NotNative('values of several kinds');
  const [kind] = [...kinds] as [Value['kind']];
  return values.map((x) => {
    if (x.kind === kind) return x;
    if (x.kind === 'null') return { ...nullOf(kind), affinity: x.affinity, collation: x.collation };
    return { ...unboolean(x), affinity: x.affinity, collation: x.collation };
  });
}

/** As {@link unify}, but integers and reals become `number`s. */
export function unifyNumbers(values: readonly Value[], ctx: Context): readonly Value[] {
  const numbers = values.map(unboolean);
  const kinds = new Set(numbers.map((x) => x.kind));
  const mixed = kinds.has('number') || (kinds.has('integer') && kinds.has('real'));
  if (!mixed) return unify(values);
  return numbers.map((x): Value => {
    switch (x.kind) {
      case 'number':
        return x;
      case 'real':
        return { ...x, kind: 'number', whole: ['FALSE'] };
      case 'null':
        return { ...nullOf('number'), whole: ['FALSE'] };
      case 'integer': {
        const real = toReal(x, ctx);
        return { ...real, kind: 'number', whole: ['TRUE'], sql: exactReal(x, real, ctx) };
      }
      default:
        throw new NotNative('values of several kinds');
    }
  });
}

function exactReal(x: Value, real: Value, ctx: Context): Template {
  // As a real, a literal is looked at when it is written.
  if (x.literal !== undefined || isExactReal(x, ctx)) return real.sql;
  return ctx.once([x], ([y]) =>
    computed(
      'real',
      sql`CASE WHEN ${y!.sql} BETWEEN -9007199254740992 AND 9007199254740992 THEN CAST(${y!.sql} AS DOUBLE) WHEN ${y!.sql} IS NOT NULL THEN ${ctx.engine.failing('DOUBLE')} END`,
    ),
  ).sql;
}

/** What is known of one of several values. */
export const knownOfEach =
  (values: readonly Value[]) =>
  (ctx: Pin): Known =>
    knownOfAll(values.filter((x) => x.kind !== 'null').map((x) => known(x, ctx)));

/** BOOLEAN SQL: NULL, or whether the value is true (lang_expr.html "Boolean Expressions"). */
export function truth(x: Value, ctx: Context): Template {
  switch (x.kind) {
    case 'boolean':
      return x.sql;
    case 'null':
      return ['CAST(NULL AS BOOLEAN)'];
    case 'integer':
    case 'real':
    case 'number':
      return sql`(${x.sql} <> 0)`;
    case 'text':
    case 'blob':
      return sql`(${toReal(x, ctx).sql} <> 0)`;
  }
}

/** SQLite's affinity of a declared type (datatype3.html section 3.1). */
export function typeAffinity(typeName: string): Exclude<Affinity, 'none'> {
  const name = typeName.toLowerCase();
  if (name.includes('int')) return 'integer';
  if (name.includes('char') || name.includes('clob') || name.includes('text')) return 'text';
  if (name.includes('blob')) return 'blob';
  if (name.includes('real') || name.includes('floa') || name.includes('doub')) return 'real';
  return 'numeric';
}

/** CAST(x AS type): the type's affinity decides (lang_expr.html "CAST expressions"). */
export function castTo(x: Value, typeName: string, ctx: Context): Value {
  const affinity = typeAffinity(typeName);
  const cast = castBare(x, affinity, ctx);
  // CAST keeps the collation of its operand (datatype3.html section 7.1).
  return { ...cast, affinity, collation: x.collation };
}

function castBare(x: Value, affinity: Exclude<Affinity, 'none'>, ctx: Context): Value {
  if (x.kind === 'null') return x;
  switch (affinity) {
    case 'integer':
      return toInteger(x, ctx);
    case 'real':
      return toReal(x, ctx);
    case 'text':
      return toText(x);
    case 'blob':
      return toBlob(x, ctx);
    case 'numeric':
      if (x.kind === 'integer' || x.kind === 'real') return x;
      if (x.kind === 'boolean') return unboolean(x);
      throw new NotNative('CAST AS NUMERIC');
  }
}

/**
 * Applies an affinity before a comparison (datatype3.html section 4.2): numeric turns texts that are numbers
 * through and through into numbers, text turns numbers into text. NULLs and blobs stay.
 */
export function applyAffinity(x: Value, affinity: Affinity, ctx: Context): Value {
  const kept = { affinity: x.affinity, collation: x.collation };
  switch (affinity) {
    case 'none':
    case 'blob':
      return x;
    case 'integer':
    case 'real':
    case 'numeric':
      return x.kind === 'text' ? { ...numericText(x, ctx), ...kept } : x;
    case 'text':
      return x.kind === 'integer' || x.kind === 'real' || x.kind === 'number' || x.kind === 'boolean'
        ? { ...toText(x), ...kept }
        : x;
  }
}

const INTEGER = /^[ \t\n\v\f\r]*[+-]?\d{1,18}[ \t\n\v\f\r]*$/;
const REAL = /^[ \t\n\v\f\r]*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?[ \t\n\v\f\r]*$/i;

function numericText(x: Value, ctx: Context): Value {
  if (x.literal !== undefined) {
    const { text } = ctx.pin(x.literal.index);
    if (INTEGER.test(text)) return integerConstant(BigInt(text.trim().replace(/^\+/, '')));
    return REAL.test(text) ? realConstant(text.trim()) : x;
  }
  // No date is a number.
  if (known(x, ctx).dates !== undefined) return x;
  throw new NotNative('text compared as a number');
}
