// date(), time(), datetime(), julianday(), unixepoch() and strftime() over the moments of date.ts
// (lang_datefunc.html section 1).
import { type Moment, resolve } from './date.ts';
import type { ArgumentKind, EngineFunction } from './engine-function.ts';
import type { SqlValue } from './number-text.ts';
import { formatReal } from './real-format.ts';

const DAY = 86_400_000;
const pad = (value: number, size: number): string => String(value).padStart(size, '0');
const year = (value: number): string => (value < 0 ? `-${pad(-value, 4)}` : pad(value, 4));

function dateText(moment: Moment): string {
  moment.computeDate();
  return `${year(moment.year)}-${pad(moment.month, 2)}-${pad(moment.day, 2)}`;
}
function timeText(moment: Moment): string {
  moment.computeTime();
  return `${pad(moment.hour, 2)}:${pad(moment.minute, 2)}:${pad(Math.trunc(moment.second), 2)}`;
}
const julianDay = (moment: Moment): number => moment.julian / DAY;
const unixSeconds = (moment: Moment): bigint => BigInt(Math.trunc(moment.julian / 1000) - 210866760000);

function dayOfYear(moment: Moment): number {
  const start = resolve([`${year(moment.year)}-01-01`], undefined)!;
  return Math.trunc((moment.julian + DAY / 2) / DAY) - Math.trunc((start.julian + DAY / 2) / DAY);
}

function seconds(moment: Moment): string {
  const value = Math.min(moment.second, 59.999);
  return formatReal(value, { conversion: 'f', precision: 3 }).padStart(6, '0');
}

function week(moment: Moment): number {
  const weekday = Math.trunc((moment.julian + DAY / 2) / DAY) % 7;
  return Math.trunc((dayOfYear(moment) + 7 - weekday) / 7);
}

const FIELDS: Readonly<Record<string, (moment: Moment) => string>> = {
  d: (moment) => pad(moment.day, 2),
  f: seconds,
  H: (moment) => pad(moment.hour, 2),
  j: (moment) => pad(dayOfYear(moment) + 1, 3),
  J: (moment) => formatReal(julianDay(moment), { conversion: 'g', precision: 16 }),
  m: (moment) => pad(moment.month, 2),
  M: (moment) => pad(moment.minute, 2),
  s: (moment) => String(unixSeconds(moment)),
  S: (moment) => pad(Math.trunc(moment.second), 2),
  w: (moment) => String(Math.trunc((moment.julian + 129_600_000) / DAY) % 7),
  W: (moment) => pad(week(moment), 2),
  Y: (moment) => year(moment.year),
  '%': () => '%',
};

function strftime(moment: Moment, format: string): string | null {
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
  }
  return out;
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
  dateFunction('tg_unixepoch', 'integer', unixSeconds),
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
