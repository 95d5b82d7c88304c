// SQL values as JSON (json1.html section 3.1): what goes into json_object and its like. A value that is JSON by its
// making (`Value.json`, SQLite's subtype) goes in as JSON, any other text as a string.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed } from '../operators/computed.ts';
import { toText, withoutNul } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';

export function jsonText(text: Template, notNull = false): Value {
  return { ...computed('text', text, notNull), json: 'all' };
}

/** A JSON string of a text. Control characters are SQLite's to write. */
function quoted(x: Value, ctx: Context): Template {
  return ctx.once([withoutNul(x, 'JSON', ctx)], ([y]) => computed('text', ctx.engine.jsonString(y!.sql))).sql;
}

/** The JSON of a value, never NULL. */
export function asJson(x: Value, ctx: Context): Template {
  switch (x.kind) {
    case 'null':
      return ["'null'"];
    case 'text': {
      if (x.json === 'some') throw new NotNative('text that is JSON in some rows');
      const text = x.json === 'all' ? x.sql : quoted(x, ctx);
      return x.notNull ? text : sql`COALESCE(${text}, 'null')`;
    }
    case 'integer':
    case 'boolean': {
      const text = toText(x).sql;
      return x.notNull ? text : sql`COALESCE(${text}, 'null')`;
    }
    case 'real':
    case 'number':
    case 'blob':
      throw new NotNative(`${x.kind} as JSON`);
  }
}

/** The name of a member. A NULL is SQLite's to refuse. */
export function label(x: Value, ctx: Context): Template {
  if (x.kind !== 'text') throw new NotNative('label of an object that is no text');
  const { json: _, ...text } = x;
  const quoted = asJson({ ...text, notNull: true }, ctx);
  return x.notNull ? quoted : sql`COALESCE(${quoted}, ${ctx.engine.failing('VARCHAR')})`;
}
