// The snapshots that a process has open. Of one that replaces another, most tables are mostly those of before: statements of
// these alone go on being run in the store where they are prepared and whose pages are read, until it has been replaced
// for a while. One of very many tables is not even opened before then: SQLite reads the schema of all of them.
import type { TableVersions } from '../snapshot/versions.ts';
import type { RowStore } from './store.ts';

/** The store of a snapshot that was replaced. */
export interface WarmStore {
  readonly store: RowStore;
  /** Whether the table of this lower-case name is the same in the snapshot that is asked for. */
  isSame(table: string): boolean;
}

export interface OpenStores {
  readonly used: string;
  /** Whether a store is open in which statements can go on. */
  readonly isWarm: boolean;
  has(id: string): boolean;
  /** Undefined where it is not open. */
  get(id: string): RowStore | undefined;
  /** @param id of the snapshot that is asked for @returns undefined: there is none, or it is the one that is asked for */
  warm(id: string): WarmStore | undefined;
  add(store: RowStore, versions: TableVersions): void;
  /**
   * Of one that is opened only when the warm one has been replaced for long.
   * @param open gives undefined where it cannot be opened
   */
  addUnopened(id: string, versions: TableVersions, open: () => RowStore | undefined): void;
  /** From now on it is in use. All others are closed, the one that {@link warm} gives a while later. */
  use(id: string): void;
  close(): void;
}

/** The disk space of a snapshot that was removed is held for so long at most; then statements are prepared anew. */
const KEPT_MS = 30_000;
/**
 * The same of one whose next one takes some hundred milliseconds to be opened, while nothing else is answered. Another time in
 * each process: others answer meanwhile.
 */
const UNOPENED_MS = 300_000 + 60_000 * Math.random();

interface Known {
  store: RowStore | undefined;
  readonly versions: TableVersions;
  readonly open?: () => RowStore | undefined;
}

/** @param keptMs for tests @param unopenedMs for tests */
export function createOpenStores(keptMs = KEPT_MS, unopenedMs = UNOPENED_MS): OpenStores {
  const stores = new Map<string, Known>();
  let warm: { readonly id: string; readonly store: RowStore; readonly versions: TableVersions } | undefined;
  let used = '';
  let later: NodeJS.Timeout | undefined;

  const close = (id: string): void => {
    const known = stores.get(id);
    stores.delete(id);
    known?.store?.close();
  };
  /** What is in use is the warm one from now on. */
  const letGo = (): void => {
    clearTimeout(later);
    later = undefined;
    const known = stores.get(used);
    if (known !== undefined) known.store ??= known.open?.();
    const store = known?.store;
    if (known !== undefined && store === undefined && warm !== undefined) {
      // It cannot be opened at this moment: what it has in common with the warm one is still read there.
      later = setTimeout(letGo, unopenedMs).unref();
      return;
    }
    if (warm !== undefined && warm.id !== used) close(warm.id);
    warm =
      known === undefined || store === undefined ? undefined : { id: used, store, versions: known.versions };
  };

  return {
    get used() {
      return used;
    },
    get isWarm() {
      return warm !== undefined;
    },
    has: (id) => stores.has(id),
    get: (id) => stores.get(id)?.store,
    warm(id) {
      const known = stores.get(id);
      if (warm === undefined || known === undefined || id === warm.id) return undefined;
      const { store, versions } = warm;
      return {
        store,
        // A table without a version is never known to be the same.
        isSame(table) {
          const version = versions.get(table);
          return version !== undefined && version === known.versions.get(table);
        },
      };
    },
    add(store, versions) {
      stores.set(store.snapshot, { store, versions });
    },
    addUnopened(id, versions, open) {
      stores.set(id, { store: undefined, versions, open });
    },
    use(id) {
      used = id;
      for (const each of [...stores.keys()]) if (each !== id && each !== warm?.id) close(each);
      const known = stores.get(id);
      if (known === undefined || warm === undefined || id === warm.id) letGo();
      else later ??= setTimeout(letGo, known.store === undefined ? unopenedMs : keptMs).unref();
    },
    close() {
      clearTimeout(later);
      warm = undefined;
      for (const id of [...stores.keys()]) close(id);
    },
  };
}
