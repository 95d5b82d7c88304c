// Date and time functions (lang_datefunc.html). The reference refuses them. 'now' must be written in the
// statement: a column's text 'now' gives NULL, so that an answer from data never depends on the clock.

import type { Context } from '../context.ts';
import { computed } from '../operators/computed.ts';
import { toAny, toText } from '../operators/convert.ts';
import { pinnedText } from '../operators/literal.ts';
import type { Template } from '../plan.ts';
import { join, type Kind, sql, type Value } from '../value.ts';
import { isNow } from './runtime/date.ts';
import type { ScalarFunction, ScalarFunctions } from './scalar-function.ts';

const MANY = 127;

const asksForClock = (time: Value, ctx: Context): boolean => isNow(pinnedText(time, ctx) ?? '');

/** The clock, as the engine reads it once a statement; NULL where no argument asks for it. */
function clock(times: readonly Value[], ctx: Context): Template {
  if (times.length > 0 && !times.some((time) => asksForClock(time, ctx))) return ['CAST(NULL AS BIGINT)'];
  ctx.nondeterministic();
  return ['epoch_ms(get_current_timestamp())'];
}

function call(
  name: string,
  kind: Kind,
  times: readonly Value[],
  before: readonly Template[],
  ctx: Context,
  asking: readonly Value[] = times.slice(0, 1),
): Value {
  const args = [clock(asking, ctx), ...before, ...times.map((time) => toAny(time, ctx).sql)];
  return computed(kind, sql`${name}(${join(args, ', ')})`);
}

const simple = (name: string, kind: Kind): ScalarFunction => ({
  min: 0,
  max: MANY,
  rule: (args, ctx) => call(name, kind, args, [], ctx),
});

const current = (name: string): ScalarFunction => ({ ...simple(name, 'text'), max: 0 });

export const DATE: ScalarFunctions = {
  current_date: current('tg_date'),
  current_time: current('tg_time'),
  current_timestamp: current('tg_datetime'),
  date: simple('tg_date', 'text'),
  datetime: simple('tg_datetime', 'text'),
  julianday: simple('tg_julianday', 'real'),
  strftime: {
    min: 1,
    max: MANY,
    rule: ([format, ...times], ctx) =>
      call(
        'tg_strftime',
        'text',
        times,
        [format!.kind === 'null' ? ['CAST(NULL AS VARCHAR)'] : toText(format!).sql],
        ctx,
      ),
  },
  time: simple('tg_time', 'text'),
  timediff: {
    min: 2,
    max: 2,
    rule: (args, ctx) => call('tg_timediff', 'text', args, [], ctx, args),
  },
  // A real where 'subsec' is among the modifiers.
  unixepoch: simple('tg_unixepoch', 'any'),
};
