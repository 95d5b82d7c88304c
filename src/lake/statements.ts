// Statements that a publisher has Trino run: several at a time, and all of them in time or none that anybody waits for. A
// coordinator that takes requests and never answers must keep no snapshot from being published.
import { allRows, type TrinoAddress } from '../trino/client.ts';

export interface StatementBounds {
  /** For all of them together, in milliseconds. */
  readonly withinMs: number;
  /** Told once where they take longer than anybody expects. */
  readonly onSlow?: ((text: string) => void) | undefined;
  readonly signal: AbortSignal;
}

export type RunSql = (sql: string) => Promise<void>;

/** What publishing may wait for while others wait for what is published. */
export const SHORT_MS = 10_000;
/** Of the doings of one schema: the coordinator has others to answer, too. */
const AT_ONCE = 4;

/** @throws Error where it is not done in time; of Trino; the signal's reason */
export async function inTime(
  to: TrinoAddress,
  { withinMs, onSlow, signal }: StatementBounds,
  doing: (run: RunSql) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const late = new AbortController();
  const ends = AbortSignal.any([signal, late.signal]);
  const bound = `${withinMs / 1000} s`;
  const timer = setTimeout(() => late.abort(new Error(`Trino was not done within ${bound}`)), withinMs);
  const slow = setTimeout(() => onSlow?.(`waiting for Trino, for ${bound} at most`), SHORT_MS);
  const ended = new Promise<never>((_, reject) => {
    ends.addEventListener('abort', () => reject(ends.reason), { once: true });
  });
  const done = doing(async (sql) => {
    await allRows(to, sql, { signal: ends, source: 'tablegate-publisher' });
  });
  // A statement that was posted and has no answer can be ended only when it has one: that is left to itself.
  for (const each of [ended, done]) each.catch(() => {});
  try {
    await Promise.race([done, ended]);
  } finally {
    clearTimeout(timer);
    clearTimeout(slow);
  }
}

/** A few at a time. @throws what the first throws that fails; what is under way then is not waited for */
export async function eachOf<T>(items: readonly T[], doing: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      try {
        for (const item of rest) await doing(item);
      } finally {
        // Where one fails, nobody takes another.
        for (const _ of rest);
      }
    }),
  );
}
