// Whether a lane's process still answers, and how much memory it holds: asked every tick, judged by its owner.
// Knows nothing of what the process does.
import type { Pong } from '../wire/frames.ts';

export interface Pulse {
  /** A process was started. */
  begin(now: number): void;
  /** @param said what the process says of itself */
  heard(now: number, said: Pong): void;
  /** Whether to ask now. */
  due(now: number): boolean;
  /** Whether it has been silent for too long. Says so once. */
  silent(now: number): boolean;
  /** As last heard. */
  readonly said: Pong;
}

/** How long memory may grow unseen: an engine takes a gigabyte in some 300 ms. */
const ASK_MS = 50;
/** Long: a machine that is too busy to answer is no reason to start processes on it. */
const SILENT_MS = 10_000;
const NOTHING: Pong = { rssBytes: 0 };

export function createPulse(): Pulse {
  let asked = 0;
  let answered = 0;
  let said: Pong = NOTHING;
  return {
    begin(now) {
      answered = now;
      said = NOTHING;
    },
    heard(now, pong) {
      answered = now;
      said = pong;
    },
    due(now) {
      if (now - asked < ASK_MS) return false;
      asked = now;
      return true;
    },
    silent(now) {
      if (now - answered < SILENT_MS) return false;
      answered = now;
      return true;
    },
    get said() {
      return said;
    },
  };
}
