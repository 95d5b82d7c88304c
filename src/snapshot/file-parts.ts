// The digest of a snapshot's file: each of its parts has a SHA-256, and all of these, joined in their order, have one. Of a
// large file that changed in a few places only the parts with these places are read again; and it is published by the same
// parts.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { WHOLE_DIGESTS } from './layout.ts';

/**
 * Part of the format: with another value all digests are others. An update changes some pages here and there: smaller parts
 * send less of it, larger ones are fewer to ask for. A row changed in 3 million (156 MB): 2.1 to 3.5 MB; with 64 KiB 1.3 to
 * 2.3 MB of four times as many parts, with 1 MiB 7 to 10 MB.
 */
export const PART_BYTES = 256 * 1024;
/** Of a part. */
const DIGEST_BYTES = 32;

export interface FileParts {
  /** Of the file. */
  readonly bytes: number;
  /** The SHA-256 of its parts, 32 bytes each. */
  readonly digests: Buffer;
}

export function partCount(bytes: number, partBytes = PART_BYTES): number {
  return Math.ceil(bytes / partBytes);
}

/** Lower case hexadecimal. @param digests of all parts of a file */
export function digestOfParts(digests: Uint8Array): string {
  return createHash('sha256').update(digests).digest('hex');
}

/** Lower case hexadecimal, as a snapshot of that format has it. Reads all of the file. */
export async function digestOfFile(path: string, formatVersion: number): Promise<string> {
  if (formatVersion !== WHOLE_DIGESTS) return digestOfParts((await readParts(path)).digests);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: PART_BYTES }))
    hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Reads all of it. */
export async function readParts(path: string): Promise<FileParts> {
  const file = await open(path, 'r');
  try {
    // The next bytes are read while those before are digested. A stream would take new memory for each.
    const buffers = [Buffer.allocUnsafeSlow(PART_BYTES), Buffer.allocUnsafeSlow(PART_BYTES)] as const;
    const read = (part: number): Promise<number> => readPart(file, part, buffers[part % 2 === 0 ? 0 : 1]);
    const digests: Buffer[] = [];
    let bytes = 0;
    let reading = read(0);
    for (let part = 0; ; part++) {
      const filled = await reading;
      if (filled === 0) break;
      reading = filled < PART_BYTES ? Promise.resolve(0) : read(part + 1);
      bytes += filled;
      digests.push(digestOf(buffers[part % 2 === 0 ? 0 : 1].subarray(0, filled)));
    }
    return { bytes, digests: Buffer.concat(digests) };
  } finally {
    await file.close();
  }
}

/**
 * Reads only what may have changed.
 * @param before of the file as it was @param changed places of bytes, one or more of each part that is not as it was; what
 * was added behind the end of then is read without
 */
export async function rereadParts(
  path: string,
  before: FileParts,
  changed: Iterable<number>,
): Promise<FileParts> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const count = partCount(size);
    const parts = new Set<number>();
    for (const place of changed) parts.add(Math.floor(place / PART_BYTES));
    // What was the last one, or is now, is a short one.
    if (size !== before.bytes)
      for (let part = Math.max(0, Math.min(partCount(before.bytes), count) - 1); part < count; part++)
        parts.add(part);
    const digests = Buffer.alloc(count * DIGEST_BYTES);
    before.digests.copy(digests);
    const buffer = Buffer.allocUnsafeSlow(PART_BYTES);
    for (const part of parts) {
      if (part >= count) continue;
      const filled = await readPart(file, part, buffer);
      digestOf(buffer.subarray(0, filled)).copy(digests, part * DIGEST_BYTES);
    }
    return { bytes: size, digests };
  } finally {
    await file.close();
  }
}

/** One call may read less than is there. @returns the bytes that there are of it */
async function readPart(file: FileHandle, part: number, buffer: Buffer): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, part * PART_BYTES + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

const digestOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();
