// A moment in time as SQLite holds it while it computes (date.c DateTime): a julian day and its parts, each of
// which may be known or not.

export const DAY = 86_400_000;
/** Julian day number 0 to the end of the year 9999, in milliseconds. */
const MAX_JULIAN = 464269060799999;
/** Julian day number of 1970-01-01, in milliseconds. */
export const UNIX_EPOCH = 210866760000000;

export class Moment {
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
  /** Days by which a day of the month passes the month's end. */
  overflow = 0;
  /** Milliseconds are to be shown. */
  fractional = false;
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
      const alpha = Math.trunc((z + 32044.75) / 36524.25) - 52;
      const a = z + 1 + alpha - Math.trunc((alpha + 100) / 4) + 25;
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
    const minutes = Math.trunc(inDay / 60_000);
    this.hour = Math.trunc(minutes / 60);
    this.minute = minutes % 60;
    this.second = (inDay % 60_000) / 1000;
    this.raw = false;
    this.validTime = true;
  }

  computeBoth(): void {
    this.computeDate();
    this.computeTime();
  }

  computeOverflow(): void {
    const { year, month, day } = this;
    if (day <= 28 || [1, 3, 5, 7, 8, 10, 12].includes(month)) this.overflow = 0;
    else if (month !== 2) this.overflow = Number(day === 31);
    else this.overflow = day - (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0) ? 28 : 29);
  }

  /** After months were added: back to 1 to 12. */
  carryMonths(): void {
    const years = Math.trunc((this.month > 0 ? this.month - 1 : this.month - 12) / 12);
    this.year += years;
    this.month -= years * 12;
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

  copy(): Moment {
    return Object.assign(new Moment(), this);
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
