// What is known of a column's values in a snapshot that never changes, and of values made from it: what makes a
// native form exact without looking at each row. Everything is a promise: what is left out is not known.

/** Counted by the import, for tables of the column store. */
export interface ColumnFacts {
  /** Every text has ASCII characters only. */
  readonly ascii: boolean;
  /** No text has a NUL. */
  readonly noNul: boolean;
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
}

/** What is known of a value. */
export interface Known {
  readonly ascii?: boolean;
  readonly noNul?: boolean;
  readonly min?: bigint;
  readonly max?: bigint;
  readonly dates?: 'date' | 'datetime';
  readonly json?: boolean;
  readonly maxCharacters?: number;
}

export function knownOf(facts: ColumnFacts | undefined): Known {
  if (facts === undefined) return {};
  const { ascii, noNul, min, max, dates, json, maxCharacters } = facts;
  return {
    ascii,
    noNul,
    json,
    ...(min === null || max === null ? {} : { min: BigInt(min), max: BigInt(max) }),
    ...(dates === null ? {} : { dates }),
    ...(maxCharacters === null ? {} : { maxCharacters }),
  };
}

/** Of a value that is one of several. */
export function knownOfAll(all: readonly Known[]): Known {
  const [first, ...rest] = all;
  if (first === undefined) return {};
  return rest.reduce<Known>((a, b) => {
    const bounded = a.min !== undefined && b.min !== undefined && a.max !== undefined && b.max !== undefined;
    return {
      ...both('ascii', a, b),
      ...both('noNul', a, b),
      ...(bounded ? { min: least(a.min, b.min), max: greatest(a.max, b.max) } : {}),
      ...(a.dates !== undefined && a.dates === b.dates ? { dates: a.dates } : {}),
      ...(a.maxCharacters !== undefined && b.maxCharacters !== undefined
        ? { maxCharacters: Math.max(a.maxCharacters, b.maxCharacters) }
        : {}),
    };
  }, first);
}

/** True of both, false of one, or not known. */
export function both(what: 'ascii' | 'noNul', a: Known, b: Known): Known {
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
