// A real written by printf's %f, %e and %g as SQLite 3.39 does it (printf.c sqlite3_str_vappendf): digits are
// taken off one by one in long doubles, at most 16 (26 with `!`) of them significant. No width, no padding.
import {
  add,
  compare,
  divide,
  fromDouble,
  type LongDouble,
  multiply,
  split,
  toDouble,
} from './long-double.ts';

export interface RealFormat {
  readonly conversion: 'f' | 'e' | 'E' | 'g' | 'G';
  readonly precision: number;
  /** `#` */
  readonly alternate?: boolean;
  /** `!` */
  readonly alternate2?: boolean;
  /** What stands before a number that is not negative: `+`, a space, or nothing. */
  readonly plus?: string;
}

const TEN = fromDouble(10);
const ONE = fromDouble(1);
const constant = (value: number) => fromDouble(value);
const E100 = constant(1e100);
const E10 = constant(1e10);
const E8 = constant(1e8);
const E_8 = constant(1e-8);
const TENTH = constant(0.1);
// printf.c arRound
const ROUNDERS = [5e-1, 5e-2, 5e-3, 5e-4, 5e-5, 5e-6, 5e-7, 5e-8, 5e-9, 5e-10];

/**
 * The engine's own conversion is right except where long doubles lose more (large exponents) or the next digits
 * are so near to a half that they may differ.
 */
function quick(value: number): string | undefined {
  if (value > 1e25 || value < 1e-20) return undefined;
  const digits = value.toExponential(20);
  const after = digits.slice(16, 19);
  if (after === '500' || after === '499') return undefined;
  const [mantissa, exponentText] = value.toExponential(14).split('e') as [string, string];
  const exponent = Number(exponentText);
  const all = mantissa[0]! + mantissa.slice(2);
  const trimmed = all.replace(/0+$/, '');
  if (exponent < -4 || exponent > 14) {
    const size = Math.abs(exponent);
    return `${all[0]}.${trimmed.slice(1) || '0'}e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${trimmed}`;
  return `${all.slice(0, exponent + 1)}.${trimmed.slice(exponent + 1) || '0'}`;
}

/** Infinity is `Inf`, as SQLite prints it. */
export function formatReal(value: number, format: RealFormat): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 ? '-' : (format.plus ?? '');
  const magnitude = Math.abs(value);
  if (magnitude === Number.POSITIVE_INFINITY) return `${sign}Inf`;
  if (format.conversion === 'g' && format.precision === 15 && format.alternate2 && magnitude !== 0) {
    const text = format.alternate ? undefined : quick(magnitude);
    if (text !== undefined) return sign + text;
  }
  return sign + digits(magnitude, format);
}

function rounderOf(precision: number): number {
  let index = precision & 0xfff;
  let rounder = ROUNDERS[index % 10]!;
  for (; index >= 10; index -= 10) rounder *= 1e-10;
  return rounder;
}

const view = new DataView(new ArrayBuffer(8));
function binaryExponent(value: number): number {
  view.setFloat64(0, value);
  return ((view.getUint16(0) >> 4) & 0x7ff) - 1023;
}

function normalize(value: LongDouble): { readonly value: LongDouble; readonly exponent: number } {
  if (value.significand === 0n) return { value, exponent: 0 };
  let scale = ONE;
  let exponent = 0;
  for (; compare(value, multiply(E100, scale)) >= 0; exponent += 100) scale = multiply(scale, E100);
  for (; compare(value, multiply(E10, scale)) >= 0; exponent += 10) scale = multiply(scale, E10);
  for (; compare(value, multiply(TEN, scale)) >= 0; exponent++) scale = multiply(scale, TEN);
  let x = divide(value, scale);
  for (; compare(x, E_8) < 0; exponent -= 8) x = multiply(x, E8);
  for (; compare(x, ONE) < 0; exponent--) x = multiply(x, TEN);
  return { value: x, exponent };
}

function digits(magnitude: number, format: RealFormat): string {
  const general = format.conversion === 'g' || format.conversion === 'G';
  let precision = format.precision;
  if (general && precision > 0) precision--;
  let rounder = rounderOf(precision);
  let real = fromDouble(magnitude);
  if (format.conversion === 'f') {
    if (precision + Math.trunc(binaryExponent(magnitude) / 3) < 15) {
      // In C: rounder += realvalue * 3e-16, in long doubles, then kept as a double.
      rounder = rounderPlus(rounder, real);
    }
    real = add(real, fromDouble(rounder));
  }
  const normal = normalize(real);
  real = normal.value;
  let exponent = normal.exponent;
  if (format.conversion !== 'f') {
    real = add(real, fromDouble(rounder));
    if (compare(real, TEN) >= 0) {
      real = multiply(real, TENTH);
      exponent++;
    }
  }
  let exponential = format.conversion === 'e' || format.conversion === 'E';
  let removeZeros = format.alternate2 === true;
  if (general) {
    removeZeros = format.alternate !== true;
    exponential = exponent < -4 || exponent > precision;
    if (!exponential) precision -= exponent;
  }
  let significant = 16 + (format.alternate2 ? 10 : 0);
  const next = (): string => {
    if (significant <= 0) return '0';
    significant--;
    const { whole, rest } = split(real);
    real = multiply(rest, TEN);
    return String(whole);
  };
  const point = precision > 0 || format.alternate === true || format.alternate2 === true;
  let out = '';
  let place = exponential ? 0 : exponent;
  if (place < 0) out += '0';
  for (; place >= 0; place--) out += next();
  if (point) out += '.';
  for (place++; place < 0; place++, precision--) out += '0';
  while (precision-- > 0) out += next();
  if (removeZeros && point) {
    out = out.replace(/0+$/, '');
    if (out.endsWith('.')) out = format.alternate2 ? `${out}0` : out.slice(0, -1);
  }
  if (!exponential) return out;
  const size = Math.abs(exponent);
  const letter = format.conversion === 'E' || format.conversion === 'G' ? 'E' : 'e';
  return `${out}${letter}${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
}

function rounderPlus(rounder: number, real: LongDouble): number {
  return toDouble(add(fromDouble(rounder), multiply(real, constant(3e-16))));
}
