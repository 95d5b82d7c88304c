// Statements that may have ended a lane, and strangers' new ones while lanes end often: each runs alone in a
// lane of its own kind, so that whatever ends one names the cause. Clients are served in turn.
import { createFairQueue } from '../limit/fair-queue.ts';
import type { Lane } from './lane.ts';
import { REFUSED, type Ticket, WAITED } from './ticket.ts';

export interface SuspectsOptions {
  /** Started when the first suspect comes; it may not serve yet. */
  readonly startLane: () => Lane;
  /** How many run at the same time, each in a process of its own. */
  readonly lanes: number;
  readonly max: number;
  readonly run: (ticket: Ticket, lane: Lane) => void;
  /** Whether it has become known as guilty while it waited. */
  readonly guilty: (ticket: Ticket) => boolean;
  readonly answer: (ticket: Ticket, reply: typeof REFUSED | typeof WAITED) => void;
}

export interface Suspects {
  add(ticket: Ticket): void;
  /** It is answered, lost or taken back: its lane is free for the next. */
  done(ticket: Ticket): void;
  /** Whether it is the one that runs alone there. */
  accuses(ticket: Ticket, lane: Lane): boolean;
  /** Starts so many of its lanes before there is a suspect: they stand in for one that is killed. */
  warm(lanes: number): void;
  /** Whether one would run at once. */
  readonly ready: boolean;
  readonly lanes: readonly Lane[];
  close(): void;
}

/** How often lanes that are being started anew are looked at. */
const LOOK_MS = 20;

export function createSuspects(options: SuspectsOptions): Suspects {
  const line = createFairQueue<Ticket>(options.max);
  const lanes: Lane[] = [];
  const onTrial = new Map<Lane, Ticket>();
  /** Whoever waits is answered in time, also where no lane ever serves. */
  const alarms = new Map<Ticket, NodeJS.Timeout>();
  let look: NodeJS.Timeout | undefined;

  const idleLane = (): Lane | undefined => lanes.find((lane) => lane.serving && !onTrial.has(lane));
  const leave = (ticket: Ticket): void => {
    clearTimeout(alarms.get(ticket));
    alarms.delete(ticket);
  };
  const next = (): void => {
    look = undefined;
    while (line.size > 0) {
      const lane = idleLane();
      if (lane === undefined) {
        if (lanes.length < options.lanes) lanes.push(options.startLane());
        look ??= setTimeout(next, LOOK_MS);
        return;
      }
      const ticket = line.shift();
      if (ticket === undefined) return;
      leave(ticket);
      if (ticket.gone) continue;
      if (options.guilty(ticket)) {
        options.answer(ticket, REFUSED);
        continue;
      }
      onTrial.set(lane, ticket);
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
      // Those that a lane's end gives back are all in line before the first of them runs.
      look ??= setTimeout(next, 0);
    },
    done(ticket) {
      for (const [lane, each] of onTrial)
        if (each === ticket) {
          onTrial.delete(lane);
          look ??= setTimeout(next, 0);
          return;
        }
    },
    warm(count) {
      while (lanes.length < Math.min(count, options.lanes)) lanes.push(options.startLane());
    },
    accuses: (ticket, lane) => onTrial.get(lane) === ticket,
    get ready() {
      return line.size === 0 && idleLane() !== undefined;
    },
    lanes,
    close() {
      clearTimeout(look);
      for (const alarm of alarms.values()) clearTimeout(alarm);
    },
  };
}
