// Indexes of shapes: made beside the work for clients, one at a time, where they are earned; bounded in bytes; those
// of an old snapshot are dropped with it.
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../errors.ts';
import type { IndexJob, Literal, QueryJob } from '../../protocol.ts';
import { type AskedRows, formKey, literalKey } from '../asked-rows.ts';
import type { Timed } from '../engine.ts';
import { type BuiltIndex, buildIndex } from './build.ts';
import { createIndexEarning, type IndexFailure } from './earning.ts';
import type { FoundRows } from './row-store.ts';

export interface Indexes {
  /** The answer, where an index of this snapshot has it. */
  find(asked: AskedRows): Timed | undefined;
  /** The engine has answered; an index may be worth making now. */
  ran(asked: AskedRows, reply: Timed): void;
  /** The rest of the engine's answer, which came in parts, was so large. */
  sent(asked: AskedRows, reply: Timed, bytes: number): void;
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

/** Of shapes that have an index. */
const SHAPES = 10_000;
/** One index may take so much of all their memory. */
const SHARE = 0.5;
/** The limits of an answer are not those of the rows that it is taken from. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/** What the engine takes to make and write so much of a body: 4 ms a MB. */
const BYTE_MS = 4e-6;

const NONE: Indexes = {
  find: () => undefined,
  ran: () => {},
  sent: () => {},
  clear: () => {},
  bytes: 0,
  entries: 0,
};

export function createIndexes({ maxBytes, partBytes, read, now }: IndexesOptions): Indexes {
  if (maxBytes === 0) return NONE;
  const earning = createIndexEarning();
  const kept = new LRUCache<string, BuiltIndex>({
    maxSize: maxBytes,
    sizeCalculation: ({ index }, key) => index.bytes + 2 * key.length + 1_000,
  });
  /** By shape: which of its literals rows are looked up by. */
  const places = new LRUCache<string, readonly number[]>({ max: SHAPES });
  /** One at a time: they are made beside the work for clients. */
  let building = false;
  let restsUntil = 0;
  let generation = 0;
  /** Id of the snapshot that was asked for last. */
  let served = '';

  return {
    find(asked) {
      served = asked.snapshot;
      if (kept.size === 0) return undefined;
      const { snapshot, job } = asked;
      const varying = places.get(asked.shapeKey);
      if (varying === undefined) return undefined;
      const key = indexKey(asked, varying);
      const found = kept.peek(key);
      const rows = found?.index.find(job.literals, job.limits, partBytes);
      if (found === undefined || rows === undefined) return undefined;
      // Only one that has answers is in use.
      kept.get(key);
      return replyOf(snapshot, found.columns, rows);
    },
    ran(asked, reply) {
      const { snapshot, job } = asked;
      const { indexable } = reply;
      if (indexable === undefined || reply.snapshot !== snapshot || snapshot !== served) return;
      const { rows, varying } = indexable;
      if (kept.has(indexKey(asked, varying))) {
        // It had no answer to this one, or its places were forgotten.
        places.set(asked.shapeKey, varying);
        return;
      }
      const shape = shapeOf(job, varying);
      earning.spent(shape, reply.planMs + reply.engineMs + reply.encodeMs);
      const began = now();
      if (building || began < restsUntil || isTooLarge(reply, rows, maxBytes)) return;
      const allowedMs = earning.allowance(shape, rows, began);
      if (allowedMs === undefined) return;
      const deadlineMs = Math.round(Math.min(job.limits.deadlineMs, allowedMs));
      const of = generation;
      building = true;
      const limits = { deadlineMs, maxRows: ALL_ROWS, maxBytes };
      read({ ...job, kind: 'index', limits }, snapshot)
        .then((rowsOfAll) => buildIndex(rowsOfAll, snapshot, maxBytes * SHARE, () => generation === of))
        .then((made) => {
          earning.made(shape);
          places.set(asked.shapeKey, varying);
          kept.set(indexKey(asked, varying), made);
        })
        .catch((error: unknown) => {
          if (generation === of) earning.failed(shape, failureOf(error), now());
          // Of many that fail, one after the other, each takes as long as nothing is made afterwards.
          restsUntil = 2 * now() - began;
        })
        .finally(() => {
          building = false;
        });
    },
    sent({ job }, { indexable }, bytes) {
      if (indexable !== undefined) earning.spent(shapeOf(job, indexable.varying), bytes * BYTE_MS);
    },
    clear() {
      generation += 1;
      served = '';
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
  // What is lost with its lane may have ended it.
  return code === 'overloaded' ? 'busy' : 'none';
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
function shapeOf(job: QueryJob, varying: readonly number[]): string {
  return `${othersKey(job.literals, varying)}\n${formKey(job)}`;
}

/** Which literals the rows were not looked up by, and what they are. '' where there are none. */
function othersKey(literals: readonly Literal[], varying: readonly number[]): string {
  if (literals.length === varying.length) return '';
  let key = '';
  literals.forEach((literal, place) => {
    if (!varying.includes(place)) key += `\n${place}${literalKey(literal)}`;
  });
  return key;
}

/** All members are written out: copied from other objects they cost more than all the rest of an answer. */
function replyOf(snapshot: string, columns: number, { rows, body, rest }: FoundRows): Timed {
  const reply: Timed = {
    ok: true,
    snapshot,
    rows,
    columns,
    deterministic: true,
    planMs: 0,
    engineMs: 0,
    encodeMs: 0,
    queueMs: 0,
    body,
  };
  return rest === undefined ? reply : { ...reply, rest };
}
