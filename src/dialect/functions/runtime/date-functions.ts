// date(), time(), datetime(), julianday(), unixepoch(), strftime() and timediff() over moments
// (lang_datefunc.html section 1).
import { resolve } from './date.ts';
import type { ArgumentKind, EngineFunction } from './engine-function.ts';
import { DAY, type Moment, UNIX_EPOCH } from './moment.ts';
import type { SqlValue } from './number-text.ts';
import { formatReal } from './real-format.ts';
import { bound, untilNul } from './text.ts';

const pad = (value: number, size: number, fill = '0'): string => String(value).padStart(size, fill);
/** As printf's %04d. */
const year = (value: number): string => (value < 0 ? `-${pad(-value, 3)}` : pad(value, 4));

function dateText(moment: Moment): string {
  moment.computeDate();
  const { year: y } = moment;
  return `${y < 0 ? `-${pad(-y, 4)}` : pad(y, 4)}-${pad(moment.month, 2)}-${pad(moment.day, 2)}`;
}
function timeText(moment: Moment): string {
  moment.computeTime();
  const start = `${pad(moment.hour, 2)}:${pad(moment.minute, 2)}:`;
  if (!moment.fractional) return start + pad(Math.trunc(moment.second), 2);
  const digits = pad(Math.trunc(1000 * moment.second + 0.5), 5);
  return `${start}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}
const julianDay = (moment: Moment): number => moment.julian / DAY;
const unixSeconds = (moment: Moment): bigint => BigInt(Math.trunc(moment.julian / 1000) - UNIX_EPOCH / 1000);

function dayOfYear(moment: Moment): number {
  const start = moment.copy();
  start.validJulian = false;
  start.month = 1;
  start.day = 1;
  start.computeJulian();
  return Math.trunc((moment.julian - start.julian + DAY / 2) / DAY);
}

const fromMonday = (moment: Moment): number => Math.trunc((moment.julian + DAY / 2) / DAY) % 7;
const fromSunday = (moment: Moment): number => Math.trunc((moment.julian + 1.5 * DAY) / DAY) % 7;

function seconds(second: number): string {
  return formatReal(Math.min(second, 59.999), { conversion: 'f', precision: 3 }).padStart(6, '0');
}

/** The Thursday of the moment's week, to whose year the week belongs (ISO 8601). */
function thursday(moment: Moment): Moment {
  const day = moment.copy();
  day.julian += (3 - fromMonday(moment)) * DAY;
  day.validDate = false;
  day.computeDate();
  return day;
}

const hour12 = (hour: number): number => (hour % 12 === 0 ? 12 : hour % 12);
const clock = (moment: Moment): string => `${pad(moment.hour, 2)}:${pad(moment.minute, 2)}`;

function epoch(moment: Moment): string {
  if (!moment.fractional) return String(unixSeconds(moment));
  return formatReal((moment.julian - UNIX_EPOCH) / 1000, { conversion: 'f', precision: 3 });
}

const FIELDS: Readonly<Record<string, (moment: Moment) => string>> = {
  d: ({ day }) => pad(day, 2),
  e: ({ day }) => pad(day, 2, ' '),
  f: ({ second }) => seconds(second),
  F: (moment) => `${year(moment.year)}-${pad(moment.month, 2)}-${pad(moment.day, 2)}`,
  g: (moment) => pad(thursday(moment).year % 100, 2),
  G: (moment) => year(thursday(moment).year),
  H: ({ hour }) => pad(hour, 2),
  I: ({ hour }) => pad(hour12(hour), 2),
  j: (moment) => pad(dayOfYear(moment) + 1, 3),
  J: (moment) => formatReal(julianDay(moment), { conversion: 'g', precision: 16 }),
  k: ({ hour }) => pad(hour, 2, ' '),
  l: ({ hour }) => pad(hour12(hour), 2, ' '),
  m: ({ month }) => pad(month, 2),
  M: ({ minute }) => pad(minute, 2),
  p: ({ hour }) => (hour >= 12 ? 'PM' : 'AM'),
  P: ({ hour }) => (hour >= 12 ? 'pm' : 'am'),
  R: clock,
  s: epoch,
  S: ({ second }) => pad(Math.trunc(second), 2),
  T: (moment) => `${clock(moment)}:${pad(Math.trunc(moment.second), 2)}`,
  u: (moment) => String(fromMonday(moment) + 1),
  U: (moment) => pad(Math.trunc((dayOfYear(moment) - fromSunday(moment) + 7) / 7), 2),
  V: (moment) => pad(Math.trunc(dayOfYear(thursday(moment)) / 7) + 1, 2),
  w: (moment) => String(fromSunday(moment)),
  W: (moment) => pad(Math.trunc((dayOfYear(moment) - fromMonday(moment) + 7) / 7), 2),
  Y: (moment) => year(moment.year),
  '%': () => '%',
};

function strftime(moment: Moment, given: string): string | null {
  const format = untilNul(given);
  moment.computeBoth();
  let out = '';
  for (let at = 0; at < format.length; at++) {
    if (format[at] !== '%') {
      out += format[at];
      continue;
    }
    const field = FIELDS[format[++at] ?? ''];
    if (field === undefined) return null;
    out += field(moment);
    bound(out.length);
  }
  return out;
}

/** Julian day of a month that starts at 1: makes days of a difference. */
const DIFFERENCE_START = 148699540800000;

/** From the second moment to the first, in years, months, days and time (date.c timediffFunc). */
function timeDifference(first: Moment, second: Moment): string {
  const [a, b] = [first.copy(), second.copy()];
  a.computeBoth();
  b.computeBoth();
  const forward = a.julian >= b.julian;
  const again = (): void => {
    b.validJulian = false;
    b.computeJulian();
  };
  let years = forward ? a.year - b.year : b.year - a.year;
  if (years !== 0) {
    b.year = a.year;
    again();
  }
  let months = forward ? a.month - b.month : b.month - a.month;
  if (months < 0) {
    years--;
    months += 12;
  }
  if (months !== 0) {
    b.month = a.month;
    again();
  }
  while (forward ? a.julian < b.julian : a.julian > b.julian) {
    months--;
    if (months < 0) {
      months = 11;
      years--;
    }
    b.month += forward ? -1 : 1;
    if (b.month < 1 || b.month > 12) {
      b.year += forward ? -1 : 1;
      b.month = forward ? 12 : 1;
    }
    again();
  }
  a.setJulian(Math.abs(a.julian - b.julian) + DIFFERENCE_START);
  a.computeBoth();
  const date = `${pad(years, 4)}-${pad(months, 2)}-${pad(a.day - 1, 2)}`;
  return `${forward ? '+' : '-'}${date} ${clock(a)}:${seconds(a.second)}`;
}

type Given = readonly [bigint | null, ...SqlValue[]];

/** @param run gets the moment that the arguments mean */
function dateFunction(
  name: string,
  returns: ArgumentKind,
  run: (moment: Moment) => SqlValue,
): EngineFunction {
  return {
    name,
    args: ['integer'],
    rest: 'any',
    returns,
    takesNull: true,
    run: (...[now, ...values]: Given) => {
      const moment = resolve(values, now === null ? undefined : Number(now));
      return moment === undefined ? null : run(moment);
    },
  };
}

/** All take the time in milliseconds since 1970 first, or NULL where the statement does not ask for it. */
export const DATE_FUNCTIONS: readonly EngineFunction[] = [
  dateFunction('tg_date', 'text', dateText),
  dateFunction('tg_time', 'text', timeText),
  dateFunction('tg_datetime', 'text', (moment) => `${dateText(moment)} ${timeText(moment)}`),
  dateFunction('tg_julianday', 'real', julianDay),
  dateFunction('tg_unixepoch', 'any', (moment) =>
    moment.fractional ? (moment.julian - UNIX_EPOCH) / 1000 : unixSeconds(moment),
  ),
  {
    name: 'tg_timediff',
    args: ['integer', 'any', 'any'],
    returns: 'text',
    takesNull: true,
    run: (now: bigint | null, first: SqlValue, second: SqlValue) => {
      const clock = now === null ? undefined : Number(now);
      const [a, b] = [resolve([first], clock), resolve([second], clock)];
      return a === undefined || b === undefined ? null : timeDifference(a, b);
    },
  },
  {
    name: 'tg_strftime',
    args: ['integer', 'text'],
    rest: 'any',
    returns: 'text',
    takesNull: true,
    run: (now: bigint | null, format: string | null, ...values: SqlValue[]) => {
      const moment = resolve(values, now === null ? undefined : Number(now));
      return moment === undefined || format === null ? null : strftime(moment, format);
    },
  },
];
