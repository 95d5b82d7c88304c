// Texts by their bytes, as the reference reads them: every byte that is no UTF-8 is a replacement character of its own
// (Go's decoder); the engine of JavaScript makes one of several.
import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\ufffd';

export function textOfBytes(bytes: Uint8Array): string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(all)) return all.toString('utf8');
  let text = '';
  for (let at = 0; at < all.length; ) {
    const length = sequenceLength(all, at);
    text += length === 0 ? REPLACEMENT : all.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

/** Bytes of the character at a place; 0: there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  const length =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** Whether a text may have had bytes that are no UTF-8. */
export function mayBeBroken(value: unknown): boolean {
  return typeof value === 'string' && value.includes(REPLACEMENT);
}
