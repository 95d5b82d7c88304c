// Scalar JSON functions (json1.html section 4) that put values together, and json_extract() and the arrows, which read
// one text at a simple path of JSON that is known to be valid.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { known } from '../operators/known.ts';
import { pinnedText } from '../operators/literal.ts';
import { join, sql, type Value } from '../value.ts';
import { asJson, jsonText, label } from './json-value.ts';
import type { ScalarFunctions } from './scalar-function.ts';

const MANY = 127;

function array(args: readonly Value[], ctx: Context): Value {
  if (args.length === 0) return jsonText(["'[]'"], true);
  const items = args.map((arg) => asJson(arg, ctx));
  return jsonText(sql`('[' || ${join(items, " || ',' || ")} || ']')`, true);
}

function object(args: readonly Value[], ctx: Context): Value {
  if (args.length % 2 !== 0) throw new NotNative('json_object of an odd number of arguments');
  if (args.length === 0) return jsonText(["'{}'"], true);
  const parts = [];
  for (let i = 0; i < args.length; i += 2)
    parts.push(sql`${label(args[i]!, ctx)} || ':' || ${asJson(args[i + 1]!, ctx)}`);
  return jsonText(sql`('{' || ${join(parts, " || ',' || ")} || '}')`, true);
}

/** Members by plain names, elements by number: what both engines read alike. */
const PATH = /^\$(?:\.[A-Za-z_]\w*|\[\d{1,9}\])+$/;

/**
 * The text at a path. Another kind of value there ends the statement: numbers, arrays and objects are written
 * differently.
 */
function textAt(x: Value, path: string, ctx: Context): Value {
  if (x.kind !== 'text' || known(x, ctx).json !== true)
    throw new NotNative('JSON that is not known to be valid');
  if (!PATH.test(path)) throw new NotNative('such a path of JSON');
  return computed('text', ctx.engine.jsonText(x.sql, path));
}

function extract(args: readonly Value[], ctx: Context): Value {
  const [x, path, ...more] = args as [Value, Value | undefined, ...Value[]];
  // Without a path SQLite gives NULL.
  if (x.kind === 'null' || path === undefined || path.kind === 'null') return nullOf('null');
  const text = pinnedText(path, ctx);
  if (more.length > 0 || text === undefined) throw new NotNative('such a path of JSON');
  return textAt(x, text, ctx);
}

/** ->> gives the SQL value (json1.html section 4.7), -> the JSON, which only SQLite writes as it was. */
export function arrow(op: '->' | '->>', x: Value, path: Value, ctx: Context): Value {
  if (x.kind === 'null' || path.kind === 'null') return nullOf('null');
  const text = pinnedText(path, ctx);
  if (op === '->' || text === undefined) throw new NotNative('such a path of JSON');
  return textAt(x, text.startsWith('$') ? text : `$.${text}`, ctx);
}

export const JSON_SCALARS: ScalarFunctions = {
  json_array: { min: 0, max: MANY, rule: array },
  json_extract: { min: 1, max: MANY, rule: extract },
  json_object: { min: 0, max: MANY, rule: object },
  json_quote: {
    min: 1,
    max: 1,
    rule: ([x], ctx) => jsonText(asJson(x!, ctx), true),
  },
};
