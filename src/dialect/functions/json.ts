// Scalar JSON functions (json1.html section 4) that put values together, and json_extract() and the arrows, which read
// one text at a simple path of JSON that is known to be valid.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { known } from '../operators/known.ts';
import { pinnedText } from '../operators/literal.ts';
import type { Template } from '../plan.ts';
import type { Value } from '../value.ts';
import { integerAt } from './json-parts.ts';
import { asJson, jsonText, label } from './json-value.ts';
import type { ScalarFunctions } from './scalar-function.ts';

const MANY = 127;

function array(args: readonly Value[], ctx: Context): Value {
  if (args.length === 0) return jsonText(["'[]'"], true);
  const items = args.flatMap((arg, i): Template[] => [[i === 0 ? "'['" : "','"], asJson(arg, ctx)]);
  return jsonText(ctx.engine.concatAll([...items, ["']'"]]), true);
}

function object(args: readonly Value[], ctx: Context): Value {
  if (args.length % 2 !== 0) throw new NotNative('json_object of an odd number of arguments');
  if (args.length === 0) return jsonText(["'{}'"], true);
  const members = args.flatMap((arg, i): Template[] =>
    i % 2 === 0 ? [[i === 0 ? "'{'" : "','"], label(arg, ctx)] : [["':'"], asJson(arg, ctx)],
  );
  return jsonText(ctx.engine.concatAll([...members, ["'}'"]]), true);
}

/** Members by plain names, elements by number: what both engines read alike. */
const PATH = /^\$(?:\.[A-Za-z_]\w*|\[\d{1,9}\])+$/;

/**
 * An integer of a text that is put together, or the text at a path. Of that, another kind of value ends the statement:
 * numbers, arrays and objects are written differently.
 */
function valueAt(x: Value, path: string, ctx: Context): Value {
  if (!PATH.test(path)) throw new NotNative('such a path of JSON');
  const integer = integerAt(x, path, ctx);
  if (integer !== undefined) return integer;
  if (x.kind !== 'text' || known(x, ctx).json !== true)
    throw new NotNative('JSON that is not known to be valid');
  return computed('text', ctx.engine.jsonText(x.sql, path));
}

function extract(args: readonly Value[], ctx: Context): Value {
  const [x, path, ...more] = args as [Value, Value | undefined, ...Value[]];
  // Without a path SQLite gives NULL.
  if (x.kind === 'null' || path === undefined || path.kind === 'null') return nullOf('null');
  const text = pinnedText(path, ctx);
  if (more.length > 0 || text === undefined) throw new NotNative('such a path of JSON');
  return valueAt(x, text, ctx);
}

/** ->> gives the SQL value (json1.html section 4.7), -> the JSON, which only SQLite writes as it was. */
export function arrow(op: '->' | '->>', x: Value, path: Value, ctx: Context): Value {
  if (x.kind === 'null' || path.kind === 'null') return nullOf('null');
  const text = pinnedText(path, ctx);
  if (op === '->' || text === undefined) throw new NotNative('such a path of JSON');
  return valueAt(x, text.startsWith('$') ? text : `$.${text}`, ctx);
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
