// Control groups with a quota of processor time, one a process: a machine of few cores stands in for one of many, in
// which each process has a core of its own. Needs root; version 1 or 2.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Quotas {
  /** Each of these may use so much of a core from now on, with all its threads. */
  hold(pids: readonly number[], share: number): void;
  /** All of these together, and whatever they start. @param periodUs in which they may use so much of it */
  holdTogether(pids: readonly number[], share: number, periodUs?: number): void;
  /** Ends the limits; of processes that are gone by now, too. */
  close(): void;
}

/** Short, so that a process that has used its share is not away for longer than a request takes. */
const PERIOD_US = 10_000;
const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';

/** Undefined where there are no groups to be had. */
export function createQuotas(): Quotas | undefined {
  const controllers = join(V2, 'cgroup.controllers');
  const isV2 = existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s+/).includes('cpu');
  const base = join(isV2 ? V2 : V1, `tablegate-bench-${process.pid}`);
  const home = isV2 ? V2 : V1;
  try {
    if (isV2) writeFileSync(join(V2, 'cgroup.subtree_control'), '+cpu');
    mkdirSync(base);
    if (isV2) writeFileSync(join(base, 'cgroup.subtree_control'), '+cpu');
  } catch {
    return undefined;
  }
  const empty = (folder: string): void => {
    for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean))
      try {
        writeFileSync(join(home, 'cgroup.procs'), pid);
      } catch {
        // Gone since.
      }
    rmdirSync(folder);
  };
  const groups = (): string[] =>
    readdirSync(base, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(base, name));
  const holdTogether: Quotas['holdTogether'] = (pids, share, periodUs = PERIOD_US) => {
    const folder = join(base, String(pids[0]));
    const quota = Math.round(periodUs * share);
    mkdirSync(folder);
    if (isV2) writeFileSync(join(folder, 'cpu.max'), `${quota} ${periodUs}`);
    else {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
    }
    for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  };
  return {
    hold(pids, share) {
      for (const pid of pids) holdTogether([pid], share);
    },
    holdTogether,
    close() {
      for (const folder of groups()) empty(folder);
      rmdirSync(base);
    },
  };
}
