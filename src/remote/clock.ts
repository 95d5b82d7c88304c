// The time that a statement may still take. It stands still while its reader has what there is of the answer; then that
// has its own.
import type { Clock } from './run.ts';

export interface ClockOptions {
  readonly leftMs: number;
  /** For the reader to take something. */
  readonly stallMs: number;
}

/** @param onEnd called once */
export function createClock(
  { leftMs, stallMs }: ClockOptions,
  onEnd: (why: 'time' | 'stalled') => void,
): Clock & {
  /** Its reader took something: it has its whole time anew. */
  taken(): void;
  stop(): void;
} {
  let left = leftMs;
  let since = performance.now();
  let timer = setTimeout(onEnd, left, 'time');
  let isPaused = false;
  const waitForReader = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onEnd, stallMs, 'stalled');
  };
  return {
    pause() {
      isPaused = true;
      left -= performance.now() - since;
      waitForReader();
    },
    taken() {
      if (isPaused) waitForReader();
    },
    resume() {
      isPaused = false;
      clearTimeout(timer);
      since = performance.now();
      timer = setTimeout(onEnd, Math.max(0, left), 'time');
    },
    stop() {
      isPaused = false;
      clearTimeout(timer);
    },
  };
}
