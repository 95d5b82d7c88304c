// The x87 80-bit floating point numbers (64-bit significand, round to nearest even) in which the reference's
// SQLite 3.39 reads and prints reals. Positive numbers and zero only: SQLite strips the sign first.

/** significand * 2^exponent; the significand is 0 or has exactly 64 bits. */
export interface LongDouble {
  readonly significand: bigint;
  readonly exponent: number;
}

const ZERO: LongDouble = { significand: 0n, exponent: 0 };

export function bitLength(value: bigint): number {
  if (value < 0x20000000000000n) {
    const small = Number(value);
    return small === 0
      ? 0
      : small < 0x100000000
        ? 32 - Math.clz32(small)
        : 64 - Math.clz32(small / 0x100000000);
  }
  return value.toString(16).length * 4 - (Math.clz32(Number.parseInt(value.toString(16)[0]!, 16)) - 28);
}

/** value * 2^exponent rounded to `bits` bits; `sticky` says that the true value is a little larger. */
function round(value: bigint, exponent: number, bits: number, sticky: boolean): LongDouble {
  const excess = bitLength(value) - bits;
  if (excess <= 0) return { significand: value << BigInt(-excess), exponent: exponent + excess };
  const shift = BigInt(excess);
  let kept = value >> shift;
  const rest = value & ((1n << shift) - 1n);
  const half = 1n << (shift - 1n);
  if (rest > half || (rest === half && (sticky || (kept & 1n) === 1n))) kept += 1n;
  if (bitLength(kept) > bits) return { significand: kept >> 1n, exponent: exponent + excess + 1 };
  return { significand: kept, exponent: exponent + excess };
}

export function fromInteger(value: bigint): LongDouble {
  return value === 0n ? ZERO : round(value, 0, 64, false);
}

const view = new DataView(new ArrayBuffer(8));

/** @param value finite and not negative */
export function fromDouble(value: number): LongDouble {
  if (value === 0) return ZERO;
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & 0xfffffffffffffn;
  const biased = Number(bits >> 52n) & 0x7ff;
  return biased === 0
    ? round(fraction, -1074, 64, false)
    : round(fraction | 0x10000000000000n, biased - 1075, 64, false);
}

export function toDouble(value: LongDouble): number {
  if (value.significand === 0n) return 0;
  // Below the normal range a double keeps fewer bits.
  const bits = Math.min(53, value.exponent + 64 + 1074);
  if (bits < 0) return 0;
  if (bits === 0) return value.significand > 1n << 63n ? 5e-324 : 0;
  const rounded = round(value.significand, value.exponent, bits, false);
  if (rounded.exponent + bits > 1024) return Number.POSITIVE_INFINITY;
  // In two steps, since 2^-1074 times 2^53 is in range where 2^-1127 is not.
  const half = Math.trunc(rounded.exponent / 2);
  return Number(rounded.significand) * 2 ** half * 2 ** (rounded.exponent - half);
}

export function multiply(a: LongDouble, b: LongDouble): LongDouble {
  if (a.significand === 0n || b.significand === 0n) return ZERO;
  return round(a.significand * b.significand, a.exponent + b.exponent, 64, false);
}

export function divide(a: LongDouble, b: LongDouble): LongDouble {
  if (a.significand === 0n) return ZERO;
  const numerator = a.significand << 66n;
  const quotient = numerator / b.significand;
  return round(quotient, a.exponent - b.exponent - 66, 64, quotient * b.significand !== numerator);
}

export function add(a: LongDouble, b: LongDouble): LongDouble {
  if (a.significand === 0n) return b;
  if (b.significand === 0n) return a;
  const [high, low] = a.exponent >= b.exponent ? [a, b] : [b, a];
  const distance = high.exponent - low.exponent;
  // Past the rounding position, so that only "a little more" is left of it.
  if (distance > 130) return round(high.significand << 2n, high.exponent - 2, 64, true);
  return round((high.significand << BigInt(distance)) + low.significand, low.exponent, 64, false);
}

export function compare(a: LongDouble, b: LongDouble): number {
  if (a.significand === 0n || b.significand === 0n)
    return Number(a.significand > 0n) - Number(b.significand > 0n);
  if (a.exponent !== b.exponent) return a.exponent - b.exponent;
  return a.significand < b.significand ? -1 : Number(a.significand > b.significand);
}

/** The whole part, and the rest (exact: fewer bits than before). */
export function split(value: LongDouble): { readonly whole: bigint; readonly rest: LongDouble } {
  if (value.exponent >= 0) return { whole: value.significand << BigInt(value.exponent), rest: ZERO };
  const shift = BigInt(-value.exponent);
  const whole = value.significand >> shift;
  const rest = value.significand & ((1n << shift) - 1n);
  return { whole, rest: rest === 0n ? ZERO : round(rest, value.exponent, 64, false) };
}
