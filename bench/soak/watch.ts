// Memory, open files and threads of the gateway's processes over time, from /proc; empty where there is none.
import { readdirSync, readFileSync } from 'node:fs';
import { family, residentBytes } from '../processes.ts';

export interface ProcessSample {
  readonly seconds: number;
  readonly frontBytes: number;
  /** All that the front started: lanes, and what builds snapshots. */
  readonly childrenBytes: number;
  readonly frontFiles: number;
  readonly childrenFiles: number;
  readonly threads: number;
}

export interface ProcessWatch {
  readonly samples: readonly ProcessSample[];
  stop(): void;
}

function openFiles(pids: readonly number[]): number {
  return sum(pids, (pid) => readdirSync(`/proc/${pid}/fd`).length);
}

function threadsOf(pids: readonly number[]): number {
  return sum(pids, (pid) =>
    Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  );
}

function sum(pids: readonly number[], read: (pid: number) => number): number {
  return pids.reduce((total, pid) => {
    try {
      return total + read(pid);
    } catch {
      // Ended since the listing.
      return total;
    }
  }, 0);
}

export function watchProcesses(pid: number, everyMs: number): ProcessWatch {
  const started = performance.now();
  const samples: ProcessSample[] = [];
  const look = (): void => {
    const [front = pid, ...children] = family(pid);
    samples.push({
      seconds: (performance.now() - started) / 1000,
      frontBytes: residentBytes([front]),
      childrenBytes: residentBytes(children),
      frontFiles: openFiles([front]),
      childrenFiles: openFiles(children),
      threads: threadsOf([front, ...children]),
    });
  };
  look();
  const timer = setInterval(look, everyMs);
  return { samples, stop: () => clearInterval(timer) };
}
