// Modifiers of dates (lang_datefunc.html section 3) as arithmetic on the engine's TIMESTAMPs. SQLite gives NULL past
// the year 9999 and has years before 1: what comes there ends the statement.
import { failing } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import type { Moment } from './moment.ts';

export interface Modifier {
  /** TIMESTAMP SQL from TIMESTAMP SQL. */
  readonly stamp: (stamp: Moment['stamp']) => Moment['stamp'];
  /** YYYY-MM-DD from that of the moment, where that is all. */
  readonly date?: (date: Template) => Template;
}

const START: Readonly<Record<string, (date: Template) => Template>> = {
  day: (date) => date,
  month: (date) => sql`(substring(${date}, 1, 7) || '-01')`,
  year: (date) => sql`(substring(${date}, 1, 4) || '-01-01')`,
};

const UNITS: Readonly<Record<string, string>> = {
  second: 'SECOND',
  minute: 'MINUTE',
  hour: 'HOUR',
  day: 'DAY',
};

/** Undefined: none of those that are known here. */
export function modifier(text: string): Modifier | undefined {
  const start = /^start of (day|month|year)$/.exec(text)?.[1];
  const date = START[start ?? ''];
  if (date !== undefined) return { stamp: (stamp) => sql`date_trunc('${start ?? ''}', ${stamp})`, date };
  const weekday = /^weekday ([0-6])$/.exec(text)?.[1];
  if (weekday !== undefined)
    return {
      stamp: (stamp) =>
        inRange(
          sql`(${stamp} + to_days(CAST((${weekday} - dayofweek(${stamp}) + 7) % 7 AS INTEGER)))`,
          stamp,
        ),
    };
  const [, sign, number = '', unit = ''] =
    /^([+-]?)(\d{1,6}) (second|minute|hour|day|month|year)s?$/.exec(text) ?? [];
  if (unit === '') return undefined;
  const count = Number(number) * (sign === '-' ? -1 : 1);
  const engine = UNITS[unit];
  if (engine !== undefined)
    return { stamp: (stamp) => inRange(sql`(${stamp} + INTERVAL (${count}) ${engine})`, stamp) };
  const months = unit === 'year' ? count * 12 : count;
  // The day of the month stays, and where the month is shorter runs over into the next one.
  return {
    stamp: (stamp) =>
      inRange(
        sql`(date_trunc('month', ${stamp}) + INTERVAL (${months}) MONTH + (${stamp} - date_trunc('month', ${stamp})))`,
        stamp,
      ),
  };
}

function inRange(made: Moment['stamp'], from: Moment['stamp']): Moment['stamp'] {
  return sql`CASE WHEN ${made} >= TIMESTAMP '0001-01-01' AND ${made} < TIMESTAMP '10000-01-01' THEN ${made} WHEN ${from} IS NOT NULL THEN ${failing('TIMESTAMP')} END`;
}

export function modified(moment: Moment, { stamp, date }: Modifier): Moment {
  const { text } = moment;
  if (text === undefined || date === undefined)
    return { ...moment, stamp: stamp(moment.stamp), text: undefined };
  const made = date(text.timed ? sql`substring(${text.sql}, 1, 10)` : text.sql);
  return { ...moment, stamp: sql`CAST(${made} AS TIMESTAMP)`, text: { sql: made, timed: false } };
}
