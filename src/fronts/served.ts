// The state of the data that a front answers from, as the supervisor says: replaced in one moment, at which all fronts
// hold their requests, so that no client of one port sees a newer state and then an older one.
import type { Serving } from '../routes/serving.ts';
import { type NextState, type ServedState, servingAfter, servingOf } from './messages.ts';

export interface Served {
  readonly serving: () => Serving;
  /** The one in use, the one before it, and the one that may be turned to at any moment. */
  readonly known: (snapshotId: string) => Serving | undefined;
  /** Until the turn is done; undefined: there is none now. */
  readonly held: () => Promise<void> | undefined;
  /** Calls in the turn of the event loop in which another snapshot is answered from. */
  onTurn(listener: () => void): void;
  /** @param atMs see ToFront @throws Error where it does not come after what is served */
  prepare(state: NextState, atMs: number): Serving;
  hold(): void;
  go(id: string): void;
  drop(id: string): void;
}

/** @param now milliseconds since 1970 */
export function createServed(first: ServedState, now: () => number = Date.now): Served {
  let serving = servingOf(first);
  let before = serving;
  let next: Serving | undefined;
  let holdsFromMs = Number.POSITIVE_INFINITY;
  let held: { readonly until: Promise<void>; readonly release: () => void } | undefined;
  const listeners: (() => void)[] = [];

  const hold = (): void => {
    if (held !== undefined) return;
    let release = (): void => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    held = { until, release };
  };
  const release = (): void => {
    holdsFromMs = Number.POSITIVE_INFINITY;
    held?.release();
    held = undefined;
  };

  return {
    serving: () => serving,
    known: (id) => [serving, before, next].find((each) => each?.snapshotId === id),
    held() {
      if (next !== undefined && now() >= holdsFromMs) hold();
      return held?.until;
    },
    onTurn: (listener) => listeners.push(listener),
    prepare(state, atMs) {
      next = servingAfter(serving, state);
      if (atMs > now()) holdsFromMs = atMs;
      return next;
    },
    hold,
    go(id) {
      if (next?.snapshotId === id) {
        before = serving;
        serving = next;
        next = undefined;
        for (const tell of listeners) tell();
      }
      release();
    },
    drop(id) {
      if (next?.snapshotId === id) next = undefined;
      release();
    },
  };
}
