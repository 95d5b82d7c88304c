// Texts by their bytes, as the reference reads them: every byte that is no UTF-8 is a replacement character of its own
// (Go's decoder); the engine of JavaScript makes one of several.
import { isUtf8 } from 'node:buffer';
import type { Cell } from '../encode/json-rows.ts';

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

/** The binding mends what is no UTF-8 in another way than the reference: beside each column, the bytes of a text. */
export function withBytes(sql: string, columns: number): string {
  const names = Array.from({ length: columns }, (_, i) => `c${i}`);
  const cells = names.map((c) => `${c}, iif(typeof(${c}) = 'text', cast(${c} as blob), null)`);
  return `with tablegate_rows(${names.join(', ')}) as (${sql}) select ${cells.join(', ')} from tablegate_rows`;
}

/** The cells of a row of {@link withBytes}. */
export function cellsByBytes(row: readonly Cell[]): Cell[] {
  const cells: Cell[] = [];
  for (let i = 0; i < row.length; i += 2) {
    const bytes = row[i + 1];
    cells.push(bytes instanceof Uint8Array ? textOfBytes(bytes) : (row[i] as Cell));
  }
  return cells;
}
