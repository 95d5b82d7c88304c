// A query as the answer's parts know it, and what names it.
import type { Literal, Output, QueryJob } from '../wire/protocol.ts';

/** A query, and what names it in every state of the data. */
export interface NamedQuery {
  readonly job: QueryJob;
  /** Of statement and form: all that the answer depends on but the data. */
  readonly name: string;
}

/** A query that is asked of a snapshot. */
export interface AskedRows extends NamedQuery {
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** Of what its shape reads there; see reads.ts. Undefined before the shape has run. */
  readonly state: string | undefined;
  /** Names the answer: made of name and state. */
  readonly key: string | undefined;
}

/** Names the form of an answer. */
export function formKey({ format, extract, unwrap }: Output): string {
  return ` ${format} ${extract} ${unwrap}`;
}

/** Lengths stand before texts, so that no two lists of literals have one key. */
export function literalKey({ kind, text, source = '', param }: Literal): string {
  return `\n${kind}${param === true ? '?' : ''} ${text.length}:${text}${source.length}:${source}`;
}
