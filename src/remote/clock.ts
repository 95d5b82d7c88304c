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
): Clock & { stop(): void } {
  let left = leftMs;
  let since = performance.now();
  let timer = setTimeout(onEnd, left, 'time');
  return {
    pause() {
      clearTimeout(timer);
      left -= performance.now() - since;
      timer = setTimeout(onEnd, stallMs, 'stalled');
    },
    resume() {
      clearTimeout(timer);
      since = performance.now();
      timer = setTimeout(onEnd, Math.max(0, left), 'time');
    },
    stop: () => clearTimeout(timer),
  };
}
