// Waits for the first snapshot that can be served, of whoever brings snapshots into the data folder. The log says once what
// it waits for.
import type { Observe } from '../base/observe.ts';
import { listSnapshots } from '../snapshot/folder.ts';
import { pause } from './turn.ts';

export interface FirstSnapshot {
  /** The data folder. */
  readonly data: string;
  /** Finds one. @throws Error why what is there cannot be served */
  readonly find: (data: string) => Promise<unknown>;
  readonly observe: Observe;
  readonly signal: AbortSignal;
  /** There is none at all yet. @throws Error where nobody will bring one */
  readonly onNone?: () => void;
  /** What is there cannot be served. @throws Error where nobody will mend it */
  readonly onFault?: (fault: Error) => Promise<void>;
}

const LOOK_MS = 50;
const LOOK_BROKEN_MS = 500;

/** @throws Error of onNone and onFault */
export async function untilServable(options: FirstSnapshot): Promise<void> {
  const { data, find, observe, signal, onNone, onFault } = options;
  while ((await listSnapshots(data)).length === 0) {
    onNone?.();
    await pause(LOOK_MS, signal);
  }
  // What is damaged, or of another format, is brought anew.
  for (let said = false; ; said = true) {
    const fault = await find(data).then(
      () => undefined,
      (error: Error) => error,
    );
    if (fault === undefined) return;
    await onFault?.(fault);
    if (!said)
      observe({ type: 'note', level: 'warn', text: `waiting for another snapshot: ${fault.message}` });
    await pause(LOOK_BROKEN_MS, signal);
  }
}
