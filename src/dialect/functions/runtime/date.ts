// Dates and times as SQLite reads and changes them (lang_datefunc.html, date.c). Local time is UTC: a gateway has
// no place.
import { DAY, Moment, UNIX_EPOCH } from './moment.ts';
import { isSpace, readReal, type SqlValue, toReal, toText } from './number-text.ts';
import { untilNul } from './text.ts';

const DATE = /^(-?)(\d{4})-(\d{2})-(\d{2})/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?/;
const ZONE = /^\s*(?:([+-])(\d{2}):(\d{2})\s*|[zZ]\s*)?$/;

/** HH:MM, HH:MM:SS, HH:MM:SS.SSS and a time zone. */
function readTime(text: string, into: Moment): boolean {
  const found = TIME.exec(text);
  if (found === null) return false;
  const [all, hour, minute, second = '0', fraction = ''] = found;
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 59) return false;
  const zone = ZONE.exec(text.slice(all.length));
  if (zone === null || Number(zone[2] ?? 0) > 14 || Number(zone[3] ?? 0) > 59) return false;
  into.validJulian = false;
  into.raw = false;
  into.validTime = true;
  into.hour = Number(hour);
  into.minute = Number(minute);
  into.second = Number(second) + Math.min(Number(fraction === '' ? 0 : `0${fraction}`), 0.999);
  into.zone = (Number(zone[2] ?? 0) * 60 + Number(zone[3] ?? 0)) * (zone[1] === '-' ? -1 : 1);
  return true;
}

function readDate(text: string, into: Moment): boolean {
  const found = DATE.exec(text);
  if (found === null) return false;
  const [all, sign, year, month, day] = found as unknown as [string, string, string, string, string];
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return false;
  const rest = text.slice(all.length).replace(/^[\sT]+/, '');
  if (rest === '') into.validTime = false;
  else if (!readTime(rest, into)) return false;
  into.validJulian = false;
  into.validDate = true;
  into.year = Number(year) * (sign === '-' ? -1 : 1);
  into.month = Number(month);
  into.day = Number(day);
  into.computeOverflow();
  if (into.zone !== 0) into.computeJulian();
  return true;
}

/** Whether a time value asks for the clock. */
export function isNow(text: string): boolean {
  return ['now', 'subsec', 'subsecond'].includes(text.toLowerCase());
}

function readMoment(value: SqlValue, now: number | undefined): Moment | undefined {
  const moment = new Moment();
  if (typeof value === 'bigint' || typeof value === 'number') {
    moment.setRaw(toReal(value));
    return moment;
  }
  if (value === null) return undefined;
  const text = untilNul(toText(value));
  if (readDate(text, moment) || readTime(text, moment)) return moment;
  if (isNow(text) && now !== undefined) {
    moment.fractional = text.toLowerCase() !== 'now';
    moment.setJulian(now + UNIX_EPOCH);
    return moment;
  }
  const { value: number, form } = readReal(text);
  if (form !== 'integer' && form !== 'real') return undefined;
  moment.setRaw(number);
  return moment;
}

/** Name, the number of units where the julian day would leave its range, and seconds of a unit. */
const UNITS: Readonly<Record<string, readonly [number, number]>> = {
  second: [4.6427e14, 1],
  minute: [7.7379e12, 60],
  hour: [1.2897e11, 3600],
  day: [5373485, 86400],
  month: [176546, 2592000],
  year: [14713, 31536000],
};

/** lang_datefunc.html section 3. False: not a modifier, or not here. */
function modify(moment: Moment, text: string, position: number): boolean {
  const lower = text.toLowerCase();
  switch (lower) {
    case 'auto':
      return position === 1 && auto(moment);
    case 'julianday':
      if (position !== 1 || !moment.validJulian || !moment.raw) return false;
      moment.raw = false;
      return true;
    case 'unixepoch': {
      if (position !== 1 || !moment.raw) return false;
      const julian = moment.second * 1000 + UNIX_EPOCH;
      if (julian < 0 || julian >= 464269060800000) return false;
      moment.setJulian(Math.trunc(julian + 0.5));
      return true;
    }
    case 'ceiling':
      moment.computeJulian();
      moment.forgetParts();
      moment.overflow = 0;
      return true;
    case 'floor':
      moment.computeJulian();
      moment.julian -= moment.overflow * DAY;
      moment.forgetParts();
      return true;
    case 'subsec':
    case 'subsecond':
      moment.fractional = true;
      return true;
    case 'localtime':
    case 'utc':
      moment.computeJulian();
      moment.setJulian(moment.julian);
      return true;
  }
  if (lower.startsWith('weekday ')) return weekday(moment, lower.slice(8));
  if (lower.startsWith('start of ')) return startOf(moment, lower.slice(9));
  return /^[+\-\d]/.test(lower) && shift(moment, lower);
}

function auto(moment: Moment): boolean {
  if (!moment.raw || moment.validJulian) {
    moment.raw = false;
    return true;
  }
  if (moment.second < -210866760000 || moment.second > 253402300799) return false;
  moment.setJulian(Math.trunc(moment.second * 1000 + UNIX_EPOCH + 0.5));
  return true;
}

function weekday(moment: Moment, text: string): boolean {
  const { value, form } = readReal(text);
  if ((form !== 'integer' && form !== 'real') || value < 0 || value >= 7 || !Number.isInteger(value))
    return false;
  moment.computeBoth();
  moment.zone = 0;
  moment.validJulian = false;
  moment.computeJulian();
  let current = Math.trunc((moment.julian + 129_600_000) / DAY) % 7;
  if (current > value) current -= 7;
  moment.julian += (value - current) * DAY;
  moment.forgetParts();
  return true;
}

function startOf(moment: Moment, unit: string): boolean {
  if (!moment.validJulian && !moment.validDate && !moment.validTime) return false;
  if (unit !== 'month' && unit !== 'year' && unit !== 'day') return false;
  moment.computeDate();
  moment.validTime = true;
  moment.hour = 0;
  moment.minute = 0;
  moment.second = 0;
  moment.raw = false;
  moment.zone = 0;
  moment.validJulian = false;
  if (unit !== 'day') moment.day = 1;
  if (unit === 'year') moment.month = 1;
  return true;
}

const DAYS = /^([+-])(\d{4,5})-(\d{2})-(\d{2})(?:(\s)(\d{2}:\d{2}.*))?$/s;

/** `+YYYY-MM-DD` and `+YYYY-MM-DD HH:MM:SS`. */
function shiftDate(moment: Moment, found: RegExpExecArray): boolean {
  const [, sign, years, months, days, , time] = found;
  if (Number(months) >= 12 || Number(days) >= 31) return false;
  const by = sign === '-' ? -1 : 1;
  moment.computeBoth();
  moment.validJulian = false;
  moment.year += by * Number(years);
  moment.month += by * Number(months);
  moment.carryMonths();
  moment.computeOverflow();
  moment.computeJulian();
  moment.validDate = false;
  moment.validTime = false;
  moment.julian += by * Number(days) * DAY;
  return time === undefined || shiftTime(moment, time, sign === '-');
}

function shiftTime(moment: Moment, text: string, back: boolean): boolean {
  const time = new Moment();
  if (!readTime(text, time)) return false;
  time.computeJulian();
  const inDay = (time.julian - DAY / 2) % DAY;
  moment.computeJulian();
  moment.forgetParts();
  moment.julian += back ? -inDay : inDay;
  return true;
}

/** `NNN days` and its like, `+HH:MM:SS.SSS` and `+YYYY-MM-DD`. */
function shift(moment: Moment, text: string): boolean {
  const date = DAYS.exec(text);
  if (date !== null) return shiftDate(moment, date);
  let end = 1;
  while (end < text.length && text[end] !== ':' && !isSpace(text.charCodeAt(end))) end++;
  const { value, form } = readReal(text.slice(0, end));
  if (form !== 'integer' && form !== 'real') return false;
  if (text[end] === ':') return shiftTime(moment, /^\d/.test(text) ? text : text.slice(1), text[0] === '-');
  const word = text.slice(end).replace(/^\s+/, '');
  if (word.length > 10 || word.length < 3) return false;
  const name = word.endsWith('s') ? word.slice(0, -1) : word;
  const unit = UNITS[name];
  moment.computeJulian();
  moment.overflow = 0;
  if (unit === undefined || value <= -unit[0] || value >= unit[0]) return false;
  let rest = value;
  if (name === 'month' || name === 'year') {
    const whole = Math.trunc(value);
    moment.computeBoth();
    if (name === 'year') moment.year += whole;
    else {
      moment.month += whole;
      moment.carryMonths();
    }
    moment.computeOverflow();
    moment.validJulian = false;
    rest -= whole;
  }
  moment.computeJulian();
  moment.julian += Math.trunc(rest * 1000 * unit[1] + (value < 0 ? -0.5 : 0.5));
  moment.forgetParts();
  return true;
}

/** @param now milliseconds since 1970, where the statement may ask for it */
export function resolve(values: readonly SqlValue[], now: number | undefined): Moment | undefined {
  const moment = readMoment(values.length === 0 ? 'now' : values[0]!, now);
  if (moment === undefined) return undefined;
  for (let i = 1; i < values.length; i++) {
    const modifier = values[i]!;
    if (modifier === null || !modify(moment, untilNul(toText(modifier)), i)) return undefined;
  }
  moment.computeJulian();
  if (moment.failed || !moment.inRange()) return undefined;
  // The 31st of February is the 3rd of March.
  if (values.length === 1 && moment.validDate && moment.day > 28) moment.validDate = false;
  return moment;
}
