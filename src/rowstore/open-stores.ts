// The snapshots that a process has open. Of one that replaces another, most tables are mostly those of before: statements of
// these alone go on being run in the store where they are prepared and whose pages are read, until it has been replaced
// for a while.
import type { TableVersions } from '../snapshot/versions.ts';
import type { RowStore } from './store.ts';

/** The store of a snapshot that was replaced. */
export interface WarmStore {
  readonly store: RowStore;
  /** Lower-case names of its tables that are the same in the snapshot that is asked for. */
  readonly same: ReadonlySet<string>;
}

export interface OpenStores {
  readonly used: string;
  has(id: string): boolean;
  get(id: string): RowStore | undefined;
  /** @param id of the snapshot that is asked for @returns undefined: there is none, or it is the one that is asked for */
  warm(id: string): WarmStore | undefined;
  add(store: RowStore, versions: TableVersions): void;
  /** From now on it is in use. All others are closed, the one that {@link warm} gives a while later. */
  use(id: string): void;
  close(): void;
}

/** The disk space of a snapshot that was removed is held for so long at most; then statements are prepared anew. */
const KEPT_MS = 30_000;

interface Opened {
  readonly store: RowStore;
  readonly versions: TableVersions;
}

/** @param keptMs for tests */
export function createOpenStores(keptMs = KEPT_MS): OpenStores {
  const stores = new Map<string, Opened>();
  /** By the id of a snapshot, compared with the warm one. Here and not at each of them: nothing may lead to what was let go. */
  const compared = new Map<string, WarmStore>();
  let warm: Opened | undefined;
  let used = '';
  let later: NodeJS.Timeout | undefined;

  const close = (id: string, { store }: Opened): void => {
    stores.delete(id);
    compared.delete(id);
    store.close();
  };
  /** What is in use is the warm one from now on. */
  const letGo = (): void => {
    clearTimeout(later);
    later = undefined;
    compared.clear();
    const gone = warm;
    warm = stores.get(used);
    if (gone !== undefined && gone !== warm) close(gone.store.snapshot, gone);
  };

  return {
    get used() {
      return used;
    },
    has: (id) => stores.has(id),
    get: (id) => stores.get(id)?.store,
    warm(id) {
      const opened = stores.get(id);
      if (warm === undefined || opened === undefined || opened === warm) return undefined;
      let found = compared.get(id);
      if (found === undefined) {
        found = { store: warm.store, same: sameOf(warm.versions, opened.versions) };
        compared.set(id, found);
      }
      return found;
    },
    add(store, versions) {
      stores.set(store.snapshot, { store, versions });
    },
    use(id) {
      used = id;
      for (const [each, opened] of stores) if (each !== id && opened !== warm) close(each, opened);
      const opened = stores.get(id);
      if (opened === undefined || warm === undefined || opened === warm) letGo();
      else later ??= setTimeout(letGo, keptMs).unref();
    },
    close() {
      clearTimeout(later);
      warm = undefined;
      for (const [id, opened] of stores) close(id, opened);
    },
  };
}

/** Of both snapshots. A table without a version is never known to be the same. */
function sameOf(one: TableVersions, other: TableVersions): ReadonlySet<string> {
  const same = new Set<string>();
  for (const [table, version] of other) if (one.get(table) === version) same.add(table);
  return same;
}
