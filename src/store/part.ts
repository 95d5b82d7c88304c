// One part of a store, whole: what is cut is fetched on from where it was cut, and what it is not is refused.
import { createHash } from 'node:crypto';
import { type Store, StoreError } from './store.ts';

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const FETCH_MS = 30_000;
const SLOWEST_BYTES_MS = 16;

export interface FetchedPart {
  readonly bytes: Buffer;
  /** That came over the wire: more than the part has where some came twice. */
  readonly receivedBytes: number;
}

/**
 * @param name its SHA-256
 * @throws StoreError
 */
export async function fetchPart(
  store: Store,
  name: string,
  size: number,
  signal: AbortSignal,
): Promise<FetchedPart> {
  const bytes = Buffer.allocUnsafe(size);
  // However few bytes come at a time, it ends.
  const late = AbortSignal.timeout(Math.ceil(FETCH_MS + size / SLOWEST_BYTES_MS));
  const both = AbortSignal.any([signal, late]);
  let at = 0;
  let receivedBytes = 0;
  for (let attempt = 1; ; attempt++) {
    const before = at;
    try {
      const { from, chunks } = await store.openPart(name, at, both);
      at = from;
      for await (const chunk of chunks) {
        receivedBytes += chunk.length;
        if (at + chunk.length > size) throw new Excess(`part ${name} has more than its ${size} bytes`);
        bytes.set(chunk, at);
        at += chunk.length;
      }
      if (at < size) throw new StoreError(`part ${name} ended after ${at} of ${size} bytes`);
      break;
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) throw new StoreError(`part ${name} comes too slowly`, { cause: error });
      // Only what was cut is worth another try at once: the store has it, and some of it came.
      if (at <= before || attempt === ATTEMPTS || error instanceof Excess) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
  if (createHash('sha256').update(bytes).digest('hex') !== name)
    throw new StoreError(`part ${name} is not what its name says`);
  return { bytes, receivedBytes };
}

class Excess extends StoreError {}
