// What the right answer is: the statement run by SQLite itself on the validator's database, by another way than
// any target goes. Compares by value; knows nothing of HTTP.
import { DatabaseSync } from '@photostructure/sqlite';
import type { Kept } from './verify.ts';

export interface Truth {
  /** @returns what is wrong with the answer, or undefined. */
  compare(answer: Kept): string | undefined;
  /** The rows themselves, as an answer shows them. */
  rows(statement: string): readonly unknown[];
  close(): void;
}

/** API.md: text that starts, after spaces, with `{` or `[` and is JSON is shown as JSON. */
export function cell(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string' || !/^ *[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function same(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') {
    // Sums of doubles depend on the order in which they are added.
    return left === right || Math.abs(left - right) <= 1e-9 * Math.max(Math.abs(left), Math.abs(right));
  }
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object')
    return left === right;
  // By name: the reference writes an object's members in alphabetical order.
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && same(left[name as never], right[name as never]))
  );
}

/** Two answers as values: numbers to nine digits, members of objects by name. */
export function sameRows(left: unknown, right: unknown): boolean {
  return same(left, right);
}

export function openTruth(database: string): Truth {
  const sqlite = new DatabaseSync(database, { readOnly: true });
  const known = new Map<string, readonly unknown[]>();

  const rowsOf = (statement: string): readonly unknown[] => {
    const found = known.get(statement);
    if (found !== undefined) return found;
    const rows = sqlite
      .prepare(statement)
      .all()
      .map((row) =>
        Object.fromEntries(Object.entries(row as object).map(([name, value]) => [name, cell(value)])),
      );
    if (rows.length < 10_000) known.set(statement, rows);
    return rows;
  };

  return {
    rows: rowsOf,
    compare({ statement, body }) {
      if (statement === '') return undefined;
      const expected = rowsOf(statement);
      let rows: unknown;
      try {
        rows = JSON.parse(body);
      } catch (error) {
        return `${statement}: no JSON: ${String(error)}`;
      }
      if (!Array.isArray(rows)) return `${statement}: no array of rows`;
      if (rows.length !== expected.length)
        return `${statement}: ${rows.length} rows instead of ${expected.length}`;
      const index = rows.findIndex((row, at) => !same(row, expected[at]));
      if (index < 0) return undefined;
      return `${statement}: row ${index} is ${JSON.stringify(rows[index])} instead of ${JSON.stringify(expected[index])}`;
    },
    close: () => sqlite.close(),
  };
}
