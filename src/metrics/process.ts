// What the front's process says of itself, and the system of the lanes' processes. Read only when asked.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { type Family, single } from './exposition.ts';

const NANOSECONDS = 1e9;
/** The delay is sampled by a timer this often; what it waits beyond that is the delay. */
const RESOLUTION_MS = 10;

export interface ProcessMetrics {
  families(): readonly Family[];
  close(): void;
}

export function createProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let before = performance.eventLoopUtilization();
  /** Of a sampling timer that was on time, the delay is its own interval. */
  const lag = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000) : 0;
  return {
    families() {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      const families = [
        single('process_cpu_seconds_total', (user + system) / 1e6),
        single('process_resident_memory_bytes', rss),
        single('process_start_time_seconds', performance.timeOrigin / 1000),
        single('process_open_fds', openFiles()),
        single('nodejs_heap_size_used_bytes', heapUsed),
        single('nodejs_external_memory_bytes', external),
        single('nodejs_eventloop_lag_p50_seconds', lag(delay.percentile(50))),
        single('nodejs_eventloop_lag_p99_seconds', lag(delay.percentile(99))),
        single('nodejs_eventloop_lag_max_seconds', lag(delay.max)),
        single('nodejs_eventloop_utilization_ratio', utilization),
      ];
      delay.reset();
      return families;
    },
    close: () => delay.disable(),
  };
}

function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

/** Undefined where the system does not tell, or the process is gone. */
export function residentBytes(pid: number): number | undefined {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
