// A query as the answer's parts know it.
import type { QueryJob } from '../protocol.ts';

/** A query, and what names its answer. */
export interface AskedRows {
  readonly job: QueryJob;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** All that the answer depends on, the snapshot included; and the same without the literals. */
  readonly key: string;
  readonly shapeKey: string;
}
