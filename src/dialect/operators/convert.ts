// Values turned into another kind: CAST (lang_expr.html "CAST expressions"), affinity (datatype3.html
// sections 3 and 4.2), truth, and the engine's union for values of more than one kind.
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { type Affinity, ANY_TYPE, sql, type Value } from '../value.ts';
import { computed, integerConstant, nullOf } from './computed.ts';

/** Where SQLite takes any number: booleans are the integers 0 and 1. */
export function unboolean(x: Value): Value {
  return x.kind === 'boolean' ? { ...x, sql: sql`CAST(${x.sql} AS BIGINT)`, kind: 'integer' } : x;
}

const call = (name: string, x: Value): Template => sql`${name}(${x.sql})`;
/** The same value in other SQL: what is simple stays so, since the engine folds constants. */
const turned = (x: Value, kind: Value['kind'], text: Template): Value => ({
  ...computed(kind, text, x.notNull),
  simple: x.simple,
});

/** CAST AS INTEGER: the longest integer prefix of a text; a real is cut towards zero and held in 64 bits. */
export function toInteger(x: Value): Value {
  switch (x.kind) {
    case 'integer':
      return x;
    case 'boolean':
      return unboolean(x);
    case 'null':
      return nullOf('integer');
    case 'real':
      return turned(x, 'integer', call('tg_real_integer', x));
    case 'text':
      return turned(x, 'integer', call('tg_text_integer', x));
    case 'blob':
    case 'any':
      return turned(x, 'integer', call('tg_any_integer', x));
  }
}

/** CAST AS REAL: the longest numeric prefix. */
export function toReal(x: Value): Value {
  switch (x.kind) {
    case 'real':
      return x;
    case 'integer':
    case 'boolean':
      return turned(x, 'real', sql`CAST(${unboolean(x).sql} AS DOUBLE)`);
    case 'null':
      return nullOf('real');
    case 'text':
      return turned(x, 'real', call('tg_text_real', x));
    case 'blob':
    case 'any':
      return turned(x, 'real', call('tg_any_real', x));
  }
}

/** CAST AS TEXT: numbers as SQLite prints them, the bytes of a blob. */
export function toText(x: Value): Value {
  switch (x.kind) {
    case 'text':
      return x;
    case 'integer':
    case 'boolean':
      return turned(x, 'text', sql`CAST(${unboolean(x).sql} AS VARCHAR)`);
    case 'null':
      return nullOf('text');
    case 'real':
      return turned(x, 'text', call('tg_real_text', x));
    case 'blob':
      return withBytes(turned(x, 'text', call('tg_any_text', x)), x.sql);
    case 'any':
      return turned(x, 'text', call('tg_any_text', x));
  }
}

/** A text that remembers its bytes: what the engine's text lost of them, CAST AS BLOB and hex() still find. */
export function withBytes(x: Value, bytes: Template): Value {
  return { ...x, bytes: { of: x.sql, sql: bytes } };
}
export const knowsBytes = (x: Value): boolean => x.bytes?.of === x.sql;

/** A text as C code reads it: up to the first NUL. */
export function untilNul(x: Value, ctx: Context): Value {
  return ctx.once([x], ([y]) => ({
    ...computed(
      'text',
      sql`CASE WHEN contains(${y!.sql}, chr(0)) THEN split_part(${y!.sql}, chr(0), 1) ELSE ${y!.sql} END`,
      x.notNull,
    ),
    simple: x.simple,
  }));
}

/** CAST AS BLOB: the bytes of what CAST AS TEXT gives. */
export function toBlob(x: Value): Value {
  if (x.kind === 'blob') return x;
  if (x.kind === 'null') return nullOf('blob');
  if (knowsBytes(x)) return turned(x, 'blob', x.bytes!.sql);
  // An `any` may hold a blob whose bytes are no UTF-8.
  if (x.kind === 'any') return turned(x, 'blob', call('tg_any_blob', x));
  return turned(x, 'blob', sql`encode(${toText(x).sql})`);
}

/** Held in the engine's union. NULL becomes a NULL union, which a plain cast would not do. */
export function toAny(x: Value, ctx: Context): Value {
  if (x.kind === 'any') return x;
  if (x.kind === 'null') return nullOf('any');
  const y = unboolean(x);
  if (y.notNull) return turned(y, 'any', sql`CAST(${y.sql} AS ${ANY_TYPE})`);
  return ctx.once([y], ([cheap]) =>
    turned(y, 'any', sql`CASE WHEN ${cheap!.sql} IS NOT NULL THEN CAST(${cheap!.sql} AS ${ANY_TYPE}) END`),
  );
}

/** Values of one kind, for the branches of a CASE and the rows of a compound SELECT. */
export function unify(values: readonly Value[], ctx: Context): readonly Value[] {
  const kinds = new Set(values.map((x) => x.kind));
  kinds.delete('null');
  if (kinds.size === 0) return values;
  if (kinds.has('boolean')) {
    // One boolean among booleans is still SQLite's integer, but nothing needs to see it as a number here.
    if (kinds.size > 1) {
      kinds.delete('boolean');
      kinds.add('integer');
    }
  }
  const kind = kinds.size === 1 ? [...kinds][0]! : 'any';
  return values.map((x) => {
    if (x.kind === kind) return x;
    if (x.kind === 'null') return { ...nullOf(kind), affinity: x.affinity, collation: x.collation };
    const y = kind === 'any' ? toAny(x, ctx) : unboolean(x);
    return { ...y, affinity: x.affinity, collation: x.collation };
  });
}

/** BOOLEAN SQL: NULL, or whether the value is true (lang_expr.html "Boolean Expressions"). */
export function truth(x: Value): Template {
  switch (x.kind) {
    case 'boolean':
      return x.sql;
    case 'null':
      return ['CAST(NULL AS BOOLEAN)'];
    case 'integer':
    case 'real':
      return sql`(${x.sql} <> 0)`;
    case 'text':
    case 'blob':
    case 'any':
      return sql`(${toReal(x).sql} <> 0)`;
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
export function castTo(x: Value, typeName: string): Value {
  const affinity = typeAffinity(typeName);
  const cast = castBare(x, affinity);
  // CAST keeps the collation of its operand (datatype3.html section 7.1).
  return { ...cast, affinity, collation: x.collation };
}

function castBare(x: Value, affinity: Exclude<Affinity, 'none'>): Value {
  if (x.kind === 'null') return x;
  switch (affinity) {
    case 'integer':
      return toInteger(x);
    case 'real':
      return toReal(x);
    case 'text':
      return toText(x);
    case 'blob':
      return toBlob(x);
    case 'numeric':
      if (x.kind === 'integer' || x.kind === 'real') return x;
      if (x.kind === 'boolean') return unboolean(x);
      return turned(x, 'any', call('tg_cast_numeric', x));
  }
}

/**
 * Applies an affinity before a comparison (datatype3.html section 4.2): numeric turns texts that are numbers
 * through and through into numbers, text turns numbers into text. NULLs and blobs stay.
 */
export function applyAffinity(x: Value, affinity: Affinity): Value {
  const kept = { affinity: x.affinity, collation: x.collation };
  switch (affinity) {
    case 'none':
    case 'blob':
      return x;
    case 'integer':
    case 'real':
    case 'numeric':
      if (x.kind === 'text' || x.kind === 'any')
        return { ...turned(x, 'any', call('tg_numeric', x)), ...kept };
      return x;
    case 'text':
      if (x.kind === 'integer' || x.kind === 'real' || x.kind === 'boolean') return { ...toText(x), ...kept };
      if (x.kind === 'any') return { ...turned(x, 'any', call('tg_text_affinity', x)), ...kept };
      return x;
  }
}

export const ZERO = integerConstant(0);
