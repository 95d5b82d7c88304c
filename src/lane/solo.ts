// Statements that run alone: each in a process of its own, so that it can be stopped by ending that, and whatever ends
// it names the cause. Whose turn it is says limit/turns.ts; processes are started when the first statement comes, or
// before.
import { createTurns } from '../limit/turns.ts';
import type { Failed } from '../wire/protocol.ts';
import type { Lane } from './lane.ts';
import { NOT_READY } from './process.ts';
import type { Rank } from './rank.ts';
import { type Ticket, WAITED } from './ticket.ts';

export interface SoloOptions {
  /** It may not serve yet. */
  readonly startLane: () => Lane;
  /** How many run at the same time, each in a process of its own; one more for those who have used little lately. */
  readonly lanes: number;
  /** Statements that may wait. */
  readonly max: number;
  readonly rank: Rank;
  readonly run: (ticket: Ticket, lane: Lane) => void;
  /** Its process is to be ended; it is lost with it, and given back. */
  readonly stop: (ticket: Ticket) => void;
  readonly answer: (ticket: Ticket, reply: Failed) => void;
}

export interface Solo {
  add(ticket: Ticket): void;
  /** What runs there is being sent. @param unread whether it waits for its reader @param giveUp ends it */
  sends(lane: Lane, unread: () => boolean, giveUp: () => void): void;
  /** It was stopped for others, and waits again. */
  putBack(ticket: Ticket): void;
  /** It is answered, lost or taken back: its lane is free for the next. */
  done(ticket: Ticket): void;
  /** Whether it is the one that runs there. */
  runs(ticket: Ticket, lane: Lane): boolean;
  /** Starts so many of its lanes before there is a statement for them. */
  warm(lanes: number): void;
  readonly waiting: number;
  readonly lanes: readonly Lane[];
  close(): void;
}

/** How often lanes that are being started anew are looked at. */
const LOOK_MS = 20;
/** Of a process that is ended for others: that costs a third of it, so it is no short time. */
const SLICE_MS = 500;
/** Every reader has so long to show how fast it is; then a slow one holds no lane that others wait for. */
const READER_MS = 1_000;

export function createSolo(options: SoloOptions): Solo {
  const places = options.lanes + 1;
  const turns = createTurns<Ticket>({ max: options.max, places, sliceMs: SLICE_MS, spare: 'always' });
  const lanes: Lane[] = [];
  const running = new Map<Lane, Ticket>();
  /** The one that is sent for longest is first. */
  const sending = new Map<Lane, { since: number; unread: () => boolean; giveUp: () => void }>();
  /** Whoever waits is answered in time, also where no lane ever serves. */
  const alarms = new Map<Ticket, NodeJS.Timeout>();
  let look: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;

  // One whose statement was taken back may still be at work on it.
  const isBusy = (lane: Lane): boolean => lane.pending > 0 || running.has(lane);
  const idleLanes = (): readonly Lane[] => lanes.filter((lane) => lane.serving && !isBusy(lane));
  /** Those whose lane is being started, or is not there yet, among them. */
  const freePlaces = (): number => places - lanes.filter(isBusy).length;
  const leave = (ticket: Ticket): void => {
    clearTimeout(alarms.get(ticket));
    alarms.delete(ticket);
  };
  const wait = (ticket: Ticket): void => {
    const tooLate = (): void => {
      alarms.delete(ticket);
      if (turns.remove(ticket, performance.now()) && !ticket.gone) options.answer(ticket, WAITED);
    };
    alarms.set(ticket, setTimeout(tooLate, Math.max(1, ticket.until - performance.now())));
    // Where a lane stands by, at once; those that a lane's end gives back are all in line before the first runs.
    lookSoon();
  };
  const lookSoon = (): void => {
    soon ??= setImmediate(next);
  };
  const next = (): void => {
    clearTimeout(look);
    clearImmediate(soon);
    look = undefined;
    soon = undefined;
    const now = performance.now();
    while (turns.waiting > 0) {
      settle();
      const idle = idleLanes();
      const lane = idle.find((each) => !options.rank.isLow(each)) ?? idle[0];
      // A place whose lane is being started is none yet: the last one that serves is the one that is kept.
      const ticket = turns.next(idle.length, now);
      if (lane === undefined || ticket === undefined) {
        makeRoom(now);
        if (lanes.length === places && lanes.every(({ down }) => down)) refuseAll(now);
        look = setTimeout(next, LOOK_MS);
        return;
      }
      leave(ticket);
      if (ticket.gone) {
        turns.ended(ticket, now);
        continue;
      }
      running.set(lane, ticket);
      options.rank.began(lane);
      options.run(ticket, lane);
    }
  };
  /** Every lane ends before it serves, as where the snapshot cannot be read any more. */
  const refuseAll = (now: number): void => {
    for (const ticket of [...alarms.keys()]) {
      leave(ticket);
      if (turns.remove(ticket, now) && !ticket.gone) options.answer(ticket, NOT_READY);
    }
  };
  const makeRoom = (now: number): void => {
    // Those that are being started are for the first in line.
    const starting = lanes.filter((each) => !each.serving && !each.down).length;
    if (starting < turns.waiting && lanes.length < places) lanes.push(options.startLane());
    const free = freePlaces();
    const other = turns.stop(free, now);
    if (other !== undefined) options.stop(other);
    else if (free <= 0) giveUpReader(now);
  };
  const giveUpReader = (now: number): void => {
    for (const [lane, { since, unread, giveUp }] of sending) {
      if (lane.pending > 0 && !(unread() && now - since > READER_MS)) continue;
      sending.delete(lane);
      if (lane.pending === 0) continue;
      giveUp();
      return;
    }
  };
  const free = (ticket: Ticket): void => {
    for (const [lane, each] of running) if (each === ticket) running.delete(lane);
    settle();
    if (turns.waiting > 0) lookSoon();
  };
  const settle = (): void => {
    for (const [i, lane] of lanes.entries()) {
      if (isBusy(lane) || !options.rank.ended(lane) || !lane.serving) continue;
      lanes[i] = options.startLane();
      void lane.close();
    }
  };

  return {
    add(ticket) {
      const refused = turns.push(ticket, performance.now());
      if (refused !== ticket) wait(ticket);
      if (refused === undefined) return;
      leave(refused);
      options.answer(refused, WAITED);
    },
    sends(lane, unread, giveUp) {
      sending.delete(lane);
      sending.set(lane, { since: performance.now(), unread, giveUp });
    },
    putBack(ticket) {
      turns.putBack(ticket, performance.now());
      wait(ticket);
      free(ticket);
    },
    done(ticket) {
      turns.ended(ticket, performance.now());
      free(ticket);
    },
    warm(count) {
      while (lanes.length < Math.min(count, options.lanes)) lanes.push(options.startLane());
    },
    runs: (ticket, lane) => running.get(lane) === ticket,
    get waiting() {
      return turns.waiting;
    },
    lanes,
    close() {
      clearTimeout(look);
      clearImmediate(soon);
      options.rank.close();
      for (const alarm of alarms.values()) clearTimeout(alarm);
    },
  };
}
