// What a load can be put on. Each target is started for one workload and stopped after it.

import type { Dataset } from '../dataset.ts';
import { keyHeaders } from '../http-client.ts';
import type { TargetName, Workload } from '../workload.ts';

export interface Target {
  readonly name: TargetName;
  /** `http://127.0.0.1:8080/api/v1`; '' for the engine, which speaks no HTTP. */
  readonly base: string;
  /** Own processes whose memory is watched; none for a gateway given by its address. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export interface StartContext {
  readonly dataset: Dataset;
  readonly workload: Workload;
  /** Seed of the statements. */
  readonly seed: number;
  /** Targets that run already, for one that answers what another did. */
  readonly running: readonly Target[];
}

export async function isHealthy(base: string): Promise<boolean> {
  try {
    const answer = await fetch(`${base}/health`, { headers: keyHeaders() });
    await answer.arrayBuffer();
    return answer.status === 200;
  } catch {
    return false;
  }
}
