// Statements that run alone: each in a process of its own, so that it can be stopped by ending that, and whatever ends
// it names the cause. Clients are served in turn; processes are started when the first statement comes, or before.
import { createFairQueue } from '../limit/fair-queue.ts';
import type { Lane } from './lane.ts';
import { type Ticket, WAITED } from './ticket.ts';

export interface SoloOptions {
  /** It may not serve yet. */
  readonly startLane: () => Lane;
  /** How many run at the same time, each in a process of its own. */
  readonly lanes: number;
  /** Statements that may wait. */
  readonly max: number;
  readonly run: (ticket: Ticket, lane: Lane) => void;
  readonly answer: (ticket: Ticket, reply: typeof WAITED) => void;
}

export interface Solo {
  add(ticket: Ticket): void;
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

export function createSolo(options: SoloOptions): Solo {
  const line = createFairQueue<Ticket>(options.max);
  const lanes: Lane[] = [];
  const running = new Map<Lane, Ticket>();
  /** Whoever waits is answered in time, also where no lane ever serves. */
  const alarms = new Map<Ticket, NodeJS.Timeout>();
  let look: NodeJS.Timeout | undefined;

  // One whose statement was taken back may still be at work on it.
  const idleLane = (): Lane | undefined =>
    lanes.find((lane) => lane.serving && lane.pending === 0 && !running.has(lane));
  const leave = (ticket: Ticket): void => {
    clearTimeout(alarms.get(ticket));
    alarms.delete(ticket);
  };
  const next = (): void => {
    look = undefined;
    while (line.size > 0) {
      const lane = idleLane();
      if (lane === undefined) {
        // Those that are being started are for the first in line.
        const starting = lanes.filter((each) => !each.serving).length;
        if (starting < line.size && lanes.length < options.lanes) lanes.push(options.startLane());
        look ??= setTimeout(next, LOOK_MS);
        return;
      }
      const ticket = line.shift();
      if (ticket === undefined) return;
      leave(ticket);
      if (ticket.gone) continue;
      running.set(lane, ticket);
      options.run(ticket, lane);
    }
  };

  return {
    add(ticket) {
      const tooLate = (): void => {
        alarms.delete(ticket);
        if (line.remove(ticket.client, ticket) && !ticket.gone) options.answer(ticket, WAITED);
      };
      alarms.set(ticket, setTimeout(tooLate, Math.max(1, ticket.until - performance.now())));
      const refused = line.push(ticket.client, ticket);
      if (refused !== undefined) {
        leave(refused);
        options.answer(refused, WAITED);
      }
      // At once where a lane stands by; those that a lane's end gives back are all in line before the first runs.
      look ??= setTimeout(next, 0);
    },
    done(ticket) {
      for (const [lane, each] of running)
        if (each === ticket) {
          running.delete(lane);
          look ??= setTimeout(next, 0);
          return;
        }
    },
    warm(count) {
      while (lanes.length < Math.min(count, options.lanes)) lanes.push(options.startLane());
    },
    runs: (ticket, lane) => running.get(lane) === ticket,
    get waiting() {
      return line.size;
    },
    lanes,
    close() {
      clearTimeout(look);
      for (const alarm of alarms.values()) clearTimeout(alarm);
    },
  };
}
