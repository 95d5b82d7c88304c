// Date and time functions (lang_datefunc.html) of texts that are known to be ISO dates, of integers as seconds with
// 'unixepoch', and of 'now' where it stands in the statement. Formats and modifiers are literals.
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { NotNative } from '../not-native.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { known } from '../operators/known.ts';
import { pinnedText } from '../operators/literal.ts';
import type { Template } from '../plan.ts';
import { join, sql, textLiteral, type Value } from '../value.ts';
import { dateField } from './date-format.ts';
import { type Modifier, modified, modifier } from './date-modifier.ts';
import { dateText, type Moment, timeText, unixSeconds } from './moment.ts';
import type { ScalarFunction, ScalarFunctions } from './scalar-function.ts';

const MANY = 127;

/** 1-01-01 and 9999-12-31 23:59:59 as seconds since 1970: years as the engine writes them. */
const FIRST_SECOND = -62135596800n;
const LAST_SECOND = 253402300799n;

function momentOf([time, ...rest]: readonly Value[], ctx: Context): Moment | undefined {
  const modifiers = rest.map((value): string => {
    const text = pinnedText(value, ctx);
    if (text === undefined) throw new NotNative('date modifier that is no literal');
    return text.toLowerCase();
  });
  if (time === undefined) return applied(clock(ctx), modifiers, ctx);
  if (time.kind === 'null') return undefined;
  if (time.kind === 'integer' && modifiers[0] === 'unixepoch')
    return applied(ofSeconds(time, ctx), modifiers.slice(1), ctx);
  if (pinnedText(time, ctx)?.toLowerCase() === 'now') return applied(clock(ctx), modifiers, ctx);
  const { dates } = known(time, ctx);
  if (time.kind !== 'text' || dates === undefined) throw new NotNative('date of what is no ISO date');
  const text = { sql: time.sql, timed: dates === 'datetime' };
  return applied({ stamp: sql`CAST(${time.sql} AS TIMESTAMP)`, text, notNull: time.notNull }, modifiers, ctx);
}

function clock(ctx: Context): Moment {
  ctx.nondeterministic();
  return { stamp: [ctx.engine.now()], text: undefined, notNull: true };
}

function ofSeconds(time: Value, ctx: Context): Moment {
  const { min, max } = known(time, ctx);
  const inRange = min !== undefined && max !== undefined && min >= FIRST_SECOND && max <= LAST_SECOND;
  const seconds = inRange
    ? time.sql
    : sql`CASE WHEN ${time.sql} BETWEEN ${String(FIRST_SECOND)} AND ${String(LAST_SECOND)} THEN ${time.sql} WHEN ${time.sql} IS NOT NULL THEN ${ctx.engine.failing('BIGINT')} END`;
  return { stamp: ctx.engine.ofSeconds([...seconds]), text: undefined, notNull: time.notNull };
}

function applied(moment: Moment, texts: readonly string[], { engine }: Context): Moment {
  const modifiers = texts.map((text): Modifier => {
    const found = modifier(text);
    if (found === undefined) throw new NotNative(`date modifier ${text.slice(0, 20)}`);
    return found;
  });
  return modifiers.reduce((made, one) => modified(made, one, engine), moment);
}

function dateTimeText(moment: Moment, engine: Engine): Template {
  const { stamp, text } = moment;
  if (text === undefined) return engine.formatted(stamp, '%Y-%m-%d %H:%M:%S');
  return text.timed ? text.sql : sql`(${text.sql} || ' 00:00:00')`;
}

/** Milliseconds of a julian day that began at noon, as SQLite counts them: at 1970. */
const JULIAN_EPOCH = '210866760000000';

const julianDay = ({ stamp }: Moment, engine: Engine): Template =>
  sql`((${engine.milliseconds(stamp)} + ${JULIAN_EPOCH}) / 86400000e0)`;

/** What a text that was made of digits here is. */
const DATES: Readonly<Record<string, 'date' | 'datetime'>> = {
  date: 'date',
  datetime: 'datetime',
  '%Y-%m-%d': 'date',
  '%Y-%m-%d %H:%M:%S': 'datetime',
};

function asText(name: string, moment: Moment, text: Template): Value {
  const dates = DATES[name];
  return {
    ...computed('text', text, moment.notNull),
    known: () => ({ ascii: true, noNul: true, ...(dates === undefined ? {} : { dates }) }),
  };
}

const textFunction = (name: string, write: (moment: Moment, engine: Engine) => Template): ScalarFunction => ({
  min: 0,
  max: MANY,
  rule: (args, ctx) => {
    const moment = momentOf(args, ctx);
    return moment === undefined ? nullOf('text') : asText(name, moment, write(moment, ctx.engine));
  },
});

const current = (name: string, write: (moment: Moment, engine: Engine) => Template): ScalarFunction => ({
  ...textFunction(name, write),
  max: 0,
});

function strftime([format, ...times]: readonly Value[], ctx: Context): Value {
  if (format!.kind === 'null') return nullOf('text');
  const text = pinnedText(format!, ctx);
  if (text === undefined || text.includes('\0')) throw new NotNative('strftime with such a format');
  const moment = momentOf(times, ctx);
  if (moment === undefined) return nullOf('text');
  // A format that the engine reads alike, in one go.
  if (moment.text === undefined && /^(?:%[YmdHMS]|[^%])+$/.test(text))
    return asText(text, moment, ctx.engine.formatted(moment.stamp, text));
  const pieces: Template[] = [];
  for (const [all, field, plain] of text.matchAll(/%(.?)|([^%]+)/gsu))
    pieces.push(plain === undefined ? dateField(field ?? all, moment, ctx.engine) : [textLiteral(plain)]);
  // A text without any field is that text wherever the moment is one.
  pieces.push(sql`CASE WHEN ${moment.stamp} IS NOT NULL THEN '' END`);
  const fields = pieces.length > 1 && /%[^%]/.test(text) ? pieces.slice(0, -1) : pieces;
  return asText(text, moment, fields.length === 1 ? fields[0]! : sql`(${join(fields, ' || ')})`);
}

export const DATE: ScalarFunctions = {
  current_date: current('date', dateText),
  current_time: current('time', timeText),
  current_timestamp: current('datetime', dateTimeText),
  date: textFunction('date', dateText),
  datetime: textFunction('datetime', dateTimeText),
  time: textFunction('time', timeText),
  julianday: {
    min: 0,
    max: MANY,
    rule: (args, ctx) => {
      const moment = momentOf(args, ctx);
      return moment === undefined
        ? nullOf('real')
        : computed('real', julianDay(moment, ctx.engine), moment.notNull);
    },
  },
  strftime: { min: 1, max: MANY, rule: strftime },
  unixepoch: {
    min: 0,
    max: MANY,
    rule: (args, ctx) => {
      const moment = momentOf(args, ctx);
      return moment === undefined
        ? nullOf('integer')
        : computed('integer', unixSeconds(moment, ctx.engine), moment.notNull);
    },
  },
};
