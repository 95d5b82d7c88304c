// SQL values as JSON (json1.html section 3.1): what goes into json_object and its like, and the arrows. A
// value that is JSON by its making (`Value.json`, SQLite's subtype) goes in as JSON, any other text as a string.

import type { Context } from '../context.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { toAny, toText } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';

export function jsonText(text: Template, notNull = false): Value {
  return { ...computed('text', text, notNull), json: true };
}

/**
 * A JSON string of a text. The engine's own escapes as SQLite does, but for control characters, of which it
 * writes some in capitals.
 */
function quoted(x: Value, ctx: Context): Template {
  if (x.literal !== undefined) return sql`tg_json_quote(${x.sql})`;
  return ctx.once([x], ([y]) =>
    computed(
      'text',
      sql`CASE WHEN regexp_matches(${y!.sql}, '[\\x00-\\x1f]') THEN tg_json_quote(${y!.sql}) ELSE CAST(to_json(${y!.sql}) AS VARCHAR) END`,
    ),
  ).sql;
}

/** The JSON of a value, never NULL. */
export function asJson(x: Value, ctx: Context): Template {
  if (x.asJson?.of === x.sql) return x.asJson.sql;
  if (x.kind === 'null') return ["'null'"];
  if (x.kind === 'any' || (x.kind === 'text' && x.json === 'maybe'))
    return sql`${x.json ? 'tg_json_embed' : 'tg_json_value'}(${toAny(x, ctx).sql})`;
  // Blobs are refused where they are not NULL.
  if (x.kind === 'blob') return sql`tg_json_value(${toAny(x, ctx).sql})`;
  const text = x.kind === 'text' ? (x.json ? x.sql : quoted(x, ctx)) : toText(x).sql;
  return x.notNull ? text : sql`COALESCE(${text}, 'null')`;
}

/** What a CASE or COALESCE of several values is to JSON functions: each branch embeds as it is by itself. */
export function branchedJson(
  value: Value,
  branches: readonly Value[],
  build: (json: (branch: Value) => Template) => Template,
  ctx: Context,
): Value {
  const given = branches.filter((x) => x.kind !== 'null');
  if (!given.some((x) => x.json !== undefined || x.asJson?.of === x.sql)) return value;
  const all = given.every((x) => x.json === true && x.kind === 'text');
  return {
    ...value,
    json: all ? true : 'maybe',
    ...(all ? {} : { asJson: { of: value.sql, sql: build((branch) => asJson(branch, ctx)) } }),
  };
}

/** Texts that are not JSON stay plain, however they look. */
export function extracted(x: Template, json: Template): Value {
  return { ...computed('any', x), json: 'maybe', asJson: { of: x, sql: sql`COALESCE(${json}, 'null')` } };
}

/** -> gives JSON, ->> the SQL value (json1.html section 4.7). */
export function arrow(op: '->' | '->>', x: Value, path: Value): Value {
  if (x.kind === 'null') return nullOf('null');
  // A NULL path gives NULL, but only of JSON that is well formed.
  const args = sql`${toText(x).sql}, ${toText(path).sql}`;
  if (op === '->') return jsonText(sql`tg_json_arrow(${args})`);
  return computed('any', sql`tg_json_arrow_value(${args})`);
}
