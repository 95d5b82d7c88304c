// What answers are made of: the tables that each statement shape, description or picture reads, as its last run told,
// and a short name for the state of those in a snapshot. Where two snapshots have the same state of them, the
// answer is the same. Bounded.

import { createCache, createShapeCache } from '../base/cache.ts';
import { digestOf } from '../base/digest.ts';

/** A snapshot, as far as answers depend on it. */
export interface DataState {
  readonly snapshotId: string;
  /** Lower-case name of a table -> the snapshot in which it changed last. */
  readonly versions: ReadonlyMap<string, string>;
}

export interface Reads {
  /** Of all that is read for what has this name; undefined where that is not known. */
  state(name: string, data: DataState): string | undefined;
  /** @param tables as in wire/protocol.ts `Outcome` */
  learn(name: string, tables: readonly string[]): void;
}

/** Some tables, which very many shapes may read. */
interface Known {
  readonly tables: readonly string[];
  /** The last state that was asked for, and of which snapshot. */
  snapshotId: string;
  state: string;
}

const NAMES = 10_000;
/** Of tables. */
const SETS = 1_000;

export function createReads(): Reads {
  const known = createShapeCache<Known>(NAMES);
  const sets = createCache<Known>(SETS);
  const setOf = (tables: readonly string[]): Known => {
    // No name has a NUL.
    const key = tables.join('\0');
    let found = sets.get(key);
    if (found === undefined) {
      found = { tables, snapshotId: '', state: '' };
      sets.set(key, found);
    }
    return found;
  };
  return {
    state(name, data) {
      const found = known.get(name);
      if (found === undefined) return undefined;
      if (found.snapshotId !== data.snapshotId) {
        found.snapshotId = data.snapshotId;
        found.state = stateOf(found.tables, data);
      }
      return found.state;
    },
    learn(name, tables) {
      const before = known.get(name)?.tables;
      if (before !== undefined && tables.every((table) => before.includes(table))) return;
      // Values may decide what is read of a shape: a tag must hold for all of them.
      known.set(name, setOf([...new Set([...(before ?? []), ...tables])].sort()));
    },
  };
}

/** What has no version of its own changes with every snapshot: block numbers, for one. */
function stateOf(tables: readonly string[], { snapshotId, versions }: DataState): string {
  return digestOf(tables.flatMap((table) => [table, versions.get(table) ?? snapshotId]));
}
