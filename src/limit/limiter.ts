// Who may send now: a token bucket for each client, a bounded number of them, and keys that are exempt.
// Knows no headers' names and no routes.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createCache } from '../base/cache.ts';
import { bucketKey } from './address.ts';
import { type Bucket, charge, type Rate, type Taken, take } from './bucket.ts';

export interface LimiterOptions {
  /** Requests a second; 0 is off. */
  readonly perSecond: number;
  readonly burst: number;
  /** Buckets that are kept; the least recently used is forgotten first, and a forgotten client starts full. */
  readonly maxClients: number;
  readonly apiKeys: readonly string[];
  /** Engine time that costs as much as one request; 0 (as without it) costs nothing. */
  readonly engineMsPerToken?: number;
  /** Milliseconds, from a clock that does not go back. */
  readonly now: () => number;
}

export interface Admission extends Omit<Taken, 'bucket'> {
  /** The bucket's size. */
  readonly limit: number;
}

export interface Limiter {
  /**
   * Undefined where no limit applies: switched off, or a valid key. A promise, which never rejects, where another
   * process must be asked.
   */
  admit(address: string, apiKey: string | undefined): Admission | undefined | Promise<Admission>;
  /** Engine time that a client's statement took is taken off its bucket. */
  charge(address: string, engineMs: number): void;
  readonly clients: number;
}

/** Whose buckets are here. */
export interface OwnLimiter extends Limiter {
  admit(address: string, apiKey: string | undefined): Admission | undefined;
}

export function createLimiter(options: LimiterOptions): OwnLimiter {
  if (options.perSecond === 0) return { admit: () => undefined, charge: () => {}, clients: 0 };
  const rate: Rate = { perSecond: options.perSecond, burst: options.burst };
  const buckets = createCache<Bucket>(options.maxClients);
  const isExempt = createKeyCheck(options.apiKeys);
  return {
    admit(address, apiKey) {
      if (apiKey !== undefined && isExempt(apiKey)) return undefined;
      const key = bucketKey(address);
      const { bucket, ...rest } = take(buckets.get(key), rate, options.now());
      buckets.set(key, bucket);
      return { ...rest, limit: rate.burst };
    },
    charge(address, engineMs) {
      const perToken = options.engineMsPerToken ?? 0;
      if (perToken === 0) return;
      const key = bucketKey(address);
      // Whoever has no bucket was not counted: it holds a key.
      const bucket = buckets.peek(key);
      if (bucket !== undefined) buckets.set(key, charge(bucket, rate, engineMs / perToken));
    },
    get clients() {
      return buckets.size;
    },
  };
}

/** Compares digests of one length, and all of them, so that the time taken tells nothing of a key. */
export function createKeyCheck(keys: readonly string[]): (key: string) => boolean {
  const digest = (key: string): Buffer => createHash('sha256').update(key).digest();
  const known = keys.map(digest);
  return (key) => {
    if (known.length === 0) return false;
    const given = digest(key);
    return known.reduce((found, each) => timingSafeEqual(each, given) || found, false);
  };
}
