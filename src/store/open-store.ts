// Which kind of store an address means.
import { OperatorError } from '../base/errors.ts';
import { folderStore } from './folder-store.ts';
import type { Store } from './store.ts';

/** @param address a folder, `http(s)://...` or `s3://BUCKET/PREFIX` @throws OperatorError */
export async function openStore(address: string, _authorization: string): Promise<Store> {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return folderStore(address);
  throw new OperatorError(
    `${address.split('://')[0]}:// is no place for snapshots: a folder, http(s):// or s3://`,
  );
}
