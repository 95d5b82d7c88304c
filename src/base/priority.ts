// Lets this process's threads leave the processor to others that want it too. After what somebody waits for, such as its
// start.
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** On Linux a nice value is a thread's own; threads that are made later inherit their maker's. */
export function lowerPriority(nice: number): void {
  if (nice === 0) return;
  try {
    const lower = Math.min(19, getPriority() + nice);
    for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), lower);
  } catch {
    // Where the system has or allows no such thing, scans and lookups share as equals.
  }
}
