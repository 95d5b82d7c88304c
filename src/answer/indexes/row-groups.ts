// Rows put together by the values of some columns, those of one group in the order in which they came. Done in
// slices: it takes some milliseconds, and clients are answered meanwhile.
import type { IndexBlock } from '../../index-block.ts';
import { type RowStore, rowCount, storedBlock, type Value } from './row-store.ts';

export interface Grouped {
  readonly store: RowStore;
  /** The rows of a group, from the first to before the last. */
  rowsOf(values: readonly Value[]): readonly [number, number];
  /** Of memory besides the store's. */
  readonly bytes: number;
}

/** More groups cost the garbage collector too much, and more rows the processor. */
const MAX_GROUPS = 250_000;
const MAX_ROWS = 1_000_000;
const GROUP_BYTES = 64;
/** Rows between two looks at who else wants the processor: less than a millisecond. */
const SLICE_ROWS = 4_096;

/**
 * @param columns places of the values, one at least
 * @returns undefined where there are too many
 */
export async function groupRows(store: RowStore, columns: readonly number[]): Promise<Grouped | undefined> {
  const rows = rowCount(store);
  if (rows > MAX_ROWS) return undefined;
  const groups = new Map<Value, number>();
  const groupOf = new Uint32Array(rows);
  let bytes = 0;
  for (const block of store) {
    bytes += block.bytes.length;
    for (let i = 0; i < block.rows; i++) {
      const key = keyOf(columns.map((at) => (block.values[at] as readonly Value[])[i] as Value));
      let group = groups.get(key);
      if (group === undefined) {
        group = groups.size;
        groups.set(key, group);
      }
      groupOf[block.first + i] = group;
      if (i % SLICE_ROWS === 0) await othersFirst();
    }
    if (groups.size > MAX_GROUPS) return undefined;
  }
  const starts = startsOf(groupOf, groups.size);
  const block = await inOrder(store, placesOf(groupOf, starts), bytes);
  return {
    store: rows === 0 ? [] : [storedBlock(block, 0)],
    rowsOf(values) {
      const group = groups.get(keyOf(values));
      return group === undefined ? [0, 0] : [starts[group] as number, starts[group + 1] as number];
    },
    bytes: groups.size * GROUP_BYTES,
  };
}

/** Of one value itself; a length before each tells more of them apart. */
function keyOf(values: readonly Value[]): Value {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return only;
  let key = '';
  for (const value of values) key += typeof value === 'number' ? `n${value};` : `t${value.length};${value}`;
  return key;
}

/** The first row of each group, and one past the last row of all. */
function startsOf(groupOf: Uint32Array, groups: number): Uint32Array {
  const starts = new Uint32Array(groups + 1);
  for (const group of groupOf) starts[group + 1] = (starts[group + 1] as number) + 1;
  for (let group = 0; group < groups; group++)
    starts[group + 1] = (starts[group + 1] as number) + (starts[group] as number);
  return starts;
}

/** Where each row goes. */
function placesOf(groupOf: Uint32Array, starts: Uint32Array): Uint32Array {
  const next = starts.slice();
  return groupOf.map((group) => {
    const place = next[group] as number;
    next[group] = place + 1;
    return place;
  });
}

/** One block of all rows. */
async function inOrder(store: RowStore, places: Uint32Array, size: number): Promise<IndexBlock> {
  const rows = places.length;
  const ends = new Uint32Array(rows);
  const values = (store[0]?.values ?? []).map((column) =>
    column instanceof Float64Array ? new Float64Array(rows) : new Array<string>(rows),
  );
  for (const block of store)
    for (let i = 0; i < block.rows; i++) {
      const place = places[block.first + i] as number;
      ends[place] = (block.ends[i] as number) - (i === 0 ? 0 : (block.ends[i - 1] as number));
      for (let at = 0; at < values.length; at++)
        (values[at] as Value[])[place] = (block.values[at] as readonly Value[])[i] as Value;
      if (i % SLICE_ROWS === 0) await othersFirst();
    }
  for (let row = 1; row < rows; row++) ends[row] = (ends[row] as number) + (ends[row - 1] as number);
  const bytes = Buffer.allocUnsafeSlow(size);
  for (const block of store) {
    for (let i = 0; i < block.rows; i++) {
      const place = places[block.first + i] as number;
      const from = i === 0 ? 0 : (block.ends[i - 1] as number);
      block.bytes.copy(bytes, place === 0 ? 0 : ends[place - 1], from, block.ends[i]);
      if (i % SLICE_ROWS === 0) await othersFirst();
    }
  }
  return { rows, values, ends, bytes };
}

function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
