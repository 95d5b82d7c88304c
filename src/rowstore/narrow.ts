// Tables of few rows with small values alone: to go through their words takes a known time, where a value may be so large
// that to compare it takes as long as a statement.
import { createCache } from '../base/cache.ts';
import { identifier } from '../dialect/value.ts';
import type { Ask } from '../snapshot/ask.ts';
import type { Catalogue } from './catalogue.ts';
import { COUNTED_ROWS } from './matches.ts';

/** @param table by its lower-case name */
export type IsNarrow = (table: string) => boolean;

const NARROW_BYTES = 256;
/** Rows times columns: to look at the sizes of so many takes 1 to 2 ms. */
const MOST_CELLS = 20_000;
const MOST_COLUMNS = 100;
const KNOWN = 10_000;

/** Each table is looked at once, when the first statement asks. */
export function createNarrow(
  own: Ask,
  { tables, describe }: Pick<Catalogue, 'tables' | 'describe'>,
): IsNarrow {
  const known = createCache<number>(KNOWN);
  return (table) => {
    let widest = known.get(table);
    if (widest === undefined) {
      widest = widestOf(table);
      known.set(table, widest);
    }
    return widest <= NARROW_BYTES;
  };

  function widestOf(table: string): number {
    const served = tables.get(table);
    const { columns } = describe(table);
    if (served === undefined || served.rows > COUNTED_ROWS) return Number.POSITIVE_INFINITY;
    if (served.rows * columns.size > MOST_CELLS || columns.size > MOST_COLUMNS)
      return Number.POSITIVE_INFINITY;
    try {
      // Sizes of texts stand at the head of a row: none of them is read.
      const sizes = [...columns].map((column) => `max(octet_length(${identifier(column)}))`);
      const [row = []] = own(`select ${sizes.join(', ')} from ${identifier(served.name)}`);
      return Math.max(0, ...row.map(Number));
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}
