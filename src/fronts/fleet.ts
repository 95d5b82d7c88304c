// All fronts of a gateway: told what to be, turned together, and what they say handed to whom it concerns.
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import type { Lanes } from '../lane/lanes.ts';
import type { Ledger } from '../limit/ledger.ts';
import type { Family } from '../metrics/exposition.ts';
import type { FollowReport } from '../routes/serving.ts';
import { WHOLE_BYTES } from '../wire/frames.ts';
import { createFront, type Front } from './front-process.ts';
import { type FromFront, type ServedSnapshot, stateOf } from './messages.ts';
import { createScrape } from './scrape.ts';
import { createTurn, type Turn } from './turn.ts';

export interface FleetOptions {
  /** Of the whole gateway. */
  readonly config: Config;
  readonly port: number;
  readonly lanes: Pick<Lanes, 'run' | 'healthy'>;
  readonly ledger: Ledger;
  readonly first: ServedSnapshot;
  readonly following: () => FollowReport;
  readonly observe: Observe;
  readonly write: (lines: string) => void;
  /** See FrontOptions. */
  readonly frontMain?: string | undefined;
}

export interface Fleet {
  /** Where all of them listen. @throws OperatorError why one cannot */
  listening(): Promise<string>;
  readonly serving: number;
  readonly turn: Pick<Turn<Front>, 'prepare' | 'turn' | 'drop'>;
  /** See scrape.ts. */
  families(own: readonly Family[]): Promise<readonly Family[]>;
  close(drainMs: number): Promise<void>;
}

/** How often it is looked whether there is something new to tell of following. */
const TICK_MS = 200;

export function startFleet(options: FleetOptions): Fleet {
  const { config, ledger, following } = options;
  const turn = createTurn<Front>(options.first);
  const scrape = createScrape(() => fronts);
  const parts = partOf(config);
  const first = new Map<Front, { address?: string }>();
  let told = following();
  let started = (): void => {};
  let failed = (_error: Error): void => {};
  const allListen = new Promise<void>((resolve, reject) => {
    started = resolve;
    failed = reject;
  });
  // It may be asked for later.
  allListen.catch(() => {});

  const onTold = (front: Front, message: FromFront): void => {
    switch (message.type) {
      case 'hello':
        front.tell({
          type: 'begin',
          config: parts,
          port: options.port,
          served: stateOf(turn.current),
          following: told,
        });
        turn.joined(front);
        return;
      case 'listening':
        first.set(front, message);
        if (first.size === fronts.length) started();
        return;
      case 'unusable':
        failed(new OperatorError(message.why));
        front.kill(message.why);
        return;
      case 'prepared':
        turn.prepared(front, message.id, message.why);
        return;
      case 'held':
        turn.held(front, message.id);
        return;
      case 'lease':
        front.tell({ type: 'granted', ...ledger.lease(front.number, message.key, message.want) });
        return;
      case 'returned':
        for (const [key, count] of message.tokens) ledger.giveBack(front.number, key, count);
        return;
      case 'charge':
        ledger.charge(message.client, message.engineMs);
        return;
      case 'scraped':
        scrape.scraped(front, message.id, message.families);
        return;
      case 'drained':
        return;
    }
  };
  const onEnd = (front: Front, why: string): void => {
    turn.left(front);
    scrape.left(front);
    ledger.forget(front.number);
    if (!first.has(front)) failed(new OperatorError(`${front.name} cannot be started: ${why}`));
  };
  const fronts = Array.from({ length: config.fronts }, (_, at) =>
    createFront({
      ...options,
      number: at + 1,
      main: options.frontMain,
      onTold,
      onEnd,
      onLog: options.write,
    }),
  );
  const ticker = setInterval(() => {
    const now = following();
    if (JSON.stringify(now) === JSON.stringify(told)) return;
    told = now;
    for (const front of fronts) front.tell({ type: 'following', report: now });
  }, TICK_MS);

  return {
    async listening() {
      await allListen;
      return [...first.values()][0]?.address ?? '';
    },
    get serving() {
      return fronts.filter(({ serving }) => serving).length;
    },
    turn,
    families: scrape.families,
    async close(drainMs) {
      clearInterval(ticker);
      await Promise.all(fronts.map((front) => front.close(drainMs)));
    },
  };
}

/** What is bounded for the gateway is shared out to its fronts. */
function partOf(config: Config): Config {
  const { fronts } = config;
  return {
    ...config,
    resultCacheBytes: Math.floor(config.resultCacheBytes / fronts),
    maxConnections: Math.ceil(config.maxConnections / fronts),
    maxWaiting: Math.ceil(config.maxWaiting / fronts),
    unreadBytes: Math.max(2 * WHOLE_BYTES, Math.floor(config.unreadBytes / fronts)),
  };
}
