// What a statement's literals mean to rows with values: which of them fit. Pure; knows no bytes.
import { integerOf } from '../../dialect/operators/literal.ts';
import type { IndexTerm, Literal } from '../../protocol.ts';
import { blockAt, type RowStore, type Runs, rowCount, type Value } from './row-store.ts';

/** The order in which the values of a column come, if in any. */
export type Order = 'ascending' | 'descending';

/** A column and what it is compared with. */
export interface Sought {
  /** Place of the term. */
  readonly at: number;
  readonly operator: IndexTerm['operator'];
  readonly value: Value;
}

/** So many of the rows that fit, after so many. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** So many rows are looked through for one answer. */
export const SCANNED_ROWS = 2_000;

/** Undefined where a literal is not what an index can compare. */
export function soughtBy(
  terms: readonly IndexTerm[],
  literals: readonly Literal[],
): readonly Sought[] | undefined {
  const all: Sought[] = [];
  for (let at = 0; at < terms.length; at++) {
    const { literal, kind, operator } = terms[at] as IndexTerm;
    const found = literals[literal];
    if (found === undefined || found.kind !== kind) return undefined;
    const value = kind === 'integer' ? exactNumber(found.text) : bytesAsText(found.text);
    if (value === undefined) return undefined;
    all.push({ at, operator, value });
  }
  return all;
}

/** Undefined where it is no exact number. */
export function exactNumber(text: string): number | undefined {
  const value = text.length <= 15 ? Number(text) : Number(integerOf(text));
  return Number.isSafeInteger(value) ? value : undefined;
}

/** As the values of index-block.ts: a character for each byte of UTF-8. */
function bytesAsText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The rows from the first to before the last whose values, in order, fit. */
export function rangeOf(store: RowStore, { at, operator, value }: Sought, order: Order): [number, number] {
  const sign = order === 'ascending' ? 1 : -1;
  /** The first row that does not stand before the value, or the first that stands behind it. */
  const edge = (behind: boolean): number => {
    let low = 0;
    let high = rowCount(store);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { values, first } = blockAt(store, middle);
      const distance = sign * ((values[at]?.[middle - first] as number) - (value as number));
      if (distance < 0 || (behind && distance === 0)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  if (operator === '=') return [edge(false), edge(true)];
  const upwards = operator === '>' || operator === '>=';
  const orEqual = operator === '<=' || operator === '>=';
  return upwards === sign > 0 ? [edge(!orEqual), rowCount(store)] : [0, edge(orEqual)];
}

/** Those of some rows that fit; undefined where too many would have to be looked at. */
export function fittingRuns(
  store: RowStore,
  from: number,
  to: number,
  all: readonly Sought[],
  { offset, limit }: Window,
): Runs | undefined {
  if (all.length === 0) {
    const start = from + offset;
    const end = Math.min(to, start + limit);
    return start < end ? [start, end] : [];
  }
  const runs: number[] = [];
  let skipped = 0;
  let taken = 0;
  for (let row = from; row < to && taken < limit; row++) {
    if (row - from === SCANNED_ROWS) return undefined;
    if (!fits(store, row, all) || skipped++ < offset) continue;
    taken++;
    if (runs.at(-1) === row) runs[runs.length - 1] = row + 1;
    else runs.push(row, row + 1);
  }
  return runs;
}

function fits(store: RowStore, row: number, all: readonly Sought[]): boolean {
  const { values, first } = blockAt(store, row);
  for (const { at, operator, value } of all)
    if (!compares(values[at]?.[row - first] as Value, operator, value)) return false;
  return true;
}

function compares(own: Value, operator: IndexTerm['operator'], value: Value): boolean {
  switch (operator) {
    case '=':
      return own === value;
    case '<':
      return own < value;
    case '<=':
      return own <= value;
    case '>':
      return own > value;
    case '>=':
      return own >= value;
  }
}
