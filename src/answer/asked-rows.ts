// A query as the answer's parts know it, and what names it.
import type { Literal, QueryJob } from '../protocol.ts';

/** A query, and what names its answer. */
export interface AskedRows {
  readonly job: QueryJob;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** All that the answer depends on, the snapshot included; and the same without the literals. */
  readonly key: string;
  readonly shapeKey: string;
}

/** Names a shape in one form of the answer, whatever the snapshot is. */
export function formKey({ shape, output: { format, extract, unwrap } }: QueryJob): string {
  return `${format} ${extract} ${unwrap}\n${shape}`;
}

/** Lengths stand before texts, so that no two lists of literals have one key. */
export function literalKey({ kind, text, source = '', param }: Literal): string {
  return `\n${kind}${param === true ? '?' : ''} ${text.length}:${text}${source.length}:${source}`;
}
