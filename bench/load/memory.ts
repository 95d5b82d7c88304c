// Resident memory of a target's processes over the time of a run.

import { family, residentBytes } from '../processes.ts';
import type { MemorySample } from '../results.ts';

const EVERY_MS = 100;
/** A longer run keeps every second, every fourth ... sample: a line of a result stays small. */
const MOST_SAMPLES = 200;

export interface MemoryWatch {
  stop(): { readonly samples: readonly MemorySample[]; readonly grownBytes: number };
}

/** @param pids the target's own processes; those that they started are counted too. */
export function watchMemory(pids: readonly number[]): MemoryWatch {
  const started = performance.now();
  let samples: MemorySample[] = [];
  let every = 1;
  let ticks = 0;
  let most = 0;
  // Who descends from whom is read once: a lane that starts anew during a run is the exception.
  const members = pids.flatMap((pid) => family(pid));
  const look = (): void => {
    const bytes = residentBytes(members);
    most = Math.max(most, bytes);
    if (ticks++ % every === 0) samples.push({ ms: Math.round(performance.now() - started), bytes });
    if (samples.length > MOST_SAMPLES) {
      samples = samples.filter((_, index) => index % 2 === 0);
      every *= 2;
    }
  };
  look();
  const first = samples[0]?.bytes ?? 0;
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { samples, grownBytes: most - first };
    },
  };
}
