// Statements that may have ended a lane, and strangers' new ones while lanes end often: each runs alone in a
// lane of its own kind, so that whatever ends one names the cause. Clients are served in turn.
import { createFairQueue } from '../limit/fair-queue.ts';
import type { Lane } from './lane.ts';
import type { Ticket } from './ticket.ts';

export interface SuspectsOptions {
  /** Started when the first suspect comes; it may not serve yet. */
  readonly startLane: () => Lane;
  /** How many run at the same time, each in a process of its own. */
  readonly lanes: number;
  readonly max: number;
  readonly run: (ticket: Ticket, lane: Lane) => void;
  /** Asked before it runs: true where it has been answered otherwise. */
  readonly settled: (ticket: Ticket) => boolean;
  /** There is no room for it. */
  readonly refuse: (ticket: Ticket) => void;
}

export interface Suspects {
  add(ticket: Ticket): void;
  /** It is answered, lost or taken back: its lane is free for the next. */
  done(ticket: Ticket): void;
  /** Whether it is the one that runs alone there. */
  accuses(ticket: Ticket, lane: Lane): boolean;
  readonly lanes: readonly Lane[];
}

export function createSuspects(options: SuspectsOptions): Suspects {
  const line = createFairQueue<Ticket>(options.max);
  const lanes: Lane[] = [];
  const onTrial = new Map<Lane, Ticket>();

  const freeLane = (): Lane | undefined => {
    const idle = lanes.filter((lane) => !onTrial.has(lane));
    // One that is being started anew would keep its suspect waiting.
    const found = idle.find((lane) => lane.serving) ?? idle[0];
    if (found?.serving === true || lanes.length >= options.lanes) return found;
    const started = options.startLane();
    lanes.push(started);
    return found ?? started;
  };
  const next = (): void => {
    for (;;) {
      if (line.size === 0) return;
      const lane = freeLane();
      const ticket = lane === undefined ? undefined : line.shift();
      if (lane === undefined || ticket === undefined) return;
      if (options.settled(ticket)) continue;
      onTrial.set(lane, ticket);
      options.run(ticket, lane);
    }
  };

  return {
    add(ticket) {
      const refused = line.push(ticket.client, ticket);
      if (refused !== undefined) options.refuse(refused);
      next();
    },
    done(ticket) {
      for (const [lane, each] of onTrial)
        if (each === ticket) {
          onTrial.delete(lane);
          next();
          return;
        }
    },
    accuses: (ticket, lane) => onTrial.get(lane) === ticket,
    lanes,
  };
}
