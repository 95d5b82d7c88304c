// One column of some rows as plain memory: what encoders write, whichever engine made it.
import type { Memory } from './byte-writer.ts';

/** One after the other in the order of rows; a NULL's is empty, where it would start. */
export interface Texts extends Memory {
  /** Where each row's text starts in `bytes`. */
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
}

export type ColumnData =
  /** Low and high half of each integer in turn. */
  | { readonly kind: 'integer'; readonly validity: Uint8Array | null; readonly halves: Int32Array }
  | { readonly kind: 'real'; readonly validity: Uint8Array | null; readonly values: Float64Array }
  | { readonly kind: 'text' | 'blob'; readonly validity: Uint8Array | null; readonly texts: Texts }
  | {
      readonly kind: 'any';
      readonly validity: Uint8Array | null;
      readonly tags: Uint8Array;
      /** In the order of value.ts's ANY_TYPE. */
      readonly members: readonly ColumnData[];
    };

/** An integer by its halves, whatever its size. */
export function wholeInteger(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

export function isNull(validity: Uint8Array | null, row: number): boolean {
  return validity !== null && ((validity[row >> 3] as number) & (1 << (row & 7))) === 0;
}
