// A copy of a CSV file without the byte order mark at its start, for the one header that the engine cannot read behind one.
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export const BYTE_ORDER_MARK: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);

export async function copyWithoutMark(path: string, target: string): Promise<void> {
  const bytes = BYTE_ORDER_MARK.length;
  if (!/\.gz$/i.test(path)) {
    await pipeline(createReadStream(path, { start: bytes }), createWriteStream(target));
    return;
  }
  const withoutMark = async function* (parts: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    let left = bytes;
    for await (const part of parts) {
      const cut = Math.min(left, part.length);
      left -= cut;
      yield part.subarray(cut);
    }
  };
  await pipeline(createReadStream(path), createGunzip(), withoutMark, createWriteStream(target));
}
