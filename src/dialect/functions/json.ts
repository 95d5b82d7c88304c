// Scalar JSON functions (json1.html section 4), exact in JavaScript except where values are only put together.
import { GatewayError } from '../../errors.ts';
import type { Context } from '../context.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { toAny, toText } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { join, sql, type Value } from '../value.ts';
import { asJson, extracted, jsonText } from './json-value.ts';
import type { ScalarFunctions } from './scalar-function.ts';

const MANY = 127;
const ROOT: Template = ["'$'"];

function extract(args: readonly Value[]): Value {
  const [x, ...paths] = args as [Value, ...Value[]];
  if (x.kind === 'null') return nullOf('null');
  const [path] = paths;
  // Without a path SQLite gives NULL.
  if (path === undefined) return nullOf('null');
  if (paths.length > 1)
    return jsonText(
      sql`tg_json_extract_many(${join(
        args.map((arg) => toText(arg).sql),
        ', ',
      )})`,
    );
  const given = sql`${toText(x).sql}, ${toText(path).sql}`;
  return extracted(sql`tg_json_extract(${given})`, sql`tg_json_extract_json(${given})`);
}

function array(args: readonly Value[], ctx: Context): Value {
  if (args.length === 0) return jsonText(["'[]'"], true);
  const items = args.map((arg) => asJson(arg, ctx));
  return jsonText(sql`('[' || ${join(items, " || ',' || ")} || ']')`, true);
}

function object(args: readonly Value[], ctx: Context): Value {
  if (args.length % 2 !== 0)
    throw new GatewayError('run-failed', 'json_object() requires an even number of arguments');
  if (args.length === 0) return jsonText(["'{}'"], true);
  const parts: Template[] = [];
  for (let i = 0; i < args.length; i += 2)
    parts.push(sql`${label(args[i]!, ctx)} || ':' || ${asJson(args[i + 1]!, ctx)}`);
  return jsonText(sql`('{' || ${join(parts, " || ',' || ")} || '}')`, true);
}

const LABELS = "CAST(error('tablegate: json_object() labels must be TEXT') AS VARCHAR)";

function label(x: Value, ctx: Context): Template {
  if (x.kind === 'any')
    return sql`CASE WHEN union_tag(${x.sql}) = 't' THEN tg_json_value(${x.sql}) ELSE ${LABELS} END`;
  if (x.kind !== 'text') return [LABELS];
  const { json: _, asJson: __, ...text } = x;
  const quoted = asJson({ ...text, notNull: true }, ctx);
  return x.notNull ? quoted : sql`COALESCE(${quoted}, ${LABELS})`;
}

/** Pairs of path and value. Replacing the whole gives the value itself, of whatever kind. */
const edit =
  (name: 'insert' | 'replace' | 'set') =>
  (args: readonly Value[], ctx: Context): Value => {
    if (args.length % 2 === 0)
      throw new GatewayError('run-failed', `json_${name}() needs an odd number of arguments`);
    const [x, ...rest] = args as [Value, ...Value[]];
    if (x.kind === 'null') return nullOf('null');
    const flags = rest.filter((_, i) => i % 2 === 1).map((value) => (value.json ? 'j' : '-'));
    const list = rest.map((arg, i) => toAny(i % 2 === 0 ? toText(arg) : arg, ctx).sql);
    const given = join([[`'${flags.join('')}'`], toText(x).sql, ...list], ', ');
    return extracted(sql`tg_json_${name}(${given})`, sql`tg_json_${name}_json(${given})`);
  };

function remove(args: readonly Value[]): Value {
  if (args.some((x) => x.kind === 'null')) return nullOf('text');
  if (args.length === 1) return json(args[0]!);
  return jsonText(
    sql`tg_json_remove(${join(
      args.map((x) => toText(x).sql),
      ', ',
    )})`,
  );
}

function json(x: Value): Value {
  if (x.kind === 'null') return nullOf('text');
  if (x.kind === 'text' && x.json) return x;
  return jsonText(sql`tg_json(${toText(x).sql})`, x.notNull);
}

/** A function of JSON and an optional path that gives a plain value. */
const atPath =
  (name: string, kind: Value['kind']) =>
  ([x, path]: readonly Value[]): Value => {
    if (x!.kind === 'null') return nullOf(kind);
    return computed(kind, sql`${name}(${toText(x!).sql}, ${path === undefined ? ROOT : toText(path).sql})`);
  };

export const JSON_SCALARS: ScalarFunctions = {
  json: { min: 1, max: 1, rule: ([x]) => json(x!) },
  json_array: { min: 0, max: MANY, rule: array },
  json_array_length: { min: 1, max: 2, rule: atPath('tg_json_array_length', 'integer') },
  json_extract: { min: 0, max: MANY, rule: (args) => (args.length === 0 ? nullOf('null') : extract(args)) },
  json_insert: { min: 0, max: MANY, rule: edit('insert') },
  json_object: { min: 0, max: MANY, rule: object },
  json_patch: {
    min: 2,
    max: 2,
    rule: ([x, y]) =>
      x!.kind === 'null' || y!.kind === 'null'
        ? nullOf('text')
        : jsonText(sql`tg_json_patch(${toText(x!).sql}, ${toText(y!).sql})`, x!.notNull && y!.notNull),
  },
  json_quote: { min: 1, max: 1, rule: ([x], ctx) => jsonText(asJson(x!, ctx), true) },
  json_remove: { min: 0, max: MANY, rule: (args) => (args.length === 0 ? nullOf('null') : remove(args)) },
  json_replace: { min: 0, max: MANY, rule: edit('replace') },
  json_set: { min: 0, max: MANY, rule: edit('set') },
  json_type: { min: 1, max: 2, rule: atPath('tg_json_type', 'text') },
  json_valid: {
    min: 1,
    max: 1,
    // 0 for NULL, in the reference's version.
    rule: ([x]) =>
      x!.kind === 'null'
        ? computed('boolean', ['FALSE'], true)
        : computed('boolean', sql`COALESCE(tg_json_valid(${toText(x!).sql}), FALSE)`, true),
  },
};
