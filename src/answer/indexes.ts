// Indexes of shapes: made beside the work for clients, one at a time, where they are earned; bounded in bytes; those
// of an old snapshot are dropped with it.
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { IndexJob, Literal, QueryJob } from '../protocol.ts';
import type { AskedRows } from './asked-rows.ts';
import type { Timed } from './engine.ts';
import { createIndexEarning, type IndexFailure } from './index-earning.ts';
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

interface Kept {
  readonly index: RowIndex;
  readonly columns: number;
}

/** Of shapes that have an index. */
const SHAPES = 10_000;
/** One index may take so much of all their memory. */
const SHARE = 0.5;
/** The limits of an answer are not those of the rows that it is taken from. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

const NONE: Indexes = { find: () => undefined, ran: () => {}, clear: () => {}, bytes: 0, entries: 0 };

export function createIndexes({ maxBytes, partBytes, read, now }: IndexesOptions): Indexes {
  if (maxBytes === 0) return NONE;
  const earning = createIndexEarning();
  const kept = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ index }, key) => index.bytes + 2 * key.length + 1_000,
  });
  /** By shape: which of its literals rows are looked up by. */
  const places = new LRUCache<string, readonly number[]>({ max: SHAPES });
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
    find(asked) {
      if (kept.size === 0) return undefined;
      const { snapshot, job } = asked;
      const { literals, limits } = job;
      const varying = places.get(asked.shapeKey);
      const found = varying && kept.get(indexKey(asked, varying));
      const rows = found?.index.find(literals, { ...limits, partBytes });
      return found && rows && replyOf(snapshot, found.columns, rows);
    },
    ran(asked, reply) {
      const { snapshot, job } = asked;
      const { indexable } = reply;
      if (indexable === undefined || reply.snapshot !== snapshot) return;
      const { rows, varying } = indexable;
      const shape = shapeOf(job, varying);
      earning.spent(shape, reply.planMs + reply.engineMs + reply.encodeMs);
      if (building || isTooLarge(reply, rows, maxBytes)) return;
      const allowedMs = earning.allowance(shape, rows, now());
      if (allowedMs === undefined) return;
      const deadlineMs = Math.round(Math.min(job.limits.deadlineMs, allowedMs));
      const began = generation;
      building = true;
      make({ ...job, kind: 'index', limits: { deadlineMs, maxRows: ALL_ROWS, maxBytes } }, snapshot)
        .then((made) => {
          earning.made(shape);
          places.set(asked.shapeKey, varying);
          kept.set(indexKey(asked, varying), made);
        })
        .catch((error: unknown) => {
          if (generation === began) earning.failed(shape, failureOf(error), now());
        })
        .finally(() => {
          building = false;
        });
    },
    clear() {
      generation += 1;
      kept.clear();
      places.clear();
      earning.newSnapshot();
    },
    get bytes() {
      return kept.calculatedSize;
    },
    get entries() {
      return kept.size;
    },
  };
}

function failureOf(error: unknown): IndexFailure {
  const code = error instanceof GatewayError ? error.code : undefined;
  if (code === 'limit-time') return 'slow';
  return code === 'overloaded' || code === 'not-ready' ? 'busy' : 'none';
}

/** By what this answer's rows took. */
function isTooLarge({ rows, body }: Timed, all: number, maxBytes: number): boolean {
  return rows > 0 && (body.length / rows) * all > maxBytes * SHARE;
}

/** Of one snapshot. */
function indexKey({ shapeKey, job }: AskedRows, varying: readonly number[]): string {
  return shapeKey + othersKey(job.literals, varying);
}

/** The same in every snapshot. */
function shapeOf({ shape, literals, output }: QueryJob, varying: readonly number[]): string {
  const { format, extract, unwrap } = output;
  return `${format}${extract}${unwrap}${othersKey(literals, varying)}\n${shape}`;
}

/** Which literals the rows were not looked up by, and what they are. '' where there are none. */
function othersKey(literals: readonly Literal[], varying: readonly number[]): string {
  if (literals.length === varying.length) return '';
  let key = '';
  literals.forEach(({ kind, text, source = '' }, place) => {
    if (!varying.includes(place))
      key += `\n${place} ${kind} ${text.length}:${text}${source.length}:${source}`;
  });
  return key;
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
