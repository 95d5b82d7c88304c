// The fields of strftime() (lang_datefunc.html section 4): parts of the text that a moment was read from, or numbers
// that the engine takes from its TIMESTAMP.
import type { Engine } from '../engine.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import { dateText, type Moment, timeText, unixSeconds } from './moment.ts';

/** Places in YYYY-MM-DD and HH:MM:SS, and what the engine calls it. */
const OF_DATE: Readonly<Record<string, readonly [number, number, string]>> = {
  Y: [1, 4, '%Y'],
  m: [6, 2, '%m'],
  d: [9, 2, '%d'],
};
const OF_TIME: Readonly<Record<string, readonly [number, number, string]>> = {
  H: [1, 2, '%H'],
  M: [4, 2, '%M'],
  S: [7, 2, '%S'],
  R: [1, 5, '%H:%M'],
};

export function dateField(field: string, moment: Moment, engine: Engine): Template {
  const { stamp, text } = moment;
  const ofDate = OF_DATE[field];
  if (ofDate !== undefined)
    return text === undefined
      ? engine.formatted(stamp, ofDate[2])
      : sql`substring(${text.sql}, ${ofDate[0]}, ${ofDate[1]})`;
  const ofTime = OF_TIME[field];
  if (ofTime !== undefined)
    return text === undefined
      ? engine.formatted(stamp, ofTime[2])
      : sql`substring(${timeText(moment, engine)}, ${ofTime[0]}, ${ofTime[1]})`;
  switch (field) {
    case 'F':
      return dateText(moment, engine);
    case 'T':
      return timeText(moment, engine);
    case '%':
      return ["'%'"];
    case 'j':
      return sql`lpad(CAST(${engine.dayOf('year', stamp)} AS VARCHAR), 3, '0')`;
    case 's':
      return sql`CAST(${unixSeconds(moment, engine)} AS VARCHAR)`;
    case 'u':
      return sql`CAST(${engine.dayOf('iso week', stamp)} AS VARCHAR)`;
    case 'w':
      return sql`CAST(${engine.dayOf('week', stamp)} AS VARCHAR)`;
    case 'W':
      return week(sql`${engine.dayOf('iso week', stamp)} - 1`, stamp, engine);
    case 'U':
      return week(engine.dayOf('week', stamp), stamp, engine);
    default:
      throw new NotNative(`strftime %${field}`);
  }
}

/** The number of the week, whose first day is the one with number 0. */
function week(day: Template, stamp: Template, engine: Engine): Template {
  const days = sql`(${engine.dayOf('year', stamp)} - 1 - (${day}) + 7)`;
  return sql`lpad(CAST(${engine.wholeWeeks(days)} AS VARCHAR), 2, '0')`;
}
