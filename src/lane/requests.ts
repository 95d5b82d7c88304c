// What was asked of a lane and is not answered to its end, in the order in which it came.
import { monotonicMs } from '../base/monotonic.ts';
import { begun, type Entry, heldTooLong, type LaneRequest, newEntry, overruns } from './entry.ts';
import { handOn } from './parts.ts';

const LAST_ID = 0xffffffff;

export class Requests {
  readonly entries = new Map<number, Entry>();
  /** What is sent first runs first, and alone. */
  readonly #sequential: boolean;
  #lastId = 0;

  constructor(sequential: boolean) {
    this.#sequential = sequential;
  }

  get running(): number {
    return begun(this.entries).length;
  }

  get streaming(): boolean {
    return [...this.entries.values()].some(({ stream }) => stream !== undefined);
  }

  add(request: LaneRequest): { readonly id: number; readonly entry: Entry } {
    this.#lastId = this.#lastId === LAST_ID ? 1 : this.#lastId + 1;
    const entry = newEntry(request, monotonicMs());
    this.entries.set(this.#lastId, entry);
    return { id: this.#lastId, entry };
  }

  /** It goes to the process now. */
  sent(entry: Entry): void {
    entry.sent = true;
    entry.lastActivity = monotonicMs();
  }

  forget(id: number): void {
    this.entries.delete(id);
    if (this.#sequential) this.beginNext();
    else handOn(this.entries);
  }

  /** The process says nothing of a begin where it runs one after the other: that would cost more than the statement. */
  beginNext(): void {
    if (!this.#sequential) return;
    const first = this.entries.values().next().value;
    if (first?.sent === true) first.startedAt ??= monotonicMs();
  }

  /** Held back, while no process serves, for longer than anybody waits. */
  heldTooLong(now: number): readonly (readonly [number, Entry])[] {
    return [...this.entries].filter(([, entry]) => !entry.sent && heldTooLong(entry, now));
  }

  get unsent(): readonly (readonly [number, Entry])[] {
    return [...this.entries].filter(([, entry]) => !entry.sent);
  }

  /** Marks what could not be stopped in time. @returns whether there is any */
  markOverruns(now: number): boolean {
    const guilty = [...this.entries.values()].filter((entry) => entry.sent && overruns(entry, now));
    for (const entry of guilty) entry.loss = 'overrun';
    return guilty.length > 0;
  }
}
