// Answers under way in parts. So many of them may wait for their readers without counting as running; and where
// others wait in line for a worker, the one whose reader has taken least in its time can be told.
// Knows no threads: times come in.

export interface Streams {
  /** A part was made. @returns by how many fewer tasks count as running: 1 where this one no longer does */
  began(id: number): number;
  /** So many bytes were taken. The first time, the front handed it on: until then it holds it back, and no reader is slow. */
  taken(id: number, bytes: number, nowMs: number): void;
  /** Answered to its end, or given up; also of a task that made no parts. @returns as `began` */
  ended(id: number): number;
  /**
   * The stream to be given up for those who wait: the slowest of those that have had their time.
   * @param waits whether it has made all that it may before its reader takes some
   */
  slowest(nowMs: number, waits: (id: number) => boolean): number | undefined;
}

/** Every reader has so long to show how fast it is. */
const FIRST_MS = 1_000;

interface Stream {
  /** Since when it has a reader. */
  sinceMs: number | undefined;
  taken: number;
  counts: 'as running' | 'as waiting';
}

/** @param places streams that may wait; more of them count as running */
export function createStreams(places: number): Streams {
  const streams = new Map<number, Stream>();
  let free = places;

  /** The next that counts as running takes a place that is free. */
  const promote = (): number => {
    if (free === 0) return 0;
    for (const stream of streams.values())
      if (stream.counts === 'as running') {
        stream.counts = 'as waiting';
        free -= 1;
        return 1;
      }
    return 0;
  };

  return {
    began(id) {
      if (streams.has(id)) return 0;
      streams.set(id, { sinceMs: undefined, taken: 0, counts: 'as running' });
      return promote();
    },
    taken(id, bytes, nowMs) {
      const stream = streams.get(id);
      if (stream === undefined) return;
      stream.sinceMs ??= nowMs;
      stream.taken += bytes;
    },
    ended(id) {
      const stream = streams.get(id);
      streams.delete(id);
      if (stream?.counts !== 'as waiting') return 1;
      free += 1;
      return promote();
    },
    slowest(nowMs, waits) {
      let found: { readonly id: number; readonly rate: number } | undefined;
      for (const [id, { sinceMs, taken }] of streams) {
        const ms = nowMs - (sinceMs ?? nowMs);
        if (ms < FIRST_MS || !waits(id)) continue;
        const rate = taken / ms;
        if (found === undefined || rate < found.rate) found = { id, rate };
      }
      return found?.id;
    },
  };
}
