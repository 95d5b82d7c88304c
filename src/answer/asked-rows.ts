// A query as the answer's parts know it, and what names it.
import type { Literal, QueryJob } from '../protocol.ts';

/** A query, and what names its answer. */
export interface AskedRows {
  readonly job: QueryJob;
  /** Names statement and form: all that the answer depends on but the data. */
  readonly name: string;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** Names the answer: the name, and the state of the data in that snapshot. Undefined before the shape has run. */
  readonly key: string | undefined;
}

/** Names a shape in one form of the answer. */
export function formKey({ shape, output: { format, extract, unwrap } }: QueryJob): string {
  return `${format} ${extract} ${unwrap}\n${shape}`;
}

/** Lengths stand before texts, so that no two lists of literals have one key. */
export function literalKey({ kind, text, source = '', param }: Literal): string {
  return `\n${kind}${param === true ? '?' : ''} ${text.length}:${text}${source.length}:${source}`;
}
