// What waits for the row lanes: each takes so many statements at once as are a few dozen milliseconds of work, so that
// whoever sends thousands does not stand before all others there, and clients are served in turn.
import { createCache } from '../base/cache.ts';
import { createFairQueue } from '../limit/fair-queue.ts';
import type { Failed } from '../wire/protocol.ts';
import type { Lane } from './lane.ts';
import { STOPPING, type Ticket, WAITED } from './ticket.ts';

export interface RowLine {
  add(ticket: Ticket): void;
  /** It was answered, after so many milliseconds in which its lane did nothing else. */
  ran(client: string, ms: number): void;
  /** A lane has less to do. */
  next(): void;
  readonly waiting: number;
  close(): void;
}

export interface RowLineOptions {
  readonly lanes: readonly Pick<Lane, 'serving' | 'pending'>[];
  /** To the lane at this place of the list. */
  readonly send: (ticket: Ticket, lane: number) => void;
  readonly answer: (ticket: Ticket, reply: Failed) => void;
}

/** Work of each lane, by what statements of the client took lately: others wait behind it. */
const AT_ONCE_MS = 50;
/** Enough that a lane has something to do while this process has other work. */
const AT_ONCE_LEAST = 4;
/** What a statement is taken to last where none of the client is known. */
const UNKNOWN_MS = 0.5;
/** Share of the newest in the average. */
const NEWEST = 1 / 8;
const CLIENTS = 10_000;
/** More of them wait only where connections are without number. */
const MAX_WAITING = 50_000;
/** What was taken back makes room without a word. */
const LOOK_MS = 20;

export function createRowLine({ lanes, send, answer }: RowLineOptions): RowLine {
  const queue = createFairQueue<Ticket>(MAX_WAITING);
  const averages = createCache<{ ms: number }>(CLIENTS);
  let look: NodeJS.Timeout | undefined;

  const atOnce = (client: string): number =>
    Math.max(AT_ONCE_LEAST, Math.floor(AT_ONCE_MS / (averages.get(client)?.ms ?? UNKNOWN_MS)));
  /** The one that serves, before one that is being started, with the least to do. */
  const idlest = (): number => {
    let best = -1;
    for (const [i, lane] of lanes.entries()) if (best < 0 || rank(lane) < rank(lanes[best])) best = i;
    return best;
  };
  const pendingOf = (lane: number): number => lanes[lane]?.pending ?? Number.POSITIVE_INFINITY;
  const firstFor = (pending: number): string | undefined => {
    for (const client of queue.clients()) if (pending < atOnce(client)) return client;
    return undefined;
  };
  const next = (): void => {
    while (queue.size > 0) {
      const lane = idlest();
      const client = firstFor(pendingOf(lane));
      const ticket = client === undefined ? undefined : queue.shift(client);
      if (ticket === undefined) break;
      if (ticket.gone) continue;
      if (performance.now() > ticket.until) answer(ticket, WAITED);
      else send(ticket, lane);
    }
    if (queue.size > 0) look ??= setTimeout(looked, LOOK_MS);
  };
  const looked = (): void => {
    look = undefined;
    next();
  };

  return {
    add(ticket) {
      const lane = idlest();
      if (pendingOf(lane) < atOnce(ticket.client)) {
        send(ticket, lane);
        return;
      }
      const refused = queue.push(ticket.client, ticket);
      if (refused !== undefined && !refused.gone) answer(refused, WAITED);
      look ??= setTimeout(looked, LOOK_MS);
    },
    ran(client, ms) {
      const known = averages.get(client);
      if (known === undefined) averages.set(client, { ms: UNKNOWN_MS + (ms - UNKNOWN_MS) * NEWEST });
      else known.ms += (ms - known.ms) * NEWEST;
    },
    next() {
      if (queue.size > 0) next();
    },
    get waiting() {
      return queue.size;
    },
    close() {
      clearTimeout(look);
      for (const client of [...queue.clients()])
        for (let ticket = queue.shift(client); ticket !== undefined; ticket = queue.shift(client))
          if (!ticket.gone) answer(ticket, STOPPING);
    },
  };
}

function rank(lane: Pick<Lane, 'serving' | 'pending'> | undefined): number {
  return lane === undefined ? Number.POSITIVE_INFINITY : lane.pending + (lane.serving ? 0 : 1_000_000);
}
