// Modifiers of dates (lang_datefunc.html section 3) as arithmetic on the engine's TIMESTAMPs. SQLite gives NULL past
// the year 9999 and has years before 1: what comes there ends the statement.
import type { Engine } from '../engine.ts';
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import type { Moment } from './moment.ts';

export interface Modifier {
  /** TIMESTAMP SQL from TIMESTAMP SQL. */
  readonly stamp: (stamp: Moment['stamp'], engine: Engine) => Moment['stamp'];
  /** YYYY-MM-DD from that of the moment, where that is all. */
  readonly date?: (date: Template) => Template;
}

const START: Readonly<Record<string, (date: Template) => Template>> = {
  day: (date) => date,
  month: (date) => sql`(substring(${date}, 1, 7) || '-01')`,
  year: (date) => sql`(substring(${date}, 1, 4) || '-01-01')`,
};

const UNITS = ['second', 'minute', 'hour', 'day'] as const;

/** Undefined: none of those that are known here. */
export function modifier(text: string): Modifier | undefined {
  const start = /^start of (day|month|year)$/.exec(text)?.[1];
  const date = START[start ?? ''];
  if (date !== undefined) return { stamp: (stamp) => sql`date_trunc('${start ?? ''}', ${stamp})`, date };
  const weekday = /^weekday ([0-6])$/.exec(text)?.[1];
  if (weekday !== undefined)
    return {
      stamp: (stamp, engine) => {
        const days = sql`(${weekday} - ${engine.dayOf('week', stamp)} + 7) % 7`;
        return inRange(sql`(${engine.later(stamp, days, 'day')})`, stamp, engine);
      },
    };
  const [, sign, number = '', unit = ''] =
    /^([+-]?)(\d{1,6}) (second|minute|hour|day|month|year)s?$/.exec(text) ?? [];
  if (unit === '') return undefined;
  const count = Number(number) * (sign === '-' ? -1 : 1);
  const small = UNITS.find((one) => one === unit);
  if (small !== undefined)
    return {
      stamp: (stamp, engine) => inRange(sql`(${engine.later(stamp, count, small)})`, stamp, engine),
    };
  const months = unit === 'year' ? count * 12 : count;
  // The day of the month stays, and where the month is shorter runs over into the next one.
  return {
    stamp: (stamp, engine) => {
      const month = engine.later(sql`date_trunc('month', ${stamp})`, months, 'month');
      return inRange(sql`(${engine.intoMonth(month, stamp)})`, stamp, engine);
    },
  };
}

function inRange(made: Moment['stamp'], from: Moment['stamp'], engine: Engine): Moment['stamp'] {
  return sql`CASE WHEN ${made} >= TIMESTAMP '0001-01-01' AND ${made} < TIMESTAMP '10000-01-01' THEN ${made} WHEN ${from} IS NOT NULL THEN ${engine.failing('TIMESTAMP')} END`;
}

export function modified(moment: Moment, { stamp, date }: Modifier, engine: Engine): Moment {
  const { text } = moment;
  if (text === undefined || date === undefined)
    return { ...moment, stamp: stamp(moment.stamp, engine), text: undefined };
  const made = date(text.timed ? sql`substring(${text.sql}, 1, 10)` : text.sql);
  return { ...moment, stamp: sql`CAST(${made} AS TIMESTAMP)`, text: { sql: made, timed: false } };
}
