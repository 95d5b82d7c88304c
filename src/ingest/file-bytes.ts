// The bytes of a file, unpacked where its name ends in .gz.
import { createReadStream, type ReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface FileBytes {
  /** Fails where the file cannot be read or unpacked. */
  readonly bytes: Readable;
  /** As it lies there: how much of it was read, and to be destroyed where the rest is not wanted. */
  readonly file: ReadStream;
}

export function fileBytes(path: string): FileBytes {
  const file = createReadStream(path, { highWaterMark: 1 << 18 });
  if (!/\.gz$/i.test(path)) return { bytes: file, file };
  const bytes = file.pipe(createGunzip());
  file.once('error', (error) => bytes.destroy(error));
  return { bytes, file };
}
