// The project's own functions in SQLite: where this version says something else than the validator's 3.39 that people
// would notice, and what the API promises beyond SQLite. Each costs some 0.6 us a call.
import { NO_SUCH_CHAIN } from '../base/reference-words.ts';
import type { Database } from './database.ts';

type Value = null | bigint | number | string | Uint8Array;

const OPTIONS = { deterministic: true, directOnly: false, varargs: true, useBigIntArguments: true } as const;

export function registerFunctions(database: Database, blocks: ReadonlyMap<number, number>): void {
  database.function('block_num', OPTIONS, (...args: Value[]) => {
    const [chain] = args;
    const block = typeof chain === 'bigint' ? blocks.get(Number(chain)) : undefined;
    if (block === undefined) throw said(NO_SUCH_CHAIN);
    return block;
  });
  database.function('json_valid', { ...OPTIONS, varargs: false }, (text: Value) => jsonValid(text));
  database.function('round', OPTIONS, (...args: Value[]) => round(args));
  for (const [name, result] of Object.entries(STATISTICS))
    database.aggregate(name, {
      start: (): Moments => ({ count: 0, mean: 0, squares: 0 }),
      step: (moments: Moments, value: Value) => added(moments, value, 1),
      inverse: (moments: Moments, value: Value) => added(moments, value, -1),
      result,
      useBigIntArguments: true,
      deterministic: true,
      directOnly: false,
      varargs: false,
    });
}

/** What a function says of its arguments is told as what SQLite says of them. */
const said = (message: string): Error => Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR' });

/** 2^52: a larger number has no fraction. */
const WHOLE = 4_503_599_627_370_496;
/** func.c of 3.39 rounds what printf makes of a number, which has so many digits. */
const DIGITS = 16;
const MOST_PLACES = 30n;

/**
 * As func.c of SQLite 3.39: half away from zero of the number as it reads, so that 2.675 gives 2.68; 3.53 looks at its
 * last bit and gives 2.67.
 */
function round(args: readonly Value[]): number | null {
  const [value = null, places = 0n] = args;
  if (args.length === 0 || args.length > 2) throw said('wrong number of arguments to function round()');
  if (value === null || places === null) return null;
  const x = numberOf(value);
  const n = wholeOf(places);
  if (!Number.isFinite(x) || Math.abs(x) >= WHOLE) return x;
  // A cast to an integer and back: there is no negative zero.
  if (n <= 0n) return (x < 0 ? -Math.floor(0.5 - x) : Math.floor(x + 0.5)) || 0;
  return Number(roundedText(x, Number(n > MOST_PLACES ? MOST_PLACES : n)));
}

/** Half up in the decimal digits. */
function roundedText(x: number, places: number): string {
  const [mantissa = '', exponent = '0'] = Math.abs(x)
    .toExponential(DIGITS - 1)
    .split('e');
  const digits = mantissa.replace('.', '');
  // Digits that stay: those before the point and so many after it.
  const kept = 1 + Number(exponent) + places;
  const sign = x < 0 ? '-' : '';
  if (kept >= DIGITS) return `${sign}${digits}e${Number(exponent) - DIGITS + 1}`;
  if (kept < 0) return `${sign}0`;
  const up = digits.charCodeAt(kept) >= FIVE ? 1n : 0n;
  return `${sign}${BigInt(digits.slice(0, kept) || '0') + up}e${-places}`;
}
const FIVE = 0x35;

/** As json.c of 3.39: NULL is not valid, and only JSON by its RFC is; 3.53 gives NULL for the first. */
function jsonValid(value: Value): number | bigint {
  if (value === null) return 0n;
  if (typeof value === 'bigint') return 1n;
  if (typeof value === 'number') return Number.isFinite(value) ? 1n : 0n;
  try {
    JSON.parse(typeof value === 'string' ? value : Buffer.from(value).toString('utf8'));
    return 1n;
  } catch {
    return 0n;
  }
}

/** As a cast to REAL: the number that a text begins with. */
function numberOf(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  const text =
    typeof value === 'string' ? value : value === null ? '' : Buffer.from(value).toString('latin1');
  const found = /^[ \t\n\v\f\r]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/.exec(text);
  return found === null ? 0 : Number(found[0]);
}

function wholeOf(value: Value): bigint {
  return typeof value === 'bigint'
    ? value
    : BigInt(Math.trunc(Math.max(-1e9, Math.min(1e9, numberOf(value)))));
}

/** Welford's running mean and sum of squared distances from it. */
interface Moments {
  readonly count: number;
  readonly mean: number;
  readonly squares: number;
}

function added(moments: Moments, value: Value, sign: 1 | -1): Moments {
  if (value === null) return moments;
  const x = numberOf(value);
  const count = moments.count + sign;
  if (count === 0) return { count: 0, mean: 0, squares: 0 };
  const mean = moments.mean + (sign * (x - moments.mean)) / count;
  return { count, mean, squares: moments.squares + sign * (x - moments.mean) * (x - mean) };
}

const sample = ({ count, squares }: Moments): number | null => (count < 2 ? null : squares / (count - 1));
const population = ({ count, squares }: Moments): number | null => (count < 1 ? null : squares / count);
const root = (variance: number | null): number | null => (variance === null ? null : Math.sqrt(variance));

const STATISTICS: { readonly [name: string]: (moments: Moments) => number | null } = {
  variance: sample,
  var_samp: sample,
  var_pop: population,
  stddev: (moments) => root(sample(moments)),
  stddev_samp: (moments) => root(sample(moments)),
  stddev_pop: (moments) => root(population(moments)),
};
