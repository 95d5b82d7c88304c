// Makes typed values: the short way to say what a piece of SQL is. No rule lives here.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { Kind, Value } from '../value.ts';

/** A computed value: no affinity and no collation (datatype3.html section 3.2). */
export function computed(kind: Kind, text: Template, notNull = false): Value {
  return { sql: text, kind, affinity: 'none', collation: undefined, simple: false, notNull };
}

/** A real of the engine's arithmetic, which gives NaN where SQLite has NULL. */
export function computedReal(text: Template, { engine }: Pick<Context, 'engine'>): Value {
  const settled = engine.settled(text);
  return { ...computed('real', settled), bare: { of: settled, sql: text } };
}

/** A real as an operand of what gives NaN for NaN. */
export const bareOf = (x: Value): Template => (x.bare?.of === x.sql ? x.bare.sql : x.sql);

export const NULL_VALUE: Value = {
  sql: ['NULL'],
  kind: 'null',
  affinity: 'none',
  collation: undefined,
  simple: true,
  notNull: false,
};

/** An integer that the rules themselves write. */
export function integerConstant(value: number | bigint): Value {
  const bound = BigInt(value);
  return {
    sql: [`CAST(${value} AS BIGINT)`],
    kind: 'integer',
    affinity: 'none',
    collation: undefined,
    simple: true,
    notNull: true,
    known: () => ({ min: bound, max: bound }),
  };
}

/** @param text a number in SQL's notation */
export function realConstant(text: string): Value {
  return { ...NULL_VALUE, kind: 'real', sql: [realLiteral(text)], notNull: true };
}

/** What every reader of numbers reads the same: as many digits as a real tells apart, scaled by an exact power. */
export function realLiteral(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^[+-]?(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const scale = Number(exponent) - fraction.length;
  if (digits.length > 15 || Math.abs(scale) > 22) throw new NotNative('real of many digits');
  const value = Number(text);
  const short = Object.is(value, -0) ? '-0' : String(value);
  // With an exponent the engine reads a double, without one a decimal.
  return short.includes('e') ? short : `${short}e0`;
}

/** The engine's type for values of a kind. */
export const ENGINE_TYPE: Readonly<Record<Kind, string>> = {
  integer: 'BIGINT',
  real: 'DOUBLE',
  number: 'DOUBLE',
  text: 'VARCHAR',
  blob: 'BLOB',
  boolean: 'BOOLEAN',
  null: 'BIGINT',
};

/** A NULL of a kind. */
export function nullOf(kind: Kind): Value {
  return { ...NULL_VALUE, kind, sql: [`CAST(NULL AS ${ENGINE_TYPE[kind]})`] };
}
