// Processor time of a target's processes by kind, and how busy the machine was with others, from /proc. Empty
// where there is none.
import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { family } from '../processes.ts';

/** `/proc` counts in ticks of 10 ms on every Linux that Node.js runs on. */
const TICK_US = 10_000;

interface Ticks {
  readonly own: number;
  /** Of children that ended and were waited for. */
  readonly children: number;
}

function ticksOf(pid: number): Ticks {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      own: Number(fields[11]) + Number(fields[12]),
      children: Number(fields[13]) + Number(fields[14]),
    };
  } catch {
    return { own: 0, children: 0 };
  }
}

/**
 * Lanes are told what they are by their environment, fronts of several by their program; others are known by their name.
 * The process that was started is the only front, or the one behind them.
 */
function kindOf(pid: number, root: number): string {
  if (pid === root) return 'front';
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('/fronts/main.')) return 'fronts';
    const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
    const lane = /\0?TABLEGATE_LANE=[^\0]*?"lane":"(\w+)"/.exec(environ)?.[1];
    if (lane !== undefined) return lane;
    // Fronts of a gateway that has several, beside its supervisor.
    if (/\bfronts\/main\.[jt]s\0/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))) return 'front';
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'ended';
  }
}

/** Microseconds of processor time by kind of process, since the system started. */
export type Usage = ReadonlyMap<string, number>;

export function readUsage(pids: readonly number[]): Usage {
  const usage = new Map<string, number>();
  const add = (kind: string, ticks: number): void => {
    usage.set(kind, (usage.get(kind) ?? 0) + ticks * TICK_US);
  };
  // A target's processes may be given with what they started themselves: each counts once.
  const seen = new Set<number>();
  for (const root of pids) {
    for (const pid of family(root)) {
      if (seen.has(pid)) continue;
      seen.add(pid);
      const { own, children } = ticksOf(pid);
      add(kindOf(pid, root), own);
      add('ended', children);
    }
  }
  return usage;
}

/** What was used between two readings; kinds that used nothing are left out. */
export function usedBetween(before: Usage, after: Usage): Record<string, number> {
  const used: Record<string, number> = {};
  for (const [kind, us] of after) {
    const spent = us - (before.get(kind) ?? 0);
    if (spent > 0) used[kind] = spent;
  }
  return used;
}

/** The share of each of so many. */
export function sharesOf(used: Readonly<Record<string, number>>, count: number): Record<string, number> {
  return Object.fromEntries(Object.entries(used).map(([kind, us]) => [kind, us / Math.max(1, count)]));
}

export function totalOf(used: Readonly<Record<string, number>>): number {
  return Object.values(used).reduce((sum, us) => sum + us, 0);
}

/** How busy the machine was while something ran. */
export interface Surroundings {
  /** Cores that processes used which are neither the target nor the bench. */
  readonly othersCores: number;
  /** Share of the time in which somebody waited for a core, in percent: /proc/pressure/cpu. */
  readonly pressurePercent: number;
  /** Of the machine's processor time, in percent, what the host gave to other machines: /proc/stat. */
  readonly stealPercent?: number;
  readonly loadAverage: number;
}

/** From here on a figure says more of the others than of the target. */
export const BUSY_CORES = 0.25;
const BUSY_STEAL_PERCENT = 2;
/** Of the cores, in processes that want one; before the load, when nothing of the bench runs yet. */
const BUSY_LOAD_SHARE = 0.5;

/**
 * Why a figure is not to be trusted; undefined where it may be.
 * @param target of the figure: one that was given by its address may run here, and would be among the others
 */
export function busyWith(
  { othersCores, stealPercent = 0 }: Surroundings,
  target: string,
): string | undefined {
  const why = [
    ...(othersCores > BUSY_CORES && !/^url2?$/.test(target)
      ? [`others used ${othersCores.toFixed(1)} cores`]
      : []),
    ...(stealPercent > BUSY_STEAL_PERCENT ? [`the host took ${stealPercent.toFixed(0)} %`] : []),
  ];
  return why.length === 0 ? undefined : why.join(', ');
}

/** Said before anything is measured. */
export function busyBefore(): string | undefined {
  const [load = 0] = loadavg();
  return load > BUSY_LOAD_SHARE * availableParallelism()
    ? `machine busy: do not trust (load average ${load.toFixed(1)} on ${availableParallelism()} cores before the start)`
    : undefined;
}

interface Moment {
  readonly ms: number;
  readonly busyUs: number;
  readonly oursUs: number;
  readonly waitedUs: number;
  readonly stolenUs: number;
  /** Of all cores together. */
  readonly allUs: number;
}

function moment(ours: readonly number[]): Moment {
  let busyUs = 0;
  let waitedUs = 0;
  let stolenUs = 0;
  let allUs = 0;
  try {
    const [, user, nice, system, idle, iowait, irq, softirq, steal] = (
      /^cpu .*/m.exec(readFileSync('/proc/stat', 'utf8'))?.[0] ?? ''
    )
      .split(/\s+/)
      .map(Number);
    // Interrupts of the load itself are of no process: they are not taken for the others'.
    busyUs = ((user ?? 0) + (nice ?? 0) + (system ?? 0)) * TICK_US;
    stolenUs = (steal ?? 0) * TICK_US;
    allUs = busyUs + stolenUs + ((idle ?? 0) + (iowait ?? 0) + (irq ?? 0) + (softirq ?? 0)) * TICK_US;
  } catch {
    // No /proc.
  }
  try {
    waitedUs = Number(/^some .*total=(\d+)/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? 0);
  } catch {
    // A kernel without pressure figures.
  }
  const oursUs = totalOf(Object.fromEntries(readUsage(ours)));
  return { ms: performance.now(), busyUs, oursUs, waitedUs, stolenUs, allUs };
}

/** @param ours whose work, with that of all they started, is not the others' */
export function watchSurroundings(ours: readonly number[]): () => Surroundings {
  const before = moment(ours);
  return () => {
    const after = moment(ours);
    const us = Math.max(1, (after.ms - before.ms) * 1000);
    const others = after.busyUs - before.busyUs - (after.oursUs - before.oursUs);
    const round = (value: number): number => Math.round(value * 100) / 100;
    return {
      othersCores: round(Math.max(0, others / us)),
      pressurePercent: round(Math.min(100, ((after.waitedUs - before.waitedUs) / us) * 100)),
      stealPercent: round(
        ((after.stolenUs - before.stolenUs) / Math.max(1, after.allUs - before.allUs)) * 100,
      ),
      loadAverage: round(loadavg()[0] ?? 0),
    };
  };
}
