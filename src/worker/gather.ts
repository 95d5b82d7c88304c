// Runs lookups of one shape as one statement and deals the rows out to them: the engine's own cost of a statement
// (300 us) is then paid once for all. Gives back what cannot travel along; whoever asked runs that by itself, so
// that neither an error nor a large answer of one lookup is its neighbours' matter.
import { fillGathered, integerKey, keyOf } from '../dialect/template.ts';
import { type ColumnData, wholeInteger, wholeNumber } from '../encode/column-data.ts';
import type { Encoder } from '../encode/encode.ts';
import { type MakeEncoder, ROW_FORMATS } from '../encode/formats.ts';
import { GATHER, replyFrame, setFrameId } from '../frames.ts';
import { monotonicMs } from '../monotonic.ts';
import type { GatheredReply, GatheredTask, Lookup } from '../protocol.ts';
import { chunkRows, holdChunk, readColumns } from './chunk.ts';
import { type DataChunk, type EngineConnection, materialized } from './engine.ts';
import type { GatheredPlan, PlanEntry, Plans } from './plans.ts';
import {
  encoderFor,
  giveWriter,
  indexableOf,
  passGate,
  type QueryOptions,
  roundMs,
  takeWriter,
} from './query.ts';
import type { Watch } from './watch.ts';

/** More rows than this, and each lookup is run by itself. */
const MAX_ROWS = 4096;
/** After so many errors in a row, lookups of the shape are not gathered for a while. */
const MAX_FAILURES = 3;
const REST_MS = 5_000;

export async function runGathered(
  task: GatheredTask,
  connection: EngineConnection,
  plans: Plans,
  watch: Watch,
  options: QueryOptions,
): Promise<GatheredReply> {
  const started = monotonicMs();
  const chosen = choose(task.lookups, plans);
  if (chosen === undefined) return { frames: undefined, alone: task.lookups.map(({ id }) => id), later: [] };
  const { entry, gathered, members, places, alone, later } = chosen;
  const watched = watch.start(connection, task.slot, task.deadline);
  const encoders: Encoder[] = [];
  try {
    const sql = fillGathered(
      gathered.plan.sql,
      gathered.gathering,
      members.map(({ job }) => job.literals),
    );
    if (!gathered.gated && options.gate) {
      await passGate(connection, sql, gathered.plan, options.macros);
      gathered.gated = true;
    }
    for (const { make } of members) encoders.push(make(takeWriter()));
    const planned = monotonicMs();
    const result = await watched.running(connection.query(`FROM (${sql}) LIMIT ${MAX_ROWS + 1}`));
    const ran = monotonicMs();
    const chunks = materialized(result);
    if (chunks.reduce((sum, chunk) => sum + chunkRows(chunk), 0) > MAX_ROWS)
      throw new Error('too many rows for lookups');
    const refused = new Set<number>();
    for (const chunk of chunks) deal(chunk, gathered, places, encoders, refused);
    for (const encoder of encoders) encoder.finish();
    gathered.failures = 0;
    const share = (ms: number): number => roundMs(ms / members.length);
    const times = {
      planMs: share(planned - started),
      engineMs: share(ran - planned),
      encodeMs: share(monotonicMs() - ran),
    };
    const frames: Uint8Array<ArrayBuffer>[] = [];
    entry.runs += members.length;
    members.forEach(({ id, job }, index) => {
      const encoder = encoders[index] as Encoder;
      const { maxRows, maxBytes } = job.limits;
      if (refused.has(index) || encoder.rows > maxRows || encoder.total > maxBytes) {
        alone.push(id);
        return;
      }
      const outcome = {
        ok: true,
        ...indexableOf(entry, job, plans, options),
        snapshot: options.snapshot,
        rows: encoder.rows,
        columns: entry.plan.columns.length,
        deterministic: true,
        ...times,
      };
      const frame = replyFrame(outcome, encoder.take(), GATHER);
      setFrameId(frame, id);
      frames.push(frame);
    });
    return { frames: joined(frames), alone, later };
  } catch {
    // Run by itself each lookup says what is wrong with it, or with the engine.
    if (watched.stopped === undefined && ++gathered.failures >= MAX_FAILURES) {
      gathered.failures = 0;
      gathered.restsUntil = monotonicMs() + REST_MS;
    }
    return { frames: undefined, alone: [...alone, ...members.map(({ id }) => id)], later };
  } finally {
    for (const encoder of encoders) giveWriter(encoder.writer);
    watched.done();
  }
}

interface Member extends Lookup {
  readonly make: MakeEncoder;
}

interface Chosen {
  readonly entry: PlanEntry;
  readonly gathered: GatheredPlan;
  /** At least two. */
  readonly members: readonly Member[];
  /** Each member's place by its key. */
  readonly places: ReadonlyMap<string | number, number>;
  /** Ids of those that must be run by themselves. */
  readonly alone: number[];
  /** Ids of those that may travel with others. */
  readonly later: number[];
}

/** Those with the first one's plan, small answers and keys that differ. */
function choose(lookups: readonly Lookup[], plans: Plans): Chosen | undefined {
  let entry: PlanEntry | undefined;
  let gathered: GatheredPlan | undefined;
  const members: Member[] = [];
  const alone: number[] = [];
  const later: number[] = [];
  const keys = new Map<string | number, number>();
  for (const lookup of lookups) {
    const { id, job } = lookup;
    const [own, make] = known(lookup, plans) ?? [];
    if (own === undefined || make === undefined) {
      alone.push(id);
      continue;
    }
    if (entry === undefined) {
      gathered = plans.gathered(own, job.shape, job.literals);
      if (gathered === undefined || monotonicMs() < gathered.restsUntil) return undefined;
      entry = own;
    }
    if (own !== entry || gathered === undefined) {
      later.push(id);
      continue;
    }
    const { gathering } = gathered;
    if (gathering.limit !== undefined && !/[1-9]/.test(job.literals[gathering.limit]?.text ?? '')) {
      alone.push(id);
      continue;
    }
    const key = keyOf(gathering, job.literals);
    if (keys.has(key)) later.push(id);
    else {
      keys.set(key, members.length);
      members.push({ id, job, make });
    }
  }
  if (entry === undefined || gathered === undefined || members.length < 2) return undefined;
  return { entry, gathered, members, places: keys, alone, later };
}

/** The plan of a lookup that has shown that its answers are small, and what writes them. */
function known({ job }: Lookup, plans: Plans): readonly [PlanEntry, MakeEncoder] | undefined {
  if (!ROW_FORMATS.has(job.output.format)) return undefined;
  try {
    const entry = plans.get(job.shape, job.literals, false);
    return entry.small === true && !entry.overflowed ? [entry, encoderFor(entry, job)] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The last column is the key, which says whose each row is. Rows of one lookup stay in the engine's order.
 * @param refused gets the places of those whose rows cannot be written in the form that is wanted
 */
function deal(
  chunk: DataChunk,
  { plan, gathering }: GatheredPlan,
  places: Chosen['places'],
  encoders: readonly Encoder[],
  refused: Set<number>,
): void {
  holdChunk(chunk);
  const columns = readColumns(chunk, [...plan.columns.map(({ kind }) => kind), gathering.kind]);
  const keyAt = keyReader(columns.at(-1) as ColumnData);
  const count = chunkRows(chunk);
  const rows: number[][] = encoders.map(() => []);
  for (let row = 0; row < count; row++) {
    const owner = rows[places.get(keyAt(row)) ?? -1];
    if (owner === undefined) throw new Error('a row of no lookup');
    owner.push(row);
  }
  rows.forEach((picked, index) => {
    if (picked.length === 0) return;
    try {
      encoders[index]?.addRows?.(columns, picked);
    } catch {
      refused.add(index);
    }
  });
  holdChunk(undefined);
}

function keyReader(column: ColumnData): (row: number) => string | number {
  if (column.kind === 'integer') {
    const { halves } = column;
    return (row) => {
      const low = halves[row * 2] as number;
      const high = halves[row * 2 + 1] as number;
      return wholeNumber(low, high) ?? integerKey(wholeInteger(low, high));
    };
  }
  if (column.kind !== 'text') throw new Error(`no key: ${column.kind}`);
  const { bytes, starts, lengths } = column.texts;
  const texts = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (row) => {
    const start = starts[row] as number;
    return texts.toString('latin1', start, start + (lengths[row] as number));
  };
}

function joined(frames: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return bytes;
}
