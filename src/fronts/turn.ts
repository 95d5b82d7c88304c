// Turns all fronts to a snapshot at one moment: they make ready, then all of them hold what comes for the few
// milliseconds until each has said so, and then all go. One that says nothing in time is ended: it must not answer from
// the old one once another has answered from the new one. Knows no process.
import { type NextState, nextOf, type ServedSnapshot, type ToFront } from './messages.ts';

export interface TurningFront {
  readonly name: string;
  tell(message: ToFront): void;
  kill(why: string): void;
}

export interface Turn<F extends TurningFront> {
  /** What is answered from now. */
  readonly current: ServedSnapshot;
  /** This front was told {@link current}, and takes part from now on. */
  joined(front: F): void;
  /** Its process is gone. */
  left(front: F): void;
  prepared(front: F, id: string, why: string | undefined): void;
  held(front: F, id: string): void;
  /** @param atMs see ToFront @throws Error why a front cannot make ready */
  prepare(next: ServedSnapshot, atMs: number): Promise<void>;
  /** To what was prepared. @param commit called when no front begins anything that reads what was served before */
  turn(commit: () => void): Promise<void>;
  /** What was prepared is not turned to. */
  drop(): void;
}

/** To make ready: whoever needs longer answers nothing else either. */
const PREPARE_MS = 10_000;
/** To hold, which is a message and its answer: clients of the others wait so long where one hangs. */
const HOLD_MS = 3_000;

interface Member {
  preparedId: string | undefined;
  heldId: string | undefined;
  why: string | undefined;
}

export function createTurn<F extends TurningFront>(first: ServedSnapshot): Turn<F> {
  const members = new Map<F, Member>();
  let current = first;
  let next: { readonly served: ServedSnapshot; readonly state: NextState; readonly atMs: number } | undefined;
  let holding = false;
  let check = (): void => {};

  /** Until all that take part have; those that have not after so long are ended, and their end is waited for. */
  const all = (have: (member: Member) => boolean, withinMs: number, what: string): Promise<void> =>
    new Promise((resolve) => {
      const late = setTimeout(() => {
        for (const [front, member] of members) if (!have(member)) front.kill(`it does not ${what} in time`);
      }, withinMs);
      check = () => {
        if (![...members.values()].every(have)) return;
        clearTimeout(late);
        check = () => {};
        resolve();
      };
      check();
    });
  const tellAll = (message: ToFront): void => {
    for (const front of members.keys()) front.tell(message);
  };

  const drop = (): void => {
    if (next !== undefined) tellAll({ type: 'drop', id: next.served.ref.id });
    next = undefined;
  };

  return {
    get current() {
      return current;
    },
    joined(front) {
      members.set(front, { preparedId: undefined, heldId: undefined, why: undefined });
      if (next === undefined) return;
      front.tell({ type: 'prepare', next: next.state, atMs: next.atMs });
      if (holding) front.tell({ type: 'hold', id: next.served.ref.id });
    },
    left(front) {
      members.delete(front);
      check();
    },
    prepared(front, id, why) {
      const member = members.get(front);
      if (member === undefined) return;
      member.preparedId = id;
      member.why = why;
      check();
    },
    held(front, id) {
      const member = members.get(front);
      if (member === undefined) return;
      member.heldId = id;
      check();
    },
    async prepare(served, atMs) {
      const { id } = served.ref;
      const state = nextOf(current, served);
      next = { served, state, atMs };
      tellAll({ type: 'prepare', next: state, atMs });
      await all(({ preparedId }) => preparedId === id, PREPARE_MS, 'make ready for a snapshot');
      for (const [{ name }, { why }] of members) {
        if (why === undefined) continue;
        drop();
        throw new Error(`${name}: ${why}`);
      }
    },
    async turn(commit) {
      if (next === undefined) throw new Error('nothing was prepared');
      const { served } = next;
      const { id } = served.ref;
      holding = true;
      tellAll({ type: 'hold', id });
      await all(({ heldId }) => heldId === id, HOLD_MS, 'hold its requests');
      // All in one turn of the event loop: whoever joins from now on is told the new one.
      commit();
      current = served;
      next = undefined;
      holding = false;
      tellAll({ type: 'go', id });
    },
    drop,
  };
}
