// Watches what runs in this worker: past its deadline, or when nobody waits for it any more, the engine is
// interrupted, again and again until it stops (one sent before the engine has begun is lost). What cannot be
// interrupted is the lane's business: it kills the process.
import { monotonicMs } from '../base/monotonic.ts';
import { CONTROL, STOP } from '../wire/protocol.ts';

export type StopReason = 'deadline' | 'cancelled' | 'put-back' | 'stalled';

export interface Watched {
  /** Why it was stopped, if it was. */
  readonly stopped: StopReason | undefined;
  /**
   * Waits until some bytes may be sent, and takes them off the credit. The time does not count towards the
   * deadline. False: it is stopped (nobody waits, or nothing was taken for too long). From then on it is not put back.
   */
  takeCredit(bytes: number): Promise<boolean>;
  done(): void;
}

export interface Watch {
  start(interruptible: { interrupt(): void }, slot: number, deadline: number): Watched;
}

/** HARDENING: `interrupt()` every 20 to 50 ms. */
const TICK_MS = 25;
/** How often a stalled body looks whether it was cancelled. */
const STALL_TICK_MS = 250;

/** Resolves when the place no longer holds the value and the other side has notified, or after the time. */
async function waitForChange(memory: Int32Array, at: number, value: number, ms: number): Promise<void> {
  // In every Node we support, but not in the ES2023 types.
  type WaitAsync = (
    memory: Int32Array,
    at: number,
    value: number,
    ms: number,
  ) => { readonly value: string | Promise<string> };
  await (Atomics as unknown as { readonly waitAsync: WaitAsync }).waitAsync(memory, at, value, ms).value;
}

type Check = () => void;

/** @param stallMs after which a reader that takes nothing is given up */
export function createWatch(memory: SharedArrayBuffer, stallMs: number): Watch {
  const control = new Int32Array(memory);
  const running = new Set<Check>();
  let timer: NodeJS.Timeout | undefined;

  const begin = (check: Check): void => {
    running.add(check);
    timer ??= setInterval(() => {
      for (const each of running) each();
    }, TICK_MS);
  };
  const end = (check: Check): void => {
    running.delete(check);
    if (running.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    start(interruptible, slot, firstDeadline) {
      const stopAt = slot * CONTROL.ints + CONTROL.stop;
      const creditAt = slot * CONTROL.ints + CONTROL.credit;
      const hasReaderAt = slot * CONTROL.ints + CONTROL.hasReader;
      let deadline = firstDeadline;
      let stopped: StopReason | undefined;
      let waitsForReader = false;
      let sends = false;
      const check: Check = () => {
        if (stopped === undefined) {
          const told = Atomics.load(control, stopAt);
          if (told === STOP.nobodyWaits) stopped = 'cancelled';
          else if (told === STOP.putBack && !sends) stopped = 'put-back';
          else if (!waitsForReader && monotonicMs() > deadline) stopped = 'deadline';
        }
        if (stopped !== undefined) interruptible.interrupt();
      };
      begin(check);
      return {
        get stopped() {
          return stopped;
        },
        async takeCredit(bytes) {
          const since = monotonicMs();
          let readerSince = since;
          waitsForReader = true;
          sends = true;
          for (;;) {
            if (stopped !== undefined) break;
            const credit = Atomics.load(control, creditAt);
            if (credit > 0) break;
            // Nobody is given what the front holds back: that is no reader's fault.
            if (Atomics.load(control, hasReaderAt) === 0) readerSince = monotonicMs();
            else if (monotonicMs() - readerSince > stallMs) {
              stopped = 'stalled';
              break;
            }
            await waitForChange(control, creditAt, credit, STALL_TICK_MS);
          }
          waitsForReader = false;
          deadline += monotonicMs() - since;
          if (stopped !== undefined) return false;
          // May go below zero by one part: a part is never split.
          Atomics.sub(control, creditAt, bytes);
          return true;
        },
        done: () => end(check),
      };
    },
  };
}
