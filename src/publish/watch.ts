// Publishes each snapshot that becomes current in a data folder. Where somebody else publishes to the same place, this
// one stands by until that has been silent for a while.

import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { servedSnapshot } from '../snapshot/folder.ts';
import { watchFolder } from '../snapshot/watch.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Publisher } from './publish.ts';

export interface PublishWatch {
  readonly store: Store;
  readonly publisher: Publisher;
  /** The data folder, and how often it is looked at. */
  readonly data: string;
  readonly everyMs: number;
  readonly standbyMs: number;
  readonly observe: Observe;
  readonly onStandBy: (is: boolean) => void;
  readonly signal: AbortSignal;
}

const MAX_RETRY_MS = 10_000;
/** What is published without the lake is put there later, when nothing is newer. */
const LAKE_RETRY_MS = 10_000;
const ALIVE_MS = 60_000;

/** Until it is stopped. */
export async function watchAndPublish(options: PublishWatch): Promise<void> {
  const { data, everyMs, observe, signal, store } = options;
  const attempt = createAttempt(options);
  let times = 0;
  let said: string | undefined;
  let retryAt = 0;
  observe({ type: 'note', level: 'info', text: `publishing to ${store.name}` });
  const watch = watchFolder(data, everyMs, async () => {
    if (signal.aborted || performance.now() < retryAt) return;
    try {
      await attempt();
      if (times > 0)
        observe({ type: 'note', level: 'info', text: `publishing works again, after ${times} failures` });
      times = 0;
      said = undefined;
      retryAt = 0;
    } catch (error) {
      if (signal.aborted) return;
      times += 1;
      const why = isExpected(error) ? (error as Error).message : String((error as Error).stack);
      observe({ type: 'publish-failed', why, times, isNews: why !== said });
      said = why;
      retryAt = performance.now() + Math.min(everyMs * 2 ** Math.min(times - 1, 20), MAX_RETRY_MS);
    }
  });
  watch.look();
  // What looks holds no process: in a gateway it must not. This one is for nothing else.
  const alive = setInterval(() => {}, ALIVE_MS);
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  clearInterval(alive);
  await watch.close();
}

function isExpected(error: unknown): boolean {
  return (
    error instanceof StoreError ||
    error instanceof OperatorError ||
    (error instanceof Error && 'syscall' in error)
  );
}

/** One look: publishes where there is something new and it is this publisher's turn. */
function createAttempt(options: PublishWatch): () => Promise<void> {
  const { store, publisher, data, standbyMs, observe, onStandBy } = options;
  let done: string | undefined;
  /** The snapshot that is to be put into the lake still, and what was said of it. */
  let late: { readonly id: string; readonly atMs: number; readonly said: string | undefined } | undefined;
  /** The pointer of another publisher, and since when it has not changed. */
  let other: { readonly text: string; readonly sinceMs: number } | undefined;

  const standBy = (text: string): void => {
    if (other === undefined) {
      onStandBy(true);
      const line = `another publisher publishes to ${store.name}; standing by`;
      observe({ type: 'note', level: 'warn', text: line });
    }
    if (other?.text !== text) other = { text, sinceMs: performance.now() };
  };

  return async () => {
    const snapshot = await servedSnapshot(data);
    if (snapshot === undefined || snapshot.id === done) return;
    if (late?.id === snapshot.id && performance.now() < late.atMs) return;
    const there = await publisher.look();
    if (there !== undefined && !there.own && there.id !== snapshot.id) {
      standBy(there.text);
      if (other !== undefined && performance.now() - other.sinceMs < standbyMs) return;
    }
    const began = performance.now();
    // A lake that failed lately holds up nothing that is new.
    const published = await publisher.publish(snapshot, late !== undefined && late.id !== snapshot.id);
    const { outcome, warning, lakeTables, ...sent } = published;
    if (warning !== undefined && warning !== late?.said)
      observe({ type: 'note', level: 'warn', text: warning });
    if (outcome === 'taken') {
      standBy('');
      return;
    }
    if (other !== undefined) observe({ type: 'note', level: 'warn', text: `taking over ${store.name}` });
    other = undefined;
    onStandBy(false);
    if (lakeTables === undefined)
      late = { id: snapshot.id, atMs: performance.now() + LAKE_RETRY_MS, said: warning };
    else {
      done = snapshot.id;
      late = undefined;
    }
    if (outcome === 'published')
      observe({ type: 'snapshot-published', ...sent, store: store.name, ms: performance.now() - began });
  };
}
