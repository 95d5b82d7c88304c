// Which kind of store an address means.
import { isHttp, isS3, readS3Credentials } from './address.ts';
import { folderStore } from './folder-store.ts';
import { httpStore } from './http-store.ts';
import type { Store } from './store.ts';

/**
 * @param address a folder, `http(s)://HOST/PATH` or `s3://BUCKET/PREFIX`, without a slash at the end
 * @param authorization for http(s)
 * @throws OperatorError where credentials are missing
 */
export async function openStore(address: string, authorization: string): Promise<Store> {
  if (isHttp(address)) return httpStore(address, authorization);
  if (!isS3(address)) return folderStore(address);
  const credentials = readS3Credentials(process.env);
  return (await import('./s3-store.ts')).s3Store(address, credentials);
}
