// Engines that stay with a lane's process after they were closed keep some megabytes and files each: a process that has
// many of them is replaced, when nobody loses by it where that can be waited for. Nothing that ran there is to blame.
import { MOST_WORN } from '../wire/protocol.ts';
import type { Entry } from './entry.ts';

/** With so many, it is replaced when it has nothing to do. */
const MANY_WORN = 8;
/** With so many, when all that it runs can be run again: nobody has seen anything of an answer. */
const MORE_WORN = MOST_WORN / 2;

export class Wear {
  #engines = 0;
  #spent = false;

  /** Of the process that is there, or was the last one: it was ended because of this alone. */
  get spent(): boolean {
    return this.#spent;
  }
  /** A new process. */
  begin(): void {
    this.#engines = 0;
    this.#spent = false;
  }
  add(): void {
    this.#engines += 1;
  }
  /**
   * Whether its process is to be ended now: what it runs is marked as lost without being the cause then.
   * @param opening a snapshot is being opened: it would be refused as what ended the process
   */
  ends(entries: ReadonlyMap<number, Entry>, opening: boolean): boolean {
    if (opening || this.#spent || this.#engines < this.#bound(entries)) return false;
    this.#spent = true;
    for (const entry of entries.values())
      if (entry.startedAt !== undefined && !entry.abandoned) entry.loss ??= 'beside';
    return true;
  }
  #bound(entries: ReadonlyMap<number, Entry>): number {
    if (entries.size === 0) return MANY_WORN;
    const isSeen = [...entries.values()].some(
      ({ stream, held }) => stream !== undefined && held === undefined,
    );
    return isSeen ? MOST_WORN : MORE_WORN;
  }
}
