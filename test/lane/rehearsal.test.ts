// What runs before a gateway serves: scans of a large table on their whole way, which must not fail there, or nothing would
// be made ready by them.
import { createHook } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { rehearseHttp } from '../../src/gateway/http-rehearsal.ts';
import { rehearse } from '../../src/gateway/rehearsal.ts';
import { type Lanes, startLanes } from '../../src/lane/lanes.ts';
import { rehearse as rehearseRows } from '../../src/rowstore/rehearsal.ts';
import { runBounded } from '../../src/rowstore/run.ts';
import { createShapeMemory } from '../../src/rowstore/shape-memory.ts';
import { openStore } from '../../src/rowstore/store.ts';
import { rowsPath } from '../../src/snapshot/layout.ts';
import { type Manifest, readManifest, writeManifest } from '../../src/snapshot/manifest.ts';
import { rehearsal } from '../../src/statement/rehearsal.ts';
import type { Job, Reply, SnapshotRef, StatementJob } from '../../src/wire/protocol.ts';
import { rehearseEncoder } from '../../src/worker/encoder-rehearsal.ts';
import { type EngineConnection, textRows } from '../../src/worker/engine.ts';
import { preload } from '../../src/worker/preload.ts';
import { rehearse as rehearseColumns } from '../../src/worker/rehearsal.ts';
import { openStores } from '../../src/worker/stores.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { LANE_CONFIG, until } from './support.ts';

const ROWS = 250_000;
const LARGE = 'large_1_1';
const test = suite<{ lanes: Lanes; snapshot: SnapshotRef; dir: string }>('lane/rehearsal');

test.before(async (context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'tablegate-rehearsal-'));
  context.snapshot = await makeSnapshot(context.dir, [
    {
      name: LARGE,
      primaryKey: 'id',
      columns: [
        { name: 'id', type: 'integer' },
        { name: 'na"me', type: 'text' },
        { name: 'data', type: 'blob' },
      ],
      select: `select i, 'row ' || i % 100, null::blob from range(1, ${ROWS + 1}) t(i)`,
    },
    { name: 'small_1_2', columns: [{ name: 'a', type: 'text' }], rows: [['x']] },
  ]);
  // As an import leaves it.
  const rows = new DatabaseSync(rowsPath(context.snapshot.path));
  rows.exec("update tablegate_tables set columnar = 0 where name = 'small_1_2'");
  rows.close();
  context.lanes = startLanes(LANE_CONFIG, () => {});
  await context.lanes.openSnapshot(context.snapshot);
});
const folders: string[] = [];
test.after(async ({ lanes, dir }) => {
  await lanes?.close();
  for (const each of [dir, ...folders]) rmSync(each, { recursive: true, force: true });
});

/** @returns what was asked, and answered */
async function asked(lanes: Lanes, of: SnapshotRef, times = 1): Promise<[Job, Reply][]> {
  const seen: [Job, Reply][] = [];
  const run: Lanes['run'] = async (job, options) => {
    const reply = await lanes.run(job, options);
    seen.push([job, reply]);
    return reply;
  };
  await rehearse({ run }, of, times);
  return seen;
}

/** The same snapshot, of which something else is said. */
async function otherwise(of: SnapshotRef, change: Partial<Manifest>): Promise<SnapshotRef> {
  const path = mkdtempSync(join(tmpdir(), 'tablegate-rehearsal-'));
  folders.push(path);
  await writeManifest(path, { ...(await readManifest(of.path)), ...change });
  return { ...of, path };
}

test('scans the largest table, as often as there are lanes that look first, and plans a join of it', async ({
  lanes,
  snapshot,
}) => {
  const rows = { registry: 50_000_000, small_1_2: 1, [LARGE]: ROWS };
  const seen = await asked(lanes, await otherwise(snapshot, { rows }), 2);
  assert.ok(
    seen.every(([, reply]) => reply.ok && reply.rest === undefined),
    'what has not run yet is sent whole',
  );
  const isApart = lanes.stats().some(({ lane }) => lane === 'scan2');
  assert.not.ok(isApart, 'no second process is started for it');
  const more = { ...rows, [LARGE]: 40_000_000 };
  seen.push(...(await asked(lanes, await otherwise(snapshot, { rows: more }))));
  for (const [job, reply] of seen) assert.ok(reply.ok, `${JSON.stringify(job)} ${JSON.stringify(reply)}`);
  assert.equal(
    seen.map(([{ kind }]) => kind),
    [
      ...['table', ...Array(4).fill('query'), ...Array(4).fill('explain')],
      ...['table', ...Array(2).fill('query'), ...Array(2).fill('explain')],
    ],
  );
  const engines = seen.flatMap(([{ kind }, reply]) => (kind === 'table' || !reply.ok ? [] : [reply.engine]));
  assert.equal(new Set(engines), new Set(['scan']), 'each is what DuckDB has exact words for');
  assert.ok(lanes.stats().every(({ pending, deaths }) => pending === 0 && deaths === 0));
});

test('asks for a large list only where the second process of the scan lane serves', async ({
  lanes,
  snapshot,
}) => {
  const rowsAsked = async (hasSecond: boolean): Promise<(string | undefined)[]> => {
    const asked: (string | undefined)[] = [];
    const run: Lanes['run'] = async (job) => {
      if (job.kind === 'table') return lanes.run(job);
      if (job.kind === 'query') asked.push(job.literals.at(-1)?.text);
      return { ok: false, code: 'internal', message: 'no' };
    };
    await rehearse({ run }, snapshot, 1, () => hasSecond);
    return asked;
  };
  assert.equal(await rowsAsked(true), ['100', '60000']);
  assert.equal(await rowsAsked(false), ['100', '10000']);
});

test('asks nothing where no table is large', async ({ lanes, snapshot }) => {
  for (const change of [{ files: {} }, { rows: {} }, { rows: { registry: 5 } }] as const)
    assert.equal(await asked(lanes, await otherwise(snapshot, change)), []);
});

test('is no matter where it fails', async ({ snapshot }) => {
  const fails: Lanes['run'] = async () => ({ ok: false, code: 'internal', message: 'no' });
  await rehearse({ run: fails }, snapshot, 3);
  await rehearse({ run: () => Promise.reject(new Error('no')) }, snapshot, 3);
  await rehearse({ run: fails }, { ...snapshot, path: '/nonexistent' }, 3);
});

test('scans in each worker what is its own', async ({ snapshot }) => {
  const stores = await openStores({
    ...{ folder: snapshot.path, threads: 1, memoryBytes: 256 * 1024 * 1024, smallBytes: 1024 * 1024 },
    ...{ prelude: [], locked: false, proven: false },
  });
  try {
    const jobs: StatementJob[] = [];
    const run = async (job: StatementJob): Promise<void> => void jobs.push(job);
    const held: string[] = [];
    const hold = async (tables: readonly string[]): Promise<() => void> => {
      const release = await stores.hold(tables);
      return () => {
        held.push(...tables);
        release();
      };
    };
    const { connection } = stores.session;
    const streamed: string[] = [];
    const watched: EngineConnection = {
      ...connection,
      stream(sql) {
        streamed.push(sql);
        return connection.stream(sql);
      },
    };
    await rehearseColumns(watched, stores.schema, run, hold);
    assert.is(streamed.length, 1, 'encodes values of its own');
    assert.is(held.length, 1, 'brings one over and lets it go');
    assert.is(stores.schema.tables.get(held[0] ?? '')?.columnar, false);
    assert.equal(
      jobs.map(({ kind }) => kind),
      ['query', 'query', 'explain', 'explain'],
    );
    for (const { shape } of jobs) assert.match(shape, /"large_1_1"/);
    const rejects = (): Promise<never> => Promise.reject(new Error('no'));
    await rehearseColumns(stores.session.connection, stores.schema, rejects, hold);
  } finally {
    await stores.close();
  }
});

test('encodes a large answer in each worker, whose session is locked', async ({ snapshot }) => {
  const stores = await openStores({
    ...{ folder: snapshot.path, threads: 1, memoryBytes: 256 * MIB, smallBytes: MIB },
    ...{ prelude: [], locked: true, proven: true },
  });
  try {
    assert.ok((await rehearseEncoder(stores.session.connection)) > 4 * MIB);
  } finally {
    await stores.close();
  }
});

test('reads columns into memory, as many as there is room for, and no long texts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-preload-'));
  folders.push(folder);
  const columns = [
    { name: 'rowid', type: 'text' },
    { name: 'n"', type: 'integer' },
    { name: 'note', type: 'text' },
  ] as const;
  const select = (rows: number): string =>
    `select 'a' || i % 9, hash(i) >> 2, repeat(md5(i::varchar), 8) from range(${rows}) t(i)`;
  const snapshot = await makeSnapshot(folder, [
    { name: 'first_1_1', columns: columns.slice(1), select: select(ROWS).replace("'a' || i % 9, ", '') },
    { name: 'more_1_2', columns: columns.slice(1), select: select(2 * ROWS).replace("'a' || i % 9, ", '') },
    { name: 'odd_1_3', columns, select: select(100) },
  ]);
  const read = async (memoryBytes: number): Promise<number> => {
    const stores = await openStores({
      ...{ folder: snapshot.path, threads: 1, memoryBytes: 256 * MIB, smallBytes: MIB },
      ...{ prelude: [], locked: false, proven: false },
    });
    try {
      await preload(stores.session.connection, stores.schema, memoryBytes);
      const used =
        "select cast(sum(memory_usage_bytes) as varchar) from duckdb_memory() where tag = 'BASE_TABLE'";
      return Number((await textRows(stores.session.connection, used))[0]?.[0]);
    } finally {
      await stores.close();
    }
  };
  const [none, some, all] = [await read(0), await read(24 * MIB), await read(256 * MIB)];
  // Eight bytes a number that is any; the texts have 256 each, which are half as many where they are packed.
  assert.ok(none <= 262_144, `${none}`);
  assert.ok(some >= 8 * ROWS && some < 20 * ROWS, `${some}`);
  assert.ok(all >= 24 * ROWS && all < 48 * ROWS, `${all}`);
});
const MIB = 1024 * 1024;

test('weighs a large table and runs a small one where rows are', ({ snapshot }) => {
  const store = openStore(snapshot, {
    ...{ memory: createShapeMemory(10), heapBytes: 64 * 1024 * 1024, valueBytes: 1024 * 1024 },
    ...{ maxVisits: 10_000, plainVisits: 10_000, shapes: 10, pageBytes: 1024 * 1024, readRows: 200_000 },
    ...{ seekBytes: 1024 * 1024, countsPairs: true, seeks: true, proven: false },
  });
  try {
    const answers: string[] = [];
    rehearseRows(store, (job) => {
      const answer = runBounded(store, job);
      answers.push('outcome' in answer ? 'run' : (answer.elsewhere ?? ''));
    });
    assert.equal(answers, [...Array(4).fill('scan'), ...Array(4).fill('run')]);
  } finally {
    store.close();
  }
});

/** What is asked of the engine by requests of the gateway's own. */
async function requested(
  lanes: Pick<Lanes, 'run'>,
  snapshot: SnapshotRef,
  args: readonly string[] = [],
): Promise<[Job, Reply][]> {
  const seen: [Job, Reply][] = [];
  const serving = {
    snapshotId: snapshot.id,
    versions: new Map(),
    chains: new Set([1]),
    blocks: [],
    createdMs: 0,
  };
  const fails = (): never => {
    throw new Error('nobody is told');
  };
  await rehearseHttp(
    {
      config: readArguments(['--data', '/nonexistent', '--port', '1', ...args], {}).config,
      engine: {
        healthy: () => true,
        async run(job, options) {
          const reply = await lanes.run(job, options);
          seen.push([job, reply]);
          return reply;
        },
      },
      swap: { serving: () => serving, known: () => serving, onTurn: fails },
      following: () => ({ state: 'off', problem: undefined, source: undefined }),
    },
    snapshot,
  );
  return seen;
}

const listening = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** Calls that are made over and over, and what made them: none is to stay. */
function watchIntervals(): { readonly left: () => number; readonly stop: () => void } {
  const made = new Set<number>();
  const hook = createHook({
    init(id, type, _, resource) {
      if (type === 'Timeout' && (resource as { _repeat?: number | null })._repeat) made.add(id);
    },
    destroy: (id) => made.delete(id),
  }).enable();
  return { left: () => made.size, stop: () => hook.disable() };
}

test('sends itself requests, whose answers are whole, and keeps nothing of it', async ({
  lanes,
  snapshot,
}) => {
  const intervals = watchIntervals();
  const seen = await requested(lanes, snapshot);
  await until(() => intervals.left() === 0);
  intervals.stop();
  for (const [job, reply] of seen) assert.ok(reply.ok, `${JSON.stringify(job)} ${JSON.stringify(reply)}`);
  assert.equal(
    seen.map(([{ kind }]) => kind),
    ['table', 'query', 'query', 'query', 'query'],
  );
  const inParts = seen.filter(([, reply]) => reply.ok && reply.rest !== undefined);
  assert.is(inParts.length, 1, 'the list leaves in parts, as large answers do');
  await until(() => listening() === 0);
  assert.ok(lanes.stats().every(({ pending }) => pending === 0));
  assert.equal(await requested(lanes, await otherwise(snapshot, { files: {} })), [], 'no table is large');
  for (const args of [
    ['--scan-warm', 'off'],
    ['--engine', 'long'],
  ])
    assert.equal(await requested(lanes, snapshot, args), []);
});

test('is no matter where its requests fail', async ({ lanes, snapshot }) => {
  let asked = 0;
  const run: Lanes['run'] = async (job, options) => {
    if (job.kind === 'table') return lanes.run(job, options);
    asked += 1;
    throw new Error('no');
  };
  await requested({ run }, snapshot);
  assert.is(asked, 4);
  await until(() => listening() === 0);
  await requested({ run: () => Promise.reject(new Error('no')) }, snapshot);
});

test('leaves out what no statement can be written of', () => {
  assert.is(rehearsal({ name: 'a_1_1', text: 'x"y', number: 'é', rows: 1 }).length, 4);
  assert.equal(rehearsal({ name: 'a_1_1', text: 'x\0y', number: 'n', rows: 1 }), []);
  assert.equal(rehearsal({ name: 'a_1_1', text: 'x'.repeat(40_000), number: 'n', rows: 1 }), []);
});

test.run();
