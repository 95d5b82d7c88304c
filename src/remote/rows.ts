// Rows of Trino's protocol as values of SQLite's kinds, by the kinds that the compiler said.
import type { ColumnKind } from '../dialect/plan.ts';
import type { Cell } from '../encode/json-rows.ts';

type Read = (value: unknown) => Cell;

/** JSON has no numbers for these. */
const REALS: ReadonlyMap<unknown, number> = new Map([
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** As dialect/remote.ts has them come: integers as digits, since numbers of JSON end at 2^53. */
const READ: Readonly<Record<ColumnKind, Read>> = {
  integer: (value) => BigInt(value as string),
  real,
  text: (value) => value as string,
  blob: (value) => Buffer.from(value as string, 'base64'),
  any(value) {
    const [integer, other] = value as readonly [string | null, unknown];
    if (integer !== null) return BigInt(integer);
    return other === null ? null : real(other);
  },
};

function real(value: unknown): number {
  const found = typeof value === 'number' ? value : REALS.get(value);
  if (found === undefined) throw new Error(`no real: ${String(value)}`);
  return found;
}

export function rowReader(kinds: readonly ColumnKind[]): (row: readonly unknown[]) => Cell[] {
  const reads = kinds.map((kind) => READ[kind]);
  return (row) => {
    if (row.length !== reads.length) throw new Error(`${row.length} values in ${reads.length} columns`);
    return row.map((value, i) => (value === null ? null : (reads[i] as Read)(value)));
  };
}
