// What the remote lane says besides what every lane does, and how long its statements live.

/**
 * A statement may be there for its time limit and so many seconds: a reader may take its time. If the process that sent it
 * dies, the cluster ends it by itself then.
 */
export const READING_S = 600;

/** What a statement took of the distributed engine. */
export interface RemoteTimes {
  readonly pages: number;
  /** Of its answers, as they came. */
  readonly bytes: number;
  /** That worked on it. */
  readonly nodes: number;
}

/**
 * Why a statement failed in the remote lane. `refused`: its compiler has no exact words for it; `inexact`: the same, seen
 * while it ran; `memory`, `time`, `size` (of the answer): a limit; `line`: it waited in the gateway's own for too long, or
 * that was full; `full`: the cluster's was; `unavailable`: the cluster does not answer, starts, or has no workers; `lost`:
 * a part of it was, with a node; `gone`: its table is not there; `unlocked`: the self-test was let write; `internal`:
 * anything else.
 */
export type RemoteError =
  | 'refused'
  | 'inexact'
  | 'memory'
  | 'time'
  | 'size'
  | 'line'
  | 'full'
  | 'unavailable'
  | 'lost'
  | 'gone'
  | 'unlocked'
  | 'internal';
