// What the routes must know of the snapshot that is being served. Replaced as a whole at a swap.
import type { DataState } from '../answer/reads.ts';

export interface Serving extends DataState {
  /** The snapshot's chains and those of the setting. */
  readonly chains: ReadonlySet<number>;
  /** Chain id and the last block that is in it, by chain ascending. */
  readonly blocks: readonly (readonly [chainId: number, blockNumber: number])[];
  /** When it was made, milliseconds since 1970. */
  readonly createdMs: number;
}

/** Whether the data is kept fresh, as far as this gateway can tell. */
export interface FollowReport {
  /** See snapshot/follow-status.ts. */
  readonly state: string;
  /** In one line; undefined where nothing is wrong. */
  readonly problem: string | undefined;
  readonly source: string | undefined;
  /** This gateway follows when another process that does it ends. */
  readonly standsBy?: boolean | undefined;
}
