// Aggregates that put texts together in the order of the rows: group_concat(), string_agg(), json_group_array(),
// json_group_object().
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed } from '../operators/computed.ts';
import { toText } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import { type Around, nullAggregate } from './around.ts';
import { asJson, label } from './json-value.ts';

function check(what: string, { distinct, grouped }: Around, { engine }: Context): void {
  // In order of first appearance, which the engine's DISTINCT does not keep.
  if (distinct) throw new NotNative(`${what} of distinct values`);
  // SQLite writes one long text in the order of its scan; an engine that sorts its parts first takes longer.
  if (!grouped && !engine.joinsAllRows) throw new NotNative(`${what} of all rows`);
}

/** Texts of what is not NULL, each but the first with its separator before it (lang_aggfunc.html#group_concat). */
export function groupConcat(args: readonly Value[], around: Around, ctx: Context): Value {
  const [x, separator] = args as [Value, Value | undefined];
  check('group_concat', around, ctx);
  if (x.kind === 'null') return nullAggregate('text', around);
  if (separator !== undefined && separator.kind !== 'null' && separator.literal === undefined)
    throw new NotNative('group_concat with a separator that is no literal');
  const by = separator === undefined ? ["','"] : separator.kind === 'null' ? ["''"] : toText(separator).sql;
  return computed('text', ctx.engine.joined(around.over, toText(x).sql, by));
}

/** The order of items is the order of rows, as for group_concat (json1.html section 4.15). */
function jsonList(around: Around, item: Template, open: string, close: string, ctx: Context): Value {
  check('JSON', around, ctx);
  const all = ctx.engine.joined(around.over, item, ["','"]);
  return { ...computed('text', sql`('${open}' || COALESCE(${all}, '') || '${close}')`, true), json: 'all' };
}

export function groupArray([x]: readonly Value[], around: Around, ctx: Context): Value {
  return jsonList(around, asJson(x!, ctx), '[', ']', ctx);
}

export function groupObject([name, value]: readonly Value[], around: Around, ctx: Context): Value {
  const member = ctx.engine.concatAll([label(name!, ctx), ["':'"], asJson(value!, ctx)]);
  return jsonList(around, member, '{', '}', ctx);
}
