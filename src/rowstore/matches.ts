// How many rows of a small table have one of the values that a statement names. The commonest value of each column may say
// that a join of six tables visits millions of rows, where its constants leave one of each.
import { type Cache, createByteCache } from '../base/cache.ts';
import type { Expression } from '../dialect/ast.ts';
import { PLAIN_INTEGER } from '../dialect/row-statement.ts';
import { identifier } from '../dialect/value.ts';
import type { Ask } from '../snapshot/ask.ts';
import type { Literal } from '../wire/protocol.ts';
import type { Catalogue } from './catalogue.ts';

/**
 * Rows of a table whose column is equal to one of these constants, at most.
 * @returns undefined where they were not counted, or another value may be equal to a constant, too
 */
export type Matches = (
  table: string,
  column: string,
  constants: readonly Expression[],
  literals: readonly Literal[],
  allowed: Allowed,
) => number | undefined;

/** Columns that may be counted anew for a statement: each takes a millisecond or two. */
export interface Allowed {
  columns: number;
}
export const NEW_COLUMNS = 8;

/** Of a table: to count them takes no longer than to find out whether they need not be. */
export const COUNTED_ROWS = 2_000;
/** Longer texts are not counted. */
const VALUE_CHARACTERS = 64;
/** Of so many characters, in UTF-8 and in UTF-16. */
const VALUE_BYTES = 3 * VALUE_CHARACTERS;
const KEPT_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 64;

/** Rows by value: integers, or texts; each of one kind. */
type Counts = ReadonlyMap<number | string, number>;
type Kind = 'integer' | 'text';
const UNCOUNTED: Counts = new Map();

/** Each column is counted when the first statement asks for it. */
export function createMatches(own: Ask, catalogue: Pick<Catalogue, 'tables' | 'comparison'>): Matches {
  const counted: Cache<Counts> = createByteCache({
    maxBytes: KEPT_BYTES,
    bytesOf: (counts, key) => {
      let bytes = key.length + ENTRY_BYTES;
      for (const value of counts.keys())
        bytes += ENTRY_BYTES + (typeof value === 'string' ? 2 * value.length : 0);
      return bytes;
    },
  });
  const countsOf = (table: string, column: string, allowed: Allowed): Counts | undefined => {
    const key = `${table}\0${column}`;
    const known = counted.get(key);
    if (known !== undefined) return known === UNCOUNTED ? undefined : known;
    if (allowed.columns === 0) return undefined;
    allowed.columns -= 1;
    try {
      const name = identifier(column);
      const rows = own(
        `select ${name}, count(*) from ${identifier(table)} where octet_length(${name}) <= ${VALUE_BYTES} group by 1`,
      ) as readonly (readonly [number | string, number])[];
      const counts = new Map<number | string, number>();
      // Texts of bytes that are no UTF-8 may be read as one.
      for (const [value, count] of rows) counts.set(value, (counts.get(value) ?? 0) + count);
      counted.set(key, counts);
      return counts;
    } catch {
      // Integers that no number of JavaScript is.
      counted.set(key, UNCOUNTED);
      return undefined;
    }
  };
  return (table, column, constants, literals, allowed) => {
    if ((catalogue.tables.get(table)?.rows ?? Number.POSITIVE_INFINITY) > COUNTED_ROWS) return undefined;
    const kind = KINDS.get(catalogue.comparison(table, column)?.toLowerCase() ?? '');
    const values = kind && valuesOf(constants, literals, kind);
    const counts = values && countsOf(table, column, allowed);
    if (counts === undefined) return undefined;
    let rows = 0;
    for (const value of values ?? []) rows += counts.get(value) ?? 0;
    return rows;
  };
}

/** Columns that are compared value by value, by their affinity and collation. */
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['integer binary', 'integer'],
  ['text binary', 'text'],
]);

/** As SQLite compares them with the column (datatype3.html section 4.2). */
function valuesOf(
  constants: readonly Expression[],
  literals: readonly Literal[],
  kind: Kind,
): ReadonlySet<number | string> | undefined {
  const values = new Set<number | string>();
  for (const constant of constants) {
    const value = constantOf(constant, literals);
    if (typeof value === 'number') values.add(kind === 'text' ? String(value) : value);
    // A number in a text is equal to an integer.
    else if (value === undefined || kind === 'integer' || value.length > VALUE_CHARACTERS) return undefined;
    // What is read so may be bytes that are no UTF-8.
    else if (value.includes('\ufffd')) return undefined;
    else values.add(value);
  }
  return values;
}

/** Undefined where it is neither a text nor an integer that is a number of JavaScript. */
function constantOf(constant: Expression, literals: readonly Literal[]): number | string | undefined {
  if (constant.type === 'unary' && constant.operator === '-') {
    const value = constantOf(constant.operand, literals);
    // Not -0, which is no integer.
    return typeof value === 'number' ? 0 - value : undefined;
  }
  const literal = constant.type === 'literal' ? literals[constant.index] : undefined;
  if (literal?.kind === 'text') return literal.text;
  if (literal?.kind !== 'integer' || !PLAIN_INTEGER.test(literal.text)) return undefined;
  const value = Number(literal.text);
  return Number.isSafeInteger(value) ? value : undefined;
}
