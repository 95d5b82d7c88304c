// A moment as the rules of dates see it: the engine's TIMESTAMP, and the text that it was read from.
import type { Engine } from '../engine.ts';
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';

/** A moment within a whole second, or within a whole millisecond. */
export interface Moment {
  /** TIMESTAMP SQL in years 0 to 9999. */
  readonly stamp: Template;
  /** The text that it was read from, where that is YYYY-MM-DD or YYYY-MM-DD HH:MM:SS. */
  readonly text: { readonly sql: Template; readonly timed: boolean } | undefined;
  readonly notNull: boolean;
}

/** YYYY-MM-DD */
export function dateText({ stamp, text }: Moment, engine: Engine): Template {
  if (text === undefined) return engine.formatted(stamp, '%Y-%m-%d');
  return text.timed ? sql`substring(${text.sql}, 1, 10)` : text.sql;
}
/** HH:MM:SS */
export function timeText({ stamp, text }: Moment, engine: Engine): Template {
  if (text === undefined) return engine.formatted(stamp, '%H:%M:%S');
  return text.timed
    ? sql`substring(${text.sql}, 12, 8)`
    : sql`CASE WHEN ${text.sql} IS NOT NULL THEN '00:00:00' END`;
}

/** Of whole seconds no millisecond is left over; 'now' is after 1970. */
export const unixSeconds = ({ stamp }: Moment, engine: Engine): Template =>
  engine.quotient(engine.milliseconds(stamp), ['1000']);
