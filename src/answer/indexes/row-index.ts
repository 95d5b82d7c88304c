// All rows of a shape, found by the literals of its statements: a lookup or a page is then some runs of bytes.
// The rows stand in the statement's own order, so those that fit are the answer, and the first of them that of a
// LIMIT. Where they come in the order of a compared column, a statement's are found by halving; else they are put
// together by the columns that must be equal. What an index says is what the engine would say, or nothing.
import { readIndexBlock } from '../../index-block.ts';
import type { IndexDefinition, IndexTerm, Limits, Literal } from '../../protocol.ts';
import { type Grouped, groupRows } from './row-groups.ts';
import {
  exactNumber,
  fittingRuns,
  type Order,
  rangeOf,
  SCANNED_ROWS,
  type Sought,
  soughtBy,
  type Window,
} from './row-search.ts';
import {
  type FoundRows,
  type RowStore,
  type Runs,
  rowCount,
  type StoredBlock,
  storedBlock,
  writeRuns,
} from './row-store.ts';

export interface RowIndex {
  /** Of memory, about. */
  readonly bytes: number;
  /**
   * @param partBytes an answer that passes this is given in parts
   * @returns undefined where to look it up costs more than to ask the engine, or is not for an index to say
   */
  find(literals: readonly Literal[], limits: Limits, partBytes: number): FoundRows | undefined;
}

export interface RowIndexBuilder {
  /** Of what was added. */
  readonly bytes: number;
  /** @param part of an index job's body; it becomes the index's. */
  add(part: Uint8Array): void;
  /** Undefined where nothing in it could be found fast. */
  finish(): Promise<RowIndex | undefined>;
}

/** What a value that is a text takes besides its place in the block. */
const TEXT_BYTES = 32;

interface Search {
  readonly store: RowStore;
  readonly runs: (sought: readonly Sought[], window: Window) => Runs | undefined;
  /** Of memory besides the blocks. */
  readonly bytes: number;
}

export function createRowIndex(definition: IndexDefinition): RowIndexBuilder {
  const { terms } = definition;
  const kinds = terms.map(({ kind }) => kind);
  const texts = kinds.filter((kind) => kind === 'text').length;
  const store: StoredBlock[] = [];
  const orders = terms.map(createOrder);
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    add(part) {
      const block = storedBlock(readIndexBlock(part, kinds), rowCount(store));
      if (block.rows === 0) return;
      block.values.forEach((values, at) => {
        orders[at]?.see(values);
      });
      store.push(block);
      bytes += part.byteLength + block.rows * texts * TEXT_BYTES;
    },
    async finish() {
      const search = await searchOf(
        store,
        terms,
        orders.map(({ order }) => order),
      );
      return search && rowIndex(definition, search, bytes);
    },
  };
}

/** Not in the builder, whose blocks a group's rows do not need any more. */
function rowIndex(definition: IndexDefinition, search: Search, bytes: number): RowIndex {
  return {
    bytes: bytes + search.bytes,
    find(literals, limits, partBytes) {
      const sought = soughtBy(definition.terms, literals);
      const window = windowOf(definition, literals);
      if (sought === undefined || window === undefined) return undefined;
      const runs = search.runs(sought, window);
      return runs && writeRuns(search.store, runs, definition, limits, partBytes);
    },
  };
}

async function searchOf(
  store: RowStore,
  terms: readonly IndexTerm[],
  orders: readonly (Order | undefined)[],
): Promise<Search | undefined> {
  const equal = terms.flatMap(({ operator }, at) => (operator === '=' ? [at] : []));
  if (equal.some((at) => orders[at] !== undefined)) return searchInOrder(store, orders);
  if (equal.length > 0) {
    const grouped = await groupRows(store, equal);
    return grouped && searchInGroups(grouped, equal);
  }
  const isFast = terms.length === 0 || orders.some((order) => order !== undefined);
  return isFast || rowCount(store) <= SCANNED_ROWS ? searchInOrder(store, orders) : undefined;
}

function searchInGroups(grouped: Grouped, equal: readonly number[]): Search {
  const { store, bytes } = grouped;
  return {
    store,
    bytes,
    runs(sought, window) {
      const [from, to] = grouped.rowsOf(equal.map((at) => (sought[at] as Sought).value));
      const others = sought.filter(({ operator }) => operator !== '=');
      return fittingRuns(store, from, to, others, window);
    },
  };
}

function searchInOrder(store: RowStore, orders: readonly (Order | undefined)[]): Search {
  const rows = rowCount(store);
  return {
    store,
    bytes: 0,
    runs(sought, window) {
      let from = 0;
      let to = rows;
      const others: Sought[] = [];
      for (const each of sought) {
        const order = orders[each.at];
        if (order === undefined) {
          others.push(each);
          continue;
        }
        const [first, end] = rangeOf(store, each, order);
        from = Math.max(from, first);
        to = Math.min(to, end);
      }
      return fittingRuns(store, from, to, others, window);
    },
  };
}

function windowOf({ limit, offset }: IndexDefinition, literals: readonly Literal[]): Window | undefined {
  const most = limit === undefined ? Number.POSITIVE_INFINITY : countOf(literals[limit]);
  const skipped = offset === undefined ? 0 : countOf(literals[offset]);
  return most === undefined || skipped === undefined ? undefined : { limit: most, offset: skipped };
}

/** Undefined where it is no exact number, or below 0: a param may be, and a negative LIMIT is none. */
function countOf(literal: Literal | undefined): number | undefined {
  const count = exactNumber(literal?.text ?? '');
  return count === undefined || count < 0 ? undefined : count;
}

interface SeenOrder {
  readonly order: Order | undefined;
  see(values: Float64Array | readonly string[]): void;
}

/** Whether integers come in order. */
function createOrder({ kind }: IndexTerm): SeenOrder {
  let order: Order | undefined = kind === 'integer' ? 'ascending' : undefined;
  let last: number | undefined;
  return {
    get order() {
      return order;
    },
    see(values) {
      if (order === undefined || !(values instanceof Float64Array)) return;
      if (last === undefined && (values.at(-1) as number) < (values[0] as number)) order = 'descending';
      const sign = order === 'descending' ? -1 : 1;
      let before = last ?? (values[0] as number);
      for (const value of values) {
        if (sign * value < sign * before) {
          order = undefined;
          return;
        }
        before = value;
      }
      last = before;
    },
  };
}
