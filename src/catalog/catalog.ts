// Descriptions of tables by snapshot, chain and id, in an LRU: looked up once, also where there is no such
// table. Knows no HTTP and no SQL: a look-up is a function that it is given.
import { LRUCache } from 'lru-cache';

export interface TableKey {
  readonly snapshotId: string;
  readonly chainId: number;
  /** Decimal digits without leading zeros. */
  readonly tableId: string;
}

export interface Catalog {
  /**
   * The table's JSON, or null where there is none.
   * @param load runs once for all who ask at the same time; its failure is not kept
   */
  find(key: TableKey, load: () => Promise<string | null>): Promise<string | null>;
  readonly entries: number;
}

/** Ids are up to 78 digits of client's choosing: keys this long are looked up but not kept. */
const MAX_KEPT_ID_DIGITS = 78;

export function createCatalog(maxEntries: number): Catalog {
  const documents = new LRUCache<string, Promise<string | null>>({ max: maxEntries });
  return {
    find(key, load) {
      if (key.tableId.length > MAX_KEPT_ID_DIGITS) return load();
      const name = `${key.snapshotId}/${key.chainId}/${key.tableId}`;
      const kept = documents.get(name);
      if (kept !== undefined) return kept;
      const loading = load();
      documents.set(name, loading);
      loading.catch(() => {
        if (documents.peek(name) === loading) documents.delete(name);
      });
      return loading;
    },
    get entries() {
      return documents.size;
    },
  };
}
