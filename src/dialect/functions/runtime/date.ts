// Dates and times as SQLite reads, changes and writes them (lang_datefunc.html, date.c). Local time is UTC:
// a gateway has no place.
import { isSpace, readReal, type SqlValue, toReal, toText } from './number-text.ts';

const DAY = 86_400_000;
/** Julian day number 0 to the end of the year 9999, in milliseconds. */
const MAX_JULIAN = 464269060799999;
/** Julian day number of 1970-01-01, in milliseconds. */
const UNIX_EPOCH = 210866760000000;

class Moment {
  /** Milliseconds since julian day 0. */
  julian = 0;
  validJulian = false;
  year = 2000;
  month = 1;
  day = 1;
  validDate = false;
  hour = 0;
  minute = 0;
  second = 0;
  validTime = false;
  /** Minutes east of UTC. */
  zone = 0;
  /** A number whose meaning a modifier may still change. */
  raw = false;
  failed = false;

  computeJulian(): void {
    if (this.validJulian) return;
    let { year, month } = this.validDate ? this : { year: 2000, month: 1 };
    const day = this.validDate ? this.day : 1;
    if (year < -4713 || year > 9999 || this.raw) {
      this.fail();
      return;
    }
    if (month <= 2) {
      year--;
      month += 12;
    }
    const a = Math.trunc(year / 100);
    const b = 2 - a + Math.trunc(a / 4);
    const x1 = Math.trunc((36525 * (year + 4716)) / 100);
    const x2 = Math.trunc((306001 * (month + 1)) / 10000);
    this.julian = Math.trunc((x1 + x2 + day + b - 1524.5) * DAY);
    this.validJulian = true;
    if (!this.validTime) return;
    this.julian += this.hour * 3_600_000 + this.minute * 60_000 + Math.trunc(this.second * 1000 + 0.5);
    if (this.zone === 0) return;
    this.julian -= this.zone * 60_000;
    this.validDate = false;
    this.validTime = false;
    this.zone = 0;
  }

  computeDate(): void {
    if (this.validDate) return;
    if (!this.validJulian) {
      this.year = 2000;
      this.month = 1;
      this.day = 1;
    } else if (!this.inRange()) {
      this.fail();
      return;
    } else {
      const z = Math.trunc((this.julian + DAY / 2) / DAY);
      let a = Math.trunc((z - 1867216.25) / 36524.25);
      a = z + 1 + a - Math.trunc(a / 4);
      const b = a + 1524;
      const c = Math.trunc((b - 122.1) / 365.25);
      const d = Math.trunc((36525 * (c & 32767)) / 100);
      const e = Math.trunc((b - d) / 30.6001);
      this.day = b - d - Math.trunc(30.6001 * e);
      this.month = e < 14 ? e - 1 : e - 13;
      this.year = this.month > 2 ? c - 4716 : c - 4715;
    }
    this.validDate = true;
  }

  computeTime(): void {
    if (this.validTime) return;
    this.computeJulian();
    const inDay = (this.julian + DAY / 2) % DAY;
    const seconds = Math.trunc(inDay / 1000);
    this.hour = Math.trunc(seconds / 3600);
    this.minute = Math.trunc((seconds % 3600) / 60);
    this.second = (seconds % 60) + (inDay % 1000) / 1000;
    this.raw = false;
    this.validTime = true;
  }

  computeBoth(): void {
    this.computeDate();
    this.computeTime();
  }

  forgetParts(): void {
    this.validDate = false;
    this.validTime = false;
    this.zone = 0;
  }

  inRange(): boolean {
    return this.julian >= 0 && this.julian <= MAX_JULIAN;
  }

  setJulian(julian: number): void {
    this.julian = julian;
    this.validJulian = true;
    this.raw = false;
    this.forgetParts();
  }

  setRaw(value: number): void {
    this.second = value;
    this.raw = true;
    if (value >= 0 && value < 5373484.5) {
      this.julian = Math.trunc(value * DAY + 0.5);
      this.validJulian = true;
    }
  }

  fail(): void {
    this.failed = true;
    this.julian = 0;
    this.validJulian = false;
    this.forgetParts();
  }
}

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
  into.second = Number(second) + Number(fraction === '' ? 0 : `0${fraction}`);
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
  if (into.zone !== 0) into.computeJulian();
  return true;
}

function readMoment(value: SqlValue, now: number | undefined): Moment | undefined {
  const moment = new Moment();
  if (typeof value === 'bigint' || typeof value === 'number') {
    moment.setRaw(toReal(value));
    return moment;
  }
  if (value === null) return undefined;
  const text = toText(value);
  if (readDate(text, moment) || readTime(text, moment)) return moment;
  if (text.toLowerCase() === 'now' && now !== undefined) {
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

/** `NNN days` and its like, and `+HH:MM:SS.SSS`. */
function shift(moment: Moment, text: string): boolean {
  let end = 1;
  while (end < text.length && text[end] !== ':' && !isSpace(text.charCodeAt(end))) end++;
  const { value, form } = readReal(text.slice(0, end));
  if (form !== 'integer' && form !== 'real') return false;
  if (text[end] === ':') {
    const time = new Moment();
    if (!readTime(/^\d/.test(text) ? text : text.slice(1), time)) return false;
    time.computeJulian();
    const inDay = (time.julian - DAY / 2) % DAY;
    moment.computeJulian();
    moment.forgetParts();
    moment.julian += text[0] === '-' ? -inDay : inDay;
    return true;
  }
  const word = text.slice(end).replace(/^\s+/, '');
  if (word.length > 10 || word.length < 3) return false;
  const name = word.endsWith('s') ? word.slice(0, -1) : word;
  const unit = UNITS[name];
  moment.computeJulian();
  if (unit === undefined || value <= -unit[0] || value >= unit[0]) return false;
  let rest = value;
  if (name === 'month' || name === 'year') {
    const whole = Math.trunc(value);
    moment.computeBoth();
    if (name === 'year') moment.year += whole;
    else {
      moment.month += whole;
      const years = Math.trunc((moment.month > 0 ? moment.month - 1 : moment.month - 12) / 12);
      moment.year += years;
      moment.month -= years * 12;
    }
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
    if (modifier === null || !modify(moment, toText(modifier), i)) return undefined;
  }
  moment.computeJulian();
  return moment.failed || !moment.inRange() ? undefined : moment;
}

export type { Moment };
