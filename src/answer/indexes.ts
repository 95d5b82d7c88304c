// Which shapes have an index of their rows: those whose lookups have cost the engine as much as making one would.
// Bounded in bytes; the indexes of an old snapshot are dropped with it. Time comes in as an argument.
import { LRUCache } from 'lru-cache';
import type { IndexJob, QueryJob } from '../protocol.ts';
import type { AskedRows } from './asked-rows.ts';
import type { Timed } from './engine.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';
import type { FoundRows } from './row-store.ts';

export interface Indexes {
  /** The answer, where an index of this snapshot has it. */
  find(asked: AskedRows): Timed | undefined;
  /** The engine has answered; an index may be worth making now. */
  ran(asked: AskedRows, reply: Timed): void;
  /** After a swap of the snapshot. */
  clear(): void;
  readonly bytes: number;
  readonly entries: number;
}

export interface IndexesOptions {
  /** Bound of all indexes together; 0 is off. */
  readonly maxBytes: number;
  /** An answer that passes this is given in parts. */
  readonly partBytes: number;
  /** @throws GatewayError where the rows cannot be had */
  readonly read: (job: IndexJob, snapshot: string) => Promise<Timed>;
  /** Milliseconds, on any clock. */
  readonly now: () => number;
}

/** One of a shape: lookups that the engine was asked for, and when the next attempt may be. */
interface History {
  spentMs: number;
  restsUntil: number;
}

interface Kept {
  readonly index: RowIndex;
  readonly columns: number;
}

/** Of shapes that are remembered, two bytes a character. */
const HISTORY_BYTES = 8 * 1024 * 1024;
const HISTORY_ENTRY_BYTES = 300;
/** What making an index costs: for itself and for each row. */
const BUILD_MS = 5;
const ROW_MS = 0.0005;
/** What a lookup costs front and lane besides the engine's own time. */
const LOOKUP_MS = 0.15;
/** One index may take so much of all their memory. */
const SHARE = 0.5;
/** A shape whose rows could not be had, or were too many, is left alone for so long. */
const REST_MS = 60_000;
/** The limits of an answer are not those of the rows that it is taken from. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

const NONE: Indexes = { find: () => undefined, ran: () => {}, clear: () => {}, bytes: 0, entries: 0 };

export function createIndexes({ maxBytes, partBytes, read, now }: IndexesOptions): Indexes {
  if (maxBytes === 0) return NONE;
  const histories = new LRUCache<string, History>({
    maxSize: HISTORY_BYTES,
    sizeCalculation: (_, key) => 2 * key.length + HISTORY_ENTRY_BYTES,
  });
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ index }, key) => index.bytes + 2 * key.length + 1_000,
  });
  /** One at a time: they are made beside the work for clients. */
  let building = false;
  let generation = 0;

  const make = async (job: IndexJob, snapshot: string): Promise<Kept> => {
    const began = generation;
    const reply = await read(job, snapshot);
    const definition = reply.index;
    if (definition === undefined || reply.snapshot !== snapshot) throw new Error('no rows for an index');
    const builder = createRowIndex(definition);
    const add = (part: Uint8Array): void => {
      builder.add(part);
      if (builder.bytes > maxBytes * SHARE) throw new Error('too large for an index');
    };
    try {
      add(typeof reply.body === 'string' ? Buffer.from(reply.body, 'latin1') : reply.body);
      for await (const part of reply.rest ?? []) {
        if (generation !== began) throw new Error('the snapshot has changed');
        add(part);
      }
    } finally {
      // Whoever leaves before the end says so, or a worker stays taken.
      await reply.rest?.[Symbol.asyncIterator]().return?.();
    }
    const index = await builder.finish();
    if (index === undefined || generation !== began) throw new Error('no index');
    return { index, columns: definition.columns };
  };

  return {
    find({ shapeKey, snapshot, job: { literals, limits } }) {
      if (kept.size === 0) return undefined;
      const found = kept.get(shapeKey);
      const rows = found?.index.find(literals, { ...limits, partBytes });
      return found && rows && replyOf(snapshot, found.columns, rows);
    },
    ran({ shapeKey, snapshot, job }, reply) {
      const { indexRows } = reply;
      if (indexRows === undefined || building || reply.snapshot !== snapshot) return;
      const key = historyKey(job);
      let history = histories.get(key);
      if (history === undefined) {
        history = { spentMs: 0, restsUntil: 0 };
        histories.set(key, history);
      }
      history.spentMs += reply.planMs + reply.engineMs + reply.encodeMs + LOOKUP_MS;
      if (history.spentMs < BUILD_MS + indexRows * ROW_MS || now() < history.restsUntil) return;
      if (isTooLarge(reply, indexRows, maxBytes)) return;
      history.spentMs = 0;
      building = true;
      make({ ...job, kind: 'index', limits: { ...job.limits, maxRows: ALL_ROWS, maxBytes } }, snapshot)
        .then((made) => {
          kept.set(shapeKey, made);
        })
        .catch(() => {
          history.restsUntil = now() + REST_MS;
        })
        .finally(() => {
          building = false;
        });
    },
    clear() {
      generation += 1;
      kept.clear();
      for (const history of histories.values()) history.spentMs = 0;
    },
    get bytes() {
      return kept.calculatedSize;
    },
    get entries() {
      return kept.size;
    },
  };
}

/** By what this answer's rows took. */
function isTooLarge({ rows, body }: Timed, indexRows: number, maxBytes: number): boolean {
  return rows > 0 && (body.length / rows) * indexRows > maxBytes * SHARE;
}

/** The same in every snapshot. */
function historyKey({ shape, output: { format, extract, unwrap } }: QueryJob): string {
  return `${format}${extract}${unwrap}\n${shape}`;
}

function replyOf(snapshot: string, columns: number, found: FoundRows): Timed {
  return {
    ...found,
    ok: true,
    snapshot,
    columns,
    deterministic: true,
    planMs: 0,
    engineMs: 0,
    encodeMs: 0,
    queueMs: 0,
  };
}
