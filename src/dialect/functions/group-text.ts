// Aggregates that put texts together in the order of the rows: group_concat(), string_agg(), json_group_array(),
// json_group_object().
import type { Context } from '../context.ts';
import { collated } from '../operators/collation.ts';
import { computed } from '../operators/computed.ts';
import { toText } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import { type Around, nullAggregate } from './around.ts';
import { asJson } from './json-value.ts';

/** A text that two values share where DISTINCT takes them as equal: 1 and 1.0, but not '1'. */
function distinctText(x: Value, text: Template, ctx: Context): Template {
  const collation = x.collation?.name ?? 'binary';
  if (x.kind === 'text') return collated(x, collation, ctx).sql;
  return x.kind === 'any' ? sql`tg_distinct_key(${x.sql}, '${collation}')` : text;
}

/** Texts of what is not NULL, each but the first with its separator before it (lang_aggfunc.html#group_concat). */
export function groupConcat(args: readonly Value[], around: Around, ctx: Context): Value {
  const [x, separator] = args as [Value, Value | undefined];
  if (x.kind === 'null') return nullAggregate('text', around);
  const text = toText(x).sql;
  if (around.distinct) {
    // In order of first appearance, which the engine's DISTINCT does not keep.
    const key = distinctText(x, text, ctx);
    const list = (of: Template): Template =>
      sql`CAST(to_json(${around.over('list', [of], { distinct: false, ordered: true, where: sql`${x.sql} IS NOT NULL` })}) AS VARCHAR)`;
    return computed('text', sql`tg_join_distinct(${list(text)}, ${list(key)})`);
  }
  if (separator === undefined || separator.kind === 'null' || separator.literal !== undefined) {
    const by = separator === undefined ? ["','"] : separator.kind === 'null' ? ["''"] : toText(separator).sql;
    return computed('text', around.over('string_agg', [text, by], { ordered: true }));
  }
  const before = sql`COALESCE(${toText(separator).sql}, '')`;
  const all = around.over('string_agg', [sql`${before} || ${text}`, ["''"]], { ordered: true });
  const first = around.over('first', [sql`length(${before})`], {
    ordered: true,
    where: sql`${x.sql} IS NOT NULL`,
  });
  return computed('text', sql`substring(${all}, ${first} + 1)`);
}

/** The order of items is the order of rows, as for group_concat (json1.html section 4.15). */
function jsonList(around: Around, item: Template, open: string, close: string): Value {
  const all = around.over('string_agg', [item, ["','"]], { ordered: true, distinct: false });
  return { ...computed('text', sql`('${open}' || COALESCE(${all}, '') || '${close}')`, true), json: true };
}

export function groupArray(args: readonly Value[], around: Around, ctx: Context): Value {
  const x = args[0]!;
  const item = asJson(x, ctx);
  if (!around.distinct) return jsonList(around, item, '[', ']');
  const list = (of: Template): Template =>
    sql`CAST(to_json(${around.over('list', [of], { distinct: false, ordered: true })}) AS VARCHAR)`;
  // NULL is a value here, so that keys of others get a letter before them.
  const key = x.kind === 'null' ? item : sql`COALESCE('=' || ${distinctText(x, item, ctx)}, '')`;
  const all = ctx.once([computed('text', list(item)), computed('text', list(key))], ([l, k]) =>
    computed('text', sql`tg_join_distinct(${l!.sql}, ${k!.sql})`),
  );
  return { ...computed('text', sql`('[' || COALESCE(${all.sql}, '') || ']')`, true), json: true };
}

export function groupObject(args: readonly Value[], around: Around, ctx: Context): Value {
  const [name, value] = args as [Value, Value];
  const { json: _, asJson: __, ...text } = toText(name);
  const label = name.kind === 'null' ? ["''"] : asJson({ ...text, notNull: true }, ctx);
  const pair = sql`COALESCE(${label}, '') || ':' || ${asJson(value, ctx)}`;
  return jsonList(around, pair, '{', '}');
}
