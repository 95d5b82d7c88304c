// Which snapshots a lane's process has open or is opening, and who waits until it has.
import { resolve as absolute } from 'node:path';
import type { SnapshotRef } from '../wire/protocol.ts';

interface Waiting {
  readonly id: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Openings {
  #used: SnapshotRef | undefined;
  #next: SnapshotRef | undefined;
  #waiting: Waiting[] = [];

  /** Undefined: none yet. */
  get used(): SnapshotRef | undefined {
    return this.#used;
  }

  /** Being opened, or open beside the one in use. */
  get next(): SnapshotRef | undefined {
    return this.#next;
  }

  /** All that a new process is to open, in order. */
  get all(): readonly SnapshotRef[] {
    return [this.#used, this.#next].filter((each) => each !== undefined);
  }

  /** Beside the one in use; the first is in use at once. */
  want(given: SnapshotRef): { readonly wanted: SnapshotRef; readonly opened: Promise<void> } {
    const wanted = inPlace(given);
    if (this.#used === undefined) this.#used = wanted;
    else if (this.#used.id !== wanted.id) this.#next = wanted;
    const opened = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ id: wanted.id, resolve, reject });
    });
    return { wanted, opened };
  }

  use(given: SnapshotRef): void {
    this.#used = inPlace(given);
    this.#next = undefined;
  }

  opened(id: string): void {
    this.#settle(id);
  }

  /** The process is there, and says why it cannot. */
  failed(id: string, why: string): void {
    this.#settle(id, why);
    if (this.#next?.id === id) this.#next = undefined;
  }

  /** The process ended: a snapshot that takes it down as it is opened must not do so again and again. */
  lost(why: string): void {
    if (this.#next !== undefined && this.#settle(this.#next.id, why)) this.#next = undefined;
  }

  /** Nobody waits any longer. */
  giveUp(why: string): void {
    this.#settle(undefined, why);
  }

  /** @param why it cannot be opened; undefined: it is open. @param id undefined: every snapshot. */
  #settle(id: string | undefined, why?: string): boolean {
    const settled = this.#waiting.filter((each) => id === undefined || each.id === id);
    this.#waiting = this.#waiting.filter((each) => !settled.includes(each));
    for (const { resolve, reject } of settled) {
      if (why === undefined) resolve();
      else reject(new Error(why));
    }
    return settled.length > 0;
  }
}

/** The process stands in another folder. */
function inPlace(given: SnapshotRef): SnapshotRef {
  return { ...given, path: absolute(given.path) };
}
