// A token bucket as pure arithmetic: time comes in, nothing is kept. Who owns which bucket is limiter.ts's.

/** Tokens at a moment; the bucket of a client never seen is full. */
export interface Bucket {
  readonly tokens: number;
  /** Milliseconds, from any clock that does not go back. */
  readonly atMs: number;
}

export interface Rate {
  /** Tokens a second. */
  readonly perSecond: number;
  /** What a rested bucket holds. */
  readonly burst: number;
}

export interface Taken {
  readonly bucket: Bucket;
  readonly allowed: boolean;
  /** Whole requests that may follow at once. */
  readonly remaining: number;
  /** Until one token is there; 0 where one is. */
  readonly retryAfterMs: number;
  /** Until the bucket is full. */
  readonly fullAfterMs: number;
}

/** Takes one token where there is one. A clock that went back adds nothing and takes nothing. */
export function take(bucket: Bucket | undefined, rate: Rate, nowMs: number): Taken {
  const full = refilled(bucket ?? { tokens: rate.burst, atMs: nowMs }, rate, nowMs);
  const allowed = full.tokens >= 1;
  const tokens = allowed ? full.tokens - 1 : full.tokens;
  const msFor = (missing: number): number => Math.max(0, (missing * 1000) / rate.perSecond);
  return {
    bucket: { ...full, tokens },
    allowed,
    remaining: Math.max(0, Math.floor(tokens)),
    retryAfterMs: allowed ? 0 : msFor(1 - tokens),
    fullAfterMs: msFor(rate.burst - tokens),
  };
}

/**
 * The bucket at this moment.
 * @param room what it may hold; a bucket that holds more keeps it
 */
export function refilled(bucket: Bucket, rate: Rate, nowMs: number, room = rate.burst): Bucket {
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  const tokens = Math.min(room, bucket.tokens + (elapsedMs * rate.perSecond) / 1000);
  return { tokens: Math.max(bucket.tokens, tokens), atMs: Math.max(nowMs, bucket.atMs) };
}

/** Takes tokens for what was done already: the bucket may owe as much as it holds. */
export function charge(bucket: Bucket, rate: Rate, tokens: number): Bucket {
  return { ...bucket, tokens: Math.max(-rate.burst, bucket.tokens - tokens) };
}
