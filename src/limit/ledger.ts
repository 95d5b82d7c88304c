// The buckets of all clients where several processes answer them: tokens are leased to those in small batches, and what
// is leased counts as held until it is used or given back. So over all of them a client gets what one bucket gives.
// Time comes in as an argument of the options; who asks is a number.
import { createCache } from '../base/cache.ts';
import { bucketKey } from './address.ts';
import { type Bucket, charge, type Rate, refilled } from './bucket.ts';

export interface LedgerOptions {
  /** Requests a second; 0 is off, and nobody asks. */
  readonly perSecond: number;
  readonly burst: number;
  /** Buckets that are kept, as in limiter.ts. */
  readonly maxClients: number;
  /** As in limiter.ts. */
  readonly engineMsPerToken: number;
  /** Processes that ask. */
  readonly holders: number;
  readonly now: () => number;
}

/** What a holder is told of a bucket. */
export interface Grant {
  /** As of `bucketKey`. */
  readonly key: string;
  /** Tokens that it may use from now on. */
  readonly granted: number;
  /** Left in the bucket; less than 0 where it owes. */
  readonly tokens: number;
  /** Until there is one again; 0 where there is one. */
  readonly retryAfterMs: number;
}

export interface Ledger {
  /**
   * @param want requests that wait; more is leased where there is plenty. All that was leased to this holder before
   * is used.
   */
  lease(holder: number, key: string, want: number): Grant;
  giveBack(holder: number, key: string, count: number): void;
  /** See Limiter. */
  charge(address: string, engineMs: number): void;
  /** This holder is gone, and what it held counts as used. */
  forget(holder: number): void;
  readonly clients: number;
}

interface Account {
  bucket: Bucket;
  readonly leased: Map<number, number>;
}

/**
 * The most of a bucket that is leased beyond what is asked for: while it lies with one process the others lack it, and
 * the bucket does not fill up in its place.
 */
const BATCH_SHARE = 0.02;
/** A message for so many requests costs nothing any more. */
const BATCH = 64;

export function createLedger(options: LedgerOptions): Ledger {
  const { perSecond, burst, holders, now } = options;
  const rate: Rate = { perSecond, burst };
  const accounts = createCache<Account>(options.maxClients);
  const held = ({ leased }: Account): number => [...leased.values()].reduce((sum, each) => sum + each, 0);

  return {
    lease(holder, key, want) {
      const at = now();
      const account = accounts.get(key) ?? { bucket: { tokens: burst, atMs: at }, leased: new Map() };
      accounts.set(key, account);
      const bucket = refilled(account.bucket, rate, at, burst - held(account));
      account.leased.delete(holder);
      const plenty = Math.min(BATCH, burst * BATCH_SHARE, bucket.tokens / (2 * holders));
      const granted = Math.max(0, Math.floor(Math.min(bucket.tokens, Math.max(want, plenty))));
      const tokens = bucket.tokens - granted;
      account.bucket = { ...bucket, tokens };
      // Those who wait use theirs now.
      if (granted > want) account.leased.set(holder, granted - want);
      return { key, granted, tokens, retryAfterMs: Math.max(0, ((1 - tokens) * 1000) / perSecond) };
    },
    giveBack(holder, key, count) {
      const account = accounts.peek(key);
      if (account === undefined) return;
      // What was forgotten in between, or never leased, is not there to be given back.
      const back = Math.min(count, account.leased.get(holder) ?? 0);
      const bucket = refilled(account.bucket, rate, now(), burst - held(account));
      account.leased.delete(holder);
      account.bucket = { ...bucket, tokens: bucket.tokens + back };
    },
    charge(address, engineMs) {
      if (options.engineMsPerToken === 0) return;
      const account = accounts.peek(bucketKey(address));
      // Whoever has no bucket was not counted: it holds a key.
      if (account !== undefined)
        account.bucket = charge(account.bucket, rate, engineMs / options.engineMsPerToken);
    },
    forget(holder) {
      for (const account of accounts.values()) {
        if (!account.leased.has(holder)) continue;
        account.bucket = refilled(account.bucket, rate, now(), burst - held(account));
        account.leased.delete(holder);
      }
    },
    get clients() {
      return accounts.size;
    },
  };
}
