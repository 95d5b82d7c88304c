// What is told of a lane to whoever watches the gateway.
import type { Lane } from './lane.ts';

export interface LaneStats {
  readonly lane: string;
  readonly serving: boolean;
  readonly pending: number;
  /** Of those: begun by a worker, and waiting for one. */
  readonly running: number;
  readonly queued: number;
  readonly deaths: number;
  readonly pid: number | undefined;
  /** Memory of its process as last heard. */
  readonly rssBytes: number;
  /** See {@link Pong}. */
  readonly nodes: number | undefined;
}

export function statsOf(lane: string, { serving, pending, running, deaths, pid, said }: Lane): LaneStats {
  return {
    lane,
    serving,
    pending,
    running,
    queued: pending - running,
    deaths,
    pid,
    rssBytes: said.rssBytes,
    nodes: said.nodes,
  };
}
