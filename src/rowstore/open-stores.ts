// The snapshots that a process has open. Of one that replaces another, most tables are mostly those of before: statements of
// these alone go on being run in the store where they are prepared and whose pages are read, until it has been replaced
// for a while.
import type { RowStore } from './store.ts';

/** When each table of a snapshot changed last, by its lower-case name. */
export type TableVersions = ReadonlyMap<string, string>;

/** A snapshot that was replaced, whose tables are in part those of the one that is asked for. */
export interface Before {
  readonly store: RowStore;
  /** Lower-case names of the tables that did not change since. */
  readonly same: ReadonlySet<string>;
}

export interface OpenStores {
  readonly used: string;
  has(id: string): boolean;
  get(id: string): RowStore | undefined;
  /** @returns undefined: there is none, or it is the one that is asked for */
  before(id: string): Before | undefined;
  add(store: RowStore, versions: TableVersions): void;
  /** From now on it is in use. All others are closed, the one that {@link before} gives a while later. */
  use(id: string): void;
  close(): void;
}

/** The disk space of a snapshot that was removed is held for so long at most; then statements are prepared anew. */
const KEPT_MS = 30_000;

interface Opened {
  readonly store: RowStore;
  readonly versions: TableVersions;
  /** With what it was compared, and the tables that are the same there. */
  compared?: { readonly with: Opened; readonly same: ReadonlySet<string> };
}

/** @param keptMs for tests */
export function createOpenStores(keptMs = KEPT_MS): OpenStores {
  const stores = new Map<string, Opened>();
  /** Was in use before the one that is; what was prepared is there. The same, where none is left. */
  let first: Opened | undefined;
  let used = '';
  let later: NodeJS.Timeout | undefined;

  const close = (id: string, { store }: Opened): void => {
    stores.delete(id);
    store.close();
  };
  const letGo = (): void => {
    clearTimeout(later);
    later = undefined;
    const gone = first;
    first = stores.get(used);
    if (gone !== undefined && gone !== first) close(gone.store.snapshot, gone);
  };

  return {
    get used() {
      return used;
    },
    has: (id) => stores.has(id),
    get: (id) => stores.get(id)?.store,
    before(id) {
      const opened = stores.get(id);
      if (first === undefined || opened === undefined || opened === first) return undefined;
      if (opened.compared?.with !== first)
        opened.compared = { with: first, same: sameOf(first.versions, opened.versions) };
      return { store: first.store, same: opened.compared.same };
    },
    add(store, versions) {
      stores.set(store.snapshot, { store, versions });
    },
    use(id) {
      used = id;
      for (const [each, opened] of stores) if (each !== id && opened !== first) close(each, opened);
      const opened = stores.get(id);
      if (opened === undefined || first === undefined) letGo();
      else if (opened !== first) later ??= setTimeout(letGo, keptMs).unref();
    },
    close() {
      clearTimeout(later);
      for (const [id, opened] of stores) close(id, opened);
      first = undefined;
    },
  };
}

/** What has no version changes with every snapshot. */
function sameOf(one: TableVersions, other: TableVersions): ReadonlySet<string> {
  const same = new Set<string>();
  for (const [table, version] of other) if (one.get(table) === version) same.add(table);
  return same;
}
