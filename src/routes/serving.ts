// What the routes must know of the snapshot that is being served. Replaced as a whole at a swap.

export interface Serving {
  readonly snapshotId: string;
  /** The snapshot's chains and those of the setting. */
  readonly chains: ReadonlySet<number>;
}
