// What is known of a column's values in a snapshot that never changes, and of values made from it: what makes a
// native form exact without looking at each row. Everything is a promise: what is left out is not known.

/** Counted by the import, for tables of the column store. */
export interface ColumnFacts {
  /** Every text has ASCII characters only. */
  readonly ascii: boolean;
  /** No text has a NUL. */
  readonly noNul: boolean;
  /** No text has a letter of the other case. */
  readonly lower?: boolean;
  readonly upper?: boolean;
  /** Of integers, as decimal strings; null where there is none. */
  readonly min: string | null;
  readonly max: string | null;
  /** Every text that is not NULL is YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, of a real day. */
  readonly dates: 'date' | 'datetime' | null;
  /** Every text is valid JSON. */
  readonly json: boolean;
  /** Characters of the longest text. */
  readonly maxCharacters: number | null;
  /** Rows that are NULL. */
  readonly nulls: number;
  /** Of reals; null where one of them is infinite. */
  readonly reals?: {
    readonly size: number;
    /** Of those that are not 0. */
    readonly least: number | null;
    /** Each is the real that is nearest to a number with so many decimals. */
    readonly digits: number | null;
    /** Name of the column with them as whole numbers of the last decimal. */
    readonly scaled: string | null;
  } | null;
}

/** What is known of a value. */
export interface Known {
  readonly ascii?: boolean;
  readonly noNul?: boolean;
  readonly lower?: boolean;
  readonly upper?: boolean;
  readonly min?: bigint;
  readonly max?: bigint;
  readonly dates?: 'date' | 'datetime';
  readonly json?: boolean;
  readonly maxCharacters?: number;
  readonly reals?: Reals;
  /** Where it is a zero it is 0.0: -0.0 is equal to that, but is written as -0. */
  readonly unsignedZero?: boolean;
}

/** Of numbers in floating point, within which sums of them can be exact (docs/ENGINES.md, "Sums of reals"). */
export interface Reals {
  /** No value, and none that it was computed from, is larger without its sign. */
  readonly size: number;
  /** Each is, but for the roundings on the way to it, a number with so many decimals. */
  readonly digits?: number;
  /** Each is 0 or at least so large. */
  readonly least?: number;
  /** Each is a whole number times this power of two. */
  readonly grid?: number;
}

/** Of numbers of which none but 0 is smaller. */
export function realsFrom(size: number, least: number): Reals {
  return { size, least, grid: Math.floor(Math.log2(least)) - 53 };
}

export function knownOf(facts: ColumnFacts | undefined): Known {
  if (facts === undefined) return {};
  const { ascii, noNul, lower, upper, min, max, dates, json, maxCharacters, reals } = facts;
  return {
    ascii,
    noNul,
    ...(lower === undefined ? {} : { lower }),
    ...(upper === undefined ? {} : { upper }),
    json,
    ...(min === null || max === null ? {} : { min: BigInt(min), max: BigInt(max) }),
    ...(dates === null ? {} : { dates }),
    ...(maxCharacters === null ? {} : { maxCharacters }),
    ...(reals === null || reals === undefined ? {} : { reals: realsOf(reals) }),
  };
}

function realsOf({ size, least, digits }: NonNullable<ColumnFacts['reals']>): Reals {
  return {
    ...(least !== null && least > 0
      ? realsFrom(size, least)
      : { size, ...(least === null ? { grid: 0 } : {}) }),
    ...(digits === null ? {} : { digits }),
  };
}

/** Of a number of any kind. */
export function asReals(x: Known): Reals | undefined {
  const whole = magnitude(x);
  return x.reals ?? (whole === undefined ? undefined : { size: Number(whole), digits: 0, least: 1, grid: 0 });
}

/** Of a op b in floating point. */
export function realArithmetic(op: '+' | '-' | '*', a: Known, b: Known): Known {
  const [x, y] = [asReals(a), asReals(b)];
  if (x === undefined || y === undefined) return {};
  const product = op === '*';
  const size = product ? x.size * y.size : x.size + y.size;
  if (!Number.isFinite(size)) return {};
  const digits = ofBoth(x.digits, y.digits, (m, n) => (product ? m + n : Math.max(m, n)));
  const least = product ? ofBoth(x.least, y.least, (m, n) => m * n) : undefined;
  const grid = ofBoth(x.grid, y.grid, (m, n) => (product ? m + n : Math.min(m, n)));
  const finest = least === undefined || least === 0 ? undefined : realsFrom(size, least);
  return { reals: { ...defined({ digits, grid }), size, ...finest } };
}

/** Of a divided by one number. */
export function realQuotient(a: Known, divisor: number): Known {
  const x = asReals(a);
  const size = (x?.size ?? Number.NaN) / divisor;
  if (x === undefined || !Number.isFinite(size)) return {};
  const least = (x.least ?? 0) / divisor;
  return { reals: least > 0 ? realsFrom(size, least) : { size } };
}

function ofBoth(
  a: number | undefined,
  b: number | undefined,
  both: (a: number, b: number) => number,
): number | undefined {
  return a === undefined || b === undefined ? undefined : both(a, b);
}

type Optional = Partial<Pick<Reals, 'digits' | 'least' | 'grid'>>;
const defined = (given: { readonly [K in keyof Optional]: number | undefined }): Optional =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** Of a value that is one of several. */
export function knownOfAll(all: readonly Known[]): Known {
  const [first, ...rest] = all;
  if (first === undefined) return {};
  return rest.reduce<Known>((a, b) => {
    const bounded = a.min !== undefined && b.min !== undefined && a.max !== undefined && b.max !== undefined;
    return {
      ...both('ascii', a, b),
      ...both('noNul', a, b),
      ...both('lower', a, b),
      ...both('upper', a, b),
      ...both('unsignedZero', a, b),
      ...(bounded ? { min: least(a.min, b.min), max: greatest(a.max, b.max) } : {}),
      ...(a.dates !== undefined && a.dates === b.dates ? { dates: a.dates } : {}),
      ...(a.maxCharacters !== undefined && b.maxCharacters !== undefined
        ? { maxCharacters: Math.max(a.maxCharacters, b.maxCharacters) }
        : {}),
      ...realsOfBoth(asReals(a), asReals(b)),
    };
  }, first);
}

function realsOfBoth(a: Reals | undefined, b: Reals | undefined): Known {
  if (a === undefined || b === undefined) return {};
  const digits = ofBoth(a.digits, b.digits, Math.max);
  const least = ofBoth(a.least, b.least, Math.min);
  const grid = ofBoth(a.grid, b.grid, Math.min);
  return { reals: { size: Math.max(a.size, b.size), ...defined({ digits, least, grid }) } };
}

/** True of both, false of one, or not known. */
export function both(
  what: 'ascii' | 'noNul' | 'lower' | 'upper' | 'unsignedZero',
  a: Known,
  b: Known,
): Known {
  if (a[what] === false || b[what] === false) return { [what]: false };
  return a[what] === true && b[what] === true ? { [what]: true } : {};
}

function least(first: bigint, ...rest: readonly bigint[]): bigint {
  let found = first;
  for (const one of rest) if (one < found) found = one;
  return found;
}
function greatest(first: bigint, ...rest: readonly bigint[]): bigint {
  let found = first;
  for (const one of rest) if (one > found) found = one;
  return found;
}

/** Bounds of a op b. */
export function arithmeticBounds(op: '+' | '-' | '*', a: Known, b: Known): Known {
  if (a.min === undefined || a.max === undefined || b.min === undefined || b.max === undefined) return {};
  switch (op) {
    case '+':
      return { min: a.min + b.min, max: a.max + b.max };
    case '-':
      return { min: a.min - b.max, max: a.max - b.min };
    case '*': {
      const corners = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max] as const;
      return { min: least(...corners), max: greatest(...corners) };
    }
  }
}

/** The largest size of an integer, without its sign; undefined where it is not known. */
export function magnitude({ min, max }: Known): bigint | undefined {
  if (min === undefined || max === undefined) return undefined;
  return greatest(min < 0n ? -min : min, max < 0n ? -max : max);
}
