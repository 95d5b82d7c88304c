// The rows between two rowids that a statement looks at: a bound that depends on its literals. Which of its comparisons
// SQLite begins and ends at is read from the program that it makes (opcode.html), since its plan does not say.
import { PLAIN_INTEGER } from '../dialect/row-statement.ts';
import type { Literal } from '../wire/protocol.ts';

/** A row of EXPLAIN. */
export type Opcode = readonly [address: number, opcode: string, p1: number, p2: number, p3: number];

/** A rowid: a literal of the statement by its index, or a value that is always the same. */
type End = { readonly literal: number } | { readonly value: number };

export interface KeyRange {
  readonly first: End;
  readonly last: End;
}

/** The one line of a plan that it is made for. */
export const KEY_RANGE = /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/;
const SEEKS: ReadonlySet<string> = new Set(['SeekGE', 'SeekGT', 'SeekLE', 'SeekLT']);
/** The loop ends where one of these holds for the row that it has come to. */
const STOPS: ReadonlySet<string> = new Set(['Gt', 'Ge', 'Lt', 'Le']);

/**
 * @param bound indexes of the literals that are the statement's `?`
 * @returns undefined where an end is no plain value
 */
export function keyRange(program: readonly Opcode[], bound: readonly number[]): KeyRange | undefined {
  const valueIn = (register: number): End | undefined => {
    const [only, ...more] = program.filter(
      ([, opcode, , p2]) => p2 === register && (opcode === 'Variable' || opcode === 'Integer'),
    );
    if (only === undefined || more.length > 0) return undefined;
    const [, opcode, p1] = only;
    if (opcode === 'Integer') return { value: p1 };
    const literal = bound[p1 - 1];
    return literal === undefined ? undefined : { literal };
  };
  const seek = program.findIndex(([, opcode]) => SEEKS.has(opcode));
  const stop = program.findIndex(
    ([, opcode, , , p3], at) => at > seek && STOPS.has(opcode) && isRowid(program[at - 1], p3),
  );
  const [, seekCode = '', , , from = 0] = program[seek] ?? [];
  const [, , to = 0] = program[stop] ?? [];
  const start = seek < 0 ? undefined : valueIn(from);
  const end = stop < 0 ? undefined : valueIn(to);
  if (start === undefined || end === undefined) return undefined;
  return seekCode.startsWith('SeekG') ? { first: start, last: end } : { first: end, last: start };
}

function isRowid(before: Opcode | undefined, register: number): boolean {
  return before !== undefined && before[1] === 'Rowid' && before[3] === register;
}

/** @returns Infinity where one of its literals is no plain integer */
export function rowsInRange({ first, last }: KeyRange, literals: readonly Literal[]): number {
  const numberOf = (end: End): number => {
    if ('value' in end) return end.value;
    const literal = literals[end.literal];
    return literal?.kind === 'integer' && PLAIN_INTEGER.test(literal.text)
      ? Number(literal.text)
      : Number.NaN;
  };
  const rows = numberOf(last) - numberOf(first) + 1;
  return Number.isNaN(rows) ? Number.POSITIVE_INFINITY : Math.max(1, rows);
}
