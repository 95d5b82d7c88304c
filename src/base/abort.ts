// Whether anybody still waits, in the form of an AbortSignal and for a hundredth of its cost: a pair of
// AbortController and listener takes 5 us, and every statement needs two.

/** The part of AbortSignal that the gateway uses: every AbortSignal is one. */
export interface Abort {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** The listener is called once at most. */
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Both ends in one object: who may abort keeps it, others get it as {@link Abort}. */
export class Aborter implements Abort {
  aborted = false;
  reason: unknown = undefined;
  #listeners: (() => void)[] = [];

  /** Once; later calls change nothing. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }
}

/** For what cannot be stopped by itself, or is not to be: it goes on. @throws the signal's reason; what the promise rejects with */
export async function beforeAbort<T>(promise: Promise<T>, signal: Abort): Promise<T> {
  promise.catch(() => {});
  let stopped = (): void => {};
  const stop = new Promise<never>((_, reject) => {
    stopped = () => reject(signal.reason);
    signal.addEventListener('abort', stopped);
    if (signal.aborted) stopped();
  });
  try {
    return await Promise.race([promise, stop]);
  } finally {
    signal.removeEventListener('abort', stopped);
  }
}
