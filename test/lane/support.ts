// Lanes on a small snapshot, real processes and threads: all of them with statements as clients write them, or the
// scan lane alone with the engine's own SQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observation } from '../../src/base/observe.ts';
import type { LaneConfig, LaneOverrides } from '../../src/lane/lane-settings.ts';
import { type Lanes, startLanes } from '../../src/lane/lanes.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Limits, Literal, QueryJob, Reply, SnapshotRef } from '../../src/wire/protocol.ts';
import { bodyBytes } from '../support/body.ts';
import { compiled } from '../support/compilers/compiled.ts';
import { PASSTHROUGH, rawJob } from '../support/passthrough.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';

const MIB = 1024 * 1024;
export const LANE_CONFIG: LaneConfig = {
  scanWorkers: 2,
  scanThreads: 2,
  scanMemoryBytes: 512 * MIB,
  scanSmallBytes: 64 * MIB,
  maxQueue: 100,
  laneSpareBytes: 1024 * MIB,
  spareLanes: 0,
  streamBytes: 64 * 1024,
  stallMs: 5_000,
  planShapes: 100,
  scanNice: 0,
  scanWarm: 'on',
  scanApart: 'on',
  spillBytes: 0,
  data: '',
  engine: 'auto',
  rowLanes: 1,
  rowVisits: 20_000,
  rowMemoryBytes: 256 * MIB,
  longLanes: 2,
  longMemoryBytes: 256 * MIB,
  trino: '',
  trinoUser: 'tablegate',
  trinoStatements: 4,
  trinoOverflow: 'off',
};

export const ITEMS: TestTable = {
  name: 'items_1_1',
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ],
  select: "select i, 'item ' || i from range(1, 200001) t(i)",
};

const UNLOCKED = { unlocked: ['gate'], selfTest: false } as const;
export const SCAN_ALONE: LaneOverrides = { ...UNLOCKED, compiler: PASSTHROUGH, only: 'scan' };
/** All lanes; what {@link deed} names does to the scan lane what its name says. */
export const HOSTILE: LaneOverrides = { ...UNLOCKED, compiler: compiled('hostile.ts') };

export interface TestLanes {
  readonly lanes: Lanes;
  readonly snapshot: SnapshotRef;
  readonly dir: string;
  readonly seen: Observation[];
  pid(lane: string): number;
  /** Of the lane, or of all. */
  deaths(lane?: string): number;
  close(): Promise<void>;
}

export interface TestLanesOptions {
  readonly config?: Partial<LaneConfig>;
  /** Without them, the scan lane alone runs the engine's own SQL, and its gate is off. */
  readonly locks?: LaneOverrides;
  /** Without them {@link ITEMS}, in a snapshot that is not to be changed. */
  readonly tables?: readonly TestTable[];
}

/** Of {@link ITEMS}: lanes only read it, so those of one process may share it. */
let shared: Promise<SnapshotRef> | undefined;
function sharedItems(): Promise<SnapshotRef> {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-items-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return makeSnapshot(dir, [ITEMS]);
}

export async function startTestLanes(options: TestLanesOptions = {}): Promise<TestLanes> {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-lane-'));
  if (options.tables === undefined) shared ??= sharedItems();
  const snapshot = await (options.tables === undefined ? shared : makeSnapshot(dir, options.tables));
  if (snapshot === undefined) throw new Error('no snapshot');
  const seen: Observation[] = [];
  const lanes = startLanes(
    { ...LANE_CONFIG, ...options.config },
    (event) => seen.push(event),
    options.locks ?? SCAN_ALONE,
  );
  try {
    await lanes.openSnapshot(snapshot);
  } catch (error) {
    await lanes.close();
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  return {
    lanes,
    snapshot,
    dir,
    seen,
    pid: (lane) => lanes.stats().find((each) => each.lane === lane)?.pid ?? 0,
    deaths: (lane) =>
      lanes
        .stats()
        .reduce((sum, each) => sum + (lane === undefined || each.lane === lane ? each.deaths : 0), 0),
    async close() {
      await lanes.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export function job(sql: string, more: Partial<Limits> = {}, literals: readonly Literal[] = []): QueryJob {
  return rawJob(sql, literals, {
    limits: { deadlineMs: 30_000, maxRows: 10_000_000, maxBytes: 1_000_000_000, ...more },
  });
}

/** A statement as a client writes it. */
export function statement(text: string, more: Partial<Limits> = {}): QueryJob {
  const { shape, literals } = readStatement(text, [], 35_000);
  return { ...job(shape, { deadlineMs: 60_000, ...more }, literals) };
}
/** It visits all rows, so that it goes to the scan lane. See test/support/compilers/hostile.ts. SQLite counts them. */
export const deed = (name: string, more: Partial<Limits> = {}, alias = 'x'): QueryJob =>
  statement(`select count(*) as ${name} from items_1_1 ${alias}`, more);
export const answerOf = (name: string): string => `[{"${name}":200000}]`;
/** SQLite's, and no row of it ever comes. */
export const ENDLESS_RECURSION =
  'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

export const integer = (value: number): Literal => ({ kind: 'integer', text: String(value) });

export const LOOKUP = 'SELECT name AS "name:text" FROM items_1_1 WHERE id = ?i';
export const lookup = (id: number): QueryJob => job(LOOKUP, {}, [integer(id)]);
/** Each call a shape of its own. */
let shapes = 0;
export const newLookup = (id: number): QueryJob => {
  shapes += 1;
  // Long enough for a lane that is started anew on a busy machine.
  const limits = { deadlineMs: 30_000 };
  return job(`SELECT name AS "name${shapes}:text" FROM items_1_1 WHERE id = ?i`, limits, [integer(id)]);
};

export async function textOf(reply: Reply): Promise<string> {
  if (!reply.ok) return `${reply.code}: ${reply.message}`;
  const parts = [bodyBytes(reply.body)];
  if (reply.rest !== undefined) for await (const part of reply.rest) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('it did not come true in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const ENDLESS = 'SELECT count(*) AS "n:integer" FROM range(100000000000) t(i)';
