// Descriptions of tables by snapshot, chain and id, in an LRU: looked up once, also where there is no such
// table. Knows no HTTP and no SQL: a look-up is a function that it is given.
import { LRUCache } from 'lru-cache';

export interface TableKey {
  readonly snapshotId: string;
  readonly chainId: number;
  /** Decimal digits without leading zeros. */
  readonly tableId: string;
}

export interface Catalog<Document> {
  /** What a look-up that has ended found: null is no such table, undefined is not known. */
  known(key: TableKey): Document | null | undefined;
  /**
   * @param load runs once for all who ask at the same time; its failure is not kept
   */
  find(key: TableKey, load: () => Promise<Document | null>): Promise<Document | null>;
  readonly entries: number;
}

interface Entry<Document> {
  readonly loading: Promise<Document | null>;
  document?: Document | null;
}

/** Ids are up to 78 digits of client's choosing: keys this long are looked up but not kept. */
const MAX_KEPT_ID_DIGITS = 78;

export function createCatalog<Document>(maxEntries: number): Catalog<Document> {
  const entries = new LRUCache<string, Entry<Document>>({ max: maxEntries });
  return {
    known: (key) => entries.get(nameOf(key))?.document,
    find(key, load) {
      if (key.tableId.length > MAX_KEPT_ID_DIGITS) return load();
      const name = nameOf(key);
      const kept = entries.get(name);
      if (kept !== undefined) return kept.loading;
      const entry: Entry<Document> = { loading: load() };
      entries.set(name, entry);
      entry.loading.then(
        (document) => {
          entry.document = document;
        },
        () => {
          if (entries.peek(name) === entry) entries.delete(name);
        },
      );
      return entry.loading;
    },
    get entries() {
      return entries.size;
    },
  };
}

function nameOf({ snapshotId, chainId, tableId }: TableKey): string {
  return `${snapshotId}/${chainId}/${tableId}`;
}
