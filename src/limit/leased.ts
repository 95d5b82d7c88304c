// A limiter whose buckets are kept elsewhere (ledger.ts): spends tokens that were leased, asks for more where there are
// none, and gives back what nobody used. What is refused is refused here until the bucket has a token again, so a flood
// of requests is no flood of questions. Time comes in as an argument of the options.
import { createCache } from '../base/cache.ts';
import { bucketKey } from './address.ts';
import type { Grant } from './ledger.ts';
import { type Admission, createKeyCheck, type Limiter } from './limiter.ts';

export interface LeasedOptions {
  /** Requests a second; 0 is off. */
  readonly perSecond: number;
  readonly burst: number;
  /** Clients that are kept in mind. */
  readonly maxClients: number;
  readonly apiKeys: readonly string[];
  readonly engineMsPerToken: number;
  readonly now: () => number;
  /** Answered with {@link LeasedLimiter.granted}. One question for a client at a time. */
  readonly ask: (key: string, want: number) => void;
  readonly giveBack: (tokens: readonly (readonly [key: string, count: number])[]) => void;
  readonly charge: (address: string, engineMs: number) => void;
}

export interface LeasedLimiter extends Limiter {
  granted(grant: Grant): void;
  /** Gives back what has not been used for a while. To be called every so often. */
  tick(): void;
}

/** What lies unused for so long is given back: a client may be with another process now. */
const IDLE_MS = 250;

interface Purse {
  /** Leased, and not yet used. */
  left: number;
  /** Of the bucket, as last told. */
  tokens: number;
  toldMs: number;
  refusedUntilMs: number;
  usedMs: number;
  /** A question is under way; for those who wait for its answer. */
  readonly waiting: ((admission: Admission) => void)[];
}

export function createLeasedLimiter(options: LeasedOptions): LeasedLimiter {
  const { perSecond, burst, now, ask } = options;
  if (perSecond === 0)
    return { admit: () => undefined, charge: () => {}, clients: 0, granted: () => {}, tick: () => {} };
  const isExempt = createKeyCheck(options.apiKeys);
  /** Those with a question under way are in `asking`, too, whatever is forgotten here. */
  const purses = createCache<Purse>(options.maxClients, ({ left, waiting }, key) => {
    if (left > 0 && waiting.length === 0) options.giveBack([[key, left]]);
  });
  const asking = new Map<string, Purse>();

  const msFor = (tokens: number): number => Math.max(0, (tokens * 1000) / perSecond);
  const admission = (purse: Purse, allowed: boolean, at: number): Admission => {
    const gained = ((at - purse.toldMs) * perSecond) / 1000;
    const tokens = Math.min(burst, purse.tokens + purse.left + gained);
    return {
      limit: burst,
      allowed,
      remaining: allowed ? Math.max(0, Math.floor(tokens)) : 0,
      retryAfterMs: allowed ? 0 : Math.max(0, purse.refusedUntilMs - at),
      fullAfterMs: msFor(burst - tokens),
    };
  };
  const spend = (purse: Purse, at: number): Admission => {
    purse.left -= 1;
    return admission(purse, true, at);
  };
  const newPurse = (key: string, at: number): Purse => {
    const purse = { left: 0, tokens: burst, toldMs: at, refusedUntilMs: 0, usedMs: at, waiting: [] };
    purses.set(key, purse);
    return purse;
  };

  return {
    admit(address, apiKey) {
      if (apiKey !== undefined && isExempt(apiKey)) return undefined;
      const key = bucketKey(address);
      const at = now();
      const purse = asking.get(key) ?? purses.get(key) ?? newPurse(key, at);
      purse.usedMs = at;
      if (purse.waiting.length === 0) {
        if (purse.left >= 1) return spend(purse, at);
        if (at < purse.refusedUntilMs) return admission(purse, false, at);
        asking.set(key, purse);
        ask(key, 1);
      }
      return new Promise((resolve) => {
        purse.waiting.push(resolve);
      });
    },
    granted({ key, granted, tokens, retryAfterMs }) {
      const purse = asking.get(key);
      if (purse === undefined) return;
      const at = now();
      purse.left += granted;
      purse.tokens = tokens;
      purse.toldMs = at;
      purse.refusedUntilMs = at + retryAfterMs;
      for (const resolve of purse.waiting.splice(0, purse.left)) resolve(spend(purse, at));
      if (purse.waiting.length > 0 && tokens >= 1) {
        ask(key, purse.waiting.length);
        return;
      }
      asking.delete(key);
      // It may have been forgotten in between.
      if (purse.left > 0) purses.set(key, purse);
      for (const resolve of purse.waiting.splice(0)) resolve(admission(purse, false, at));
    },
    tick() {
      const before = now() - IDLE_MS;
      const idle: (readonly [string, number])[] = [];
      // The one that was used longest ago is first.
      for (const key of [...purses.rkeys()]) {
        const purse = purses.peek(key);
        if (purse === undefined || asking.has(key)) continue;
        if (purse.usedMs > before) break;
        if (purse.left > 0) idle.push([key, purse.left]);
        purses.delete(key);
      }
      if (idle.length > 0) options.giveBack(idle);
    },
    charge(address, engineMs) {
      if (options.engineMsPerToken > 0 && engineMs > 0) options.charge(address, engineMs);
    },
    get clients() {
      return purses.size;
    },
  };
}
