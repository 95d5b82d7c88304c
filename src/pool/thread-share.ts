// How many engine threads a statement gets: those that run long share the lane's. Each worker's engine has threads
// of its own, and two scans with all of them would put twice as many on the cores as there are: no scan is sooner
// done, and whoever wakes up for a lookup waits behind them.

/** What has run for so long is a scan; lookups come and go, and need but one thread. */
const SCAN_MS = 20;

/**
 * @param threads of the lane
 * @param others when those began that run now, on the clock of `now`
 */
export function threadShare(threads: number, others: Iterable<number>, now: number): number {
  if (threads === 1) return 1;
  let sharers = 1;
  for (const began of others) if (now - began >= SCAN_MS) sharers += 1;
  return Math.max(1, Math.floor(threads / sharers));
}
