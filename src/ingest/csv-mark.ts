// A copy of a CSV file without the byte order mark at its start, for the one header that the engine cannot read behind one.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { fileBytes } from './file-bytes.ts';

export const BYTE_ORDER_MARK: Buffer = Buffer.from([0xef, 0xbb, 0xbf]);

export async function copyWithoutMark(path: string, target: string): Promise<void> {
  await pipeline(fileBytes(path).bytes, withoutMark, createWriteStream(target));
}

async function* withoutMark(parts: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let left = BYTE_ORDER_MARK.length;
  for await (const part of parts) {
    const cut = Math.min(left, part.length);
    left -= cut;
    yield part.subarray(cut);
  }
}
