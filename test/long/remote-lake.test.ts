// Tables of a real cluster beside tables that are here: what an import takes for a key there, what imports from elsewhere
// leave of them, and copies of large tables in the lake, which statements join and fall over to.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/manifest.ts';
import type { Pointer } from '../../src/store/pointer.ts';
import { DEEP, HEAVY, LONG } from '../gate/attacks.ts';
import { until } from '../lane/support.ts';
import { makeSource, startProcess, startReplica, write } from '../publish/support.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { type LakePlace, makeLakePlace, makeTables, PUBLISHER, remoteImport } from '../support/lake.ts';
import { type Cluster, OPERATOR, startTrino, trinoSuite } from '../support/trino.ts';

interface Context {
  cluster: Cluster;
  folder: string;
  place: LakePlace;
}

/** No test waits for less: a machine may be loaded. */
const PATIENCE_MS = 600_000;
const PATIENT = ['--deadline-ms', String(PATIENCE_MS)];
/** Statements that are under way at any time while snapshots come and go. */
const ASKERS = 3;

const test = trinoSuite<Context>('long/remote-lake');

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-lake-'));
  context.cluster = await startTrino({ workers: 1 });
  process.env['TABLEGATE_TRINO'] = context.cluster.url;
  context.place = await makeLakePlace(context);
});

test.after(async ({ cluster, folder }) => {
  delete process.env['TABLEGATE_TRINO'];
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('a key has each value once: counted, in parts where the cluster has not the memory for all', async ({
  cluster,
  folder,
}) => {
  await makeTables(cluster, 'keys', {
    once: ['k BIGINT', 'select i as k from range(1000000) r(i)'],
    twice: ['k BIGINT', 'select case when i = 999999 then 0 else i end as k from range(1000000) r(i)'],
    many: ['k BIGINT', 'select i - 10000000 as k from range(20000000) r(i)'],
  });
  const data = join(folder, 'keys');
  remoteImport(data, 'lake.keys.once', 'once_1_1', '--rowid', 'k');
  assert.throws(
    () => remoteImport(data, 'lake.keys.twice', 'twice_1_2', '--rowid', 'k'),
    /--rowid k: it is not unique: 999999 values in 1000000 rows/,
  );
  remoteImport(data, 'lake.keys.many', 'many_1_3', '--rowid', 'k');
  const { rows } = await cluster.query(
    OPERATOR,
    `SELECT state, error_code FROM system.runtime.queries WHERE source = 'tablegate' AND query LIKE '%count(DISTINCT "k")%."many"%' ORDER BY created`,
  );
  const [first, ...parts] = rows;
  assert.match(String(first?.[1]), /MEMORY/, 'all at once was too much');
  assert.equal(
    parts.map(([state]) => state),
    Array.from({ length: 16 }, () => 'FINISHED'),
  );
});

test('what comes from elsewhere is updated and a remote table stays; to have it gone must be said', async ({
  folder,
}) => {
  const data = join(folder, 'mixed');
  const source = makeSource(join(folder, 'source.db'), 100);
  runImport(source, data);
  remoteImport(data, 'tpch.tiny.nation', 'far_1_900');
  const manifest = async () => readManifest((await currentSnapshot(data)).path);
  const before = await manifest();
  const relation = { catalog: 'tpch', schema: 'tiny', table: 'nation' };
  assert.equal(before.remote, { far_1_900: relation });

  assert.match(runImport(source, data, '--update'), /^unchanged/);
  write(source, "insert into t_1_1 values (101, 'new')");
  runImport(source, data, '--update');
  const updated = await manifest();
  assert.is(updated.rows['t_1_1'], 101);
  assert.is.not(updated.id, before.id);
  assert.equal(updated.remote, { far_1_900: relation });
  assert.is(updated.rows['far_1_900'], 25);
  // Its answers are what they were.
  assert.is(updated.versions['far_1_900'], before.versions['far_1_900']);

  assert.throws(() => runImport(source, data), /1 table that is served now would be removed: far_1_900/);
  assert.equal((await manifest()).remote, { far_1_900: relation });
  runImport(source, data, '--replace');
  const whole = await manifest();
  assert.is(whole.remote, undefined);
  assert.is(whole.rows['far_1_900'], undefined);
  assert.is(whole.rows['t_1_1'], 101);
});

test('a table that is in the lake is joined with one that is in the cluster alone; another is refused by name', async ({
  cluster,
  folder,
  place,
}) => {
  const id = await place.publish();
  assert.is(await place.publish(), id, 'what is there stays');
  const replica = await startReplica(
    join(folder, 'replica'),
    place.store,
    ...['--trino', cluster.url, ...PATIENT],
  );
  try {
    const both = 'select b.n, b.s from far_1_900 a join t_1_1 b on b.n = a.nationkey order by b.n';
    const far = await replica.query(both);
    assert.is(far.status, 200, await far.clone().text());
    assert.match(far.headers.get('server-timing') ?? '', /desc="remote/);
    assert.match(far.headers.get('tablegate-snapshot') ?? '', new RegExp(`^${id};`));
    const near = await replica.query('select n, s from t_1_1 where n < 25 order by n');
    assert.not.match(near.headers.get('server-timing') ?? '', /desc="remote/);
    assert.is(await far.text(), await near.text());

    const search = new URLSearchParams({ statement: both });
    const explained = (await (await fetch(`${replica.url}/explain?${search}`)).json()) as {
      engine: string;
      trino: { sql: string };
    };
    assert.is(explained.engine, 'remote');
    assert.match(explained.trino.sql, new RegExp(`"lake"\\."s${id.replace('-', '_')}"\\."t_1_1"`));

    const refused = await replica.query('select * from far_1_900 a join u_1_2 b on b.n = 1, registry c');
    assert.is(refused.status, 400);
    const { code, message } = (await refused.json()) as { code: string; message: string };
    assert.is(code, 'unsupported');
    assert.match(message, /tables u_1_2, registry are not in the distributed engine/);
  } finally {
    await replica.stop();
  }
});

test('what the scan lane has not the memory or the time for falls over to the lake, where that is set', async ({
  cluster,
  place,
}) => {
  await place.publish();
  // 2,980,000 different values: more than the least memory that a scan lane may be given.
  const heavy = 'select count(distinct a.n * 200 + b.k) as n from t_1_1 a join v_1_3 b on b.k < 150';
  const alone = `${heavy}, u_1_2 c where c.n > 0`;
  const small = ['--scan-memory-bytes', '64MiB', '--scan-workers', '2', '--trino', cluster.url, ...PATIENT];
  const overflowing = ['--trino', cluster.url, '--trino-overflow', 'on'];
  const answered = async (gateway: TestGateway, statement: string): Promise<string> => {
    const answer = await gateway.query(statement);
    const body = await answer.text();
    const ran = gateway.seen
      .flatMap((event) => (event.type === 'run' && event.job === 'query' ? [event] : []))
      .at(-1);
    return `${body} ${ran?.engine} ${ran?.reason}`;
  };
  const gateway = await startTestGateway({ data: place.data, args: [...small, '--trino-overflow', 'on'] });
  try {
    assert.is(await answered(gateway, heavy), '[{"n":2980000}] remote overflow');
    // One of its tables has no copy there: as if nobody had been asked.
    assert.is(await answered(gateway, alone), '[{"n":2980000}] long failed');
  } finally {
    await gateway.stop();
  }
  const plain = await startTestGateway({ data: place.data, args: small });
  try {
    assert.is(await answered(plain, heavy), '[{"n":2980000}] long failed');
  } finally {
    await plain.stop();
  }

  /** Another shape each time: one that ended an engine is kept out of it. */
  const endless = (i: number): string =>
    `select count(*) as n${i} from t_1_1 a, t_1_1 b, v_1_3 c where a.n + b.n + c.k = 7`;
  const hasty = await startTestGateway({
    data: place.data,
    args: [...overflowing, '--deadline-ms', '3000'],
  });
  try {
    // On a loaded machine the first may be over before anything is sent.
    const until = Date.now() + PATIENCE_MS;
    for (let [i, isEnded] = [1, false]; !isEnded; i++) {
      const answer = await hasty.query(endless(i));
      assert.is(answer.status, 400);
      assert.is(((await answer.json()) as { code: string }).code, 'limit-time');
      const { rows } = await cluster.query(
        OPERATOR,
        `SELECT error_code FROM system.runtime.queries WHERE source LIKE 'tablegate-%' AND query LIKE '%"t_1_1"%"t_1_1"%"v_1_3"%'`,
      );
      isEnded = rows.some(([code]) => code === 'USER_CANCELED');
      assert.ok(Date.now() < until, 'it was not sent there, or not ended there');
    }
  } finally {
    await hasty.stop();
  }
});

test('schemas of snapshots come and go under load: no statement fails, and each is of the snapshot that it names', async ({
  cluster,
  folder,
  place,
}) => {
  const generations = new Map<string, string>();
  const publish = async (generation: number): Promise<string> => {
    write(place.source, `update t_1_1 set s = 'generation ${generation}' where n = 1`);
    leftLongAgo(cluster.lake);
    const id = await place.publish('--publish-keep', '2');
    generations.set(id, `generation ${generation}`);
    return id;
  };
  const first = await publish(1);
  const replica = await startReplica(
    join(folder, 'swapped'),
    place.store,
    ...['--trino', cluster.url, ...PATIENT],
  );
  const seen: { readonly id: string; readonly body: string }[] = [];
  /** The last snapshot that each asker had an answer of. */
  const last: string[] = [];
  let tick = 0;
  let stopped = false;
  let told = (): void => {};
  const ask = async (asker: number): Promise<void> => {
    while (!stopped) {
      tick += 1;
      const statement = `select b.s, a.name from far_1_900 a join t_1_1 b on b.n = 1 where a.nationkey = 0 and b.n > -${tick}`;
      const answer = await replica.query(statement);
      const [id = ''] = (answer.headers.get('tablegate-snapshot') ?? '').split(';');
      const body = await answer.text();
      seen.push({ id, body });
      assert.is(answer.status, 200, body);
      last[asker] = id;
      told();
    }
  };
  const askers = Array.from({ length: ASKERS }, (_, i) => ask(i));
  /** Rejects with the first that fails. */
  const failing = Promise.all(askers);
  failing.catch(() => {});
  const untilAllHave = async (id: string): Promise<void> => {
    while (!askers.every((_, i) => last[i] === id))
      await Promise.race([
        failing,
        new Promise<void>((resolve) => {
          told = resolve;
        }),
      ]);
  };
  try {
    await untilAllHave(first);
    for (let generation = 2; generation <= 6; generation++) await untilAllHave(await publish(generation));
  } finally {
    stopped = true;
    await Promise.allSettled(askers);
    await replica.stop();
  }
  await failing;
  assert.ok(seen.length >= ASKERS * 5);
  for (const { id, body } of seen) assert.is(body, `[{"name":"ALGERIA","s":"${generations.get(id)}"}]`, id);
  assert.equal(new Set(seen.map(({ id }) => id)), new Set(generations.keys()));

  // Of the tables, that which never changed lies there once.
  const { rows } = await cluster.query(PUBLISHER, "SHOW SCHEMAS FROM lake_publish LIKE 's0%'");
  const kept = [...generations.keys()].slice(-2);
  assert.equal(rows.flat().sort(), kept.map((id) => `s${id.replace('-', '_')}`).sort());
  assert.is(readdirSync(join(cluster.lake, 'files')).length, 3);
  const { lakeOwner } = pointerIn(place.store);
  assert.equal(
    readdirSync(join(cluster.lake, 'snapshots')).sort(),
    kept.map((id) => `${id}.${lakeOwner}.json`).sort(),
  );
});

test('what could not be put into the lake is put there later; what a publisher left that died goes, what another store has stays', async ({
  cluster,
  folder,
  place,
}) => {
  const proxy = await startFaultProxy(cluster.url);
  proxy.fault = () => ({ kind: 'gone' });
  const store = join(folder, 'late');
  const pointer = (): Pointer => pointerIn(store);
  const where = ['--lake', cluster.lake, '--trino', proxy.origin];
  const publisher = startProcess(['publish', place.data, store, '--watch', ...where]);
  const untilSo = (condition: () => boolean): Promise<void> =>
    until(() => {
      assert.is(publisher.child.exitCode, null, publisher.log);
      return condition();
    }, PATIENCE_MS);
  try {
    await untilSo(() => existsSync(join(store, 'current.json')));
    const without = pointer();
    assert.is(without.lake, undefined);
    // Another one had made one of its tables, and no pointer.
    const dead = '000001-dead00';
    mkdirSync(join(cluster.lake, 'files', 'left'));
    const tables = { t_1_1: { table: 't', files: 'left' }, v_1_3: { table: 'v', files: 'never' } };
    const record = join(cluster.lake, 'snapshots', `${dead}.${without.lakeOwner}.json`);
    writeFileSync(record, JSON.stringify({ tables, leftAt: 1 }));
    await cluster.query(PUBLISHER, 'CREATE SCHEMA lake_publish.s000001_dead00');
    await cluster.query(
      PUBLISHER,
      `CREATE TABLE lake_publish.s000001_dead00.t (a BIGINT) WITH (external_location = 'local:///files/left', format = 'PARQUET')`,
    );
    await untilSo(() => publisher.log.includes('are not in the lake: Trino cannot be reached'));
    proxy.fault = () => undefined;
    await untilSo(() => pointer().lake !== undefined);
    const { id, sequence, lake } = pointer();
    assert.is(id, without.id);
    assert.ok(sequence > without.sequence);
    assert.equal(Object.keys(lake?.tables ?? {}), ['t_1_1', 'v_1_3']);
    await untilSo(() => !existsSync(join(cluster.lake, 'files', 'left')));
    assert.not(existsSync(record));
    const { rows } = await cluster.query(PUBLISHER, "SHOW SCHEMAS FROM lake_publish LIKE 's0%'");
    const others = pointerIn(place.store);
    const kept = [id, others.id, ...others.before.map((each) => each.id)];
    assert.equal(new Set(rows.flat()), new Set(kept.map((each) => `s${each.replace('-', '_')}`)));
  } finally {
    await publisher.end('SIGTERM');
    await proxy.stop();
  }
});

/** As if all snapshots of the lake had left their stores in 1970: those that are none's go with the next publishing. */
function leftLongAgo(lake: string): void {
  const folder = join(lake, 'snapshots');
  for (const name of readdirSync(folder)) {
    const record = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
    writeFileSync(join(folder, name), JSON.stringify({ ...record, leftAt: 1 }));
  }
}

function pointerIn(store: string): Pointer {
  return JSON.parse(readFileSync(join(store, 'current.json'), 'utf8')) as Pointer;
}

/** Of the engine, in the log alone. */
function lastWords({ seen }: TestGateway): string {
  const said = seen.flatMap((event) => (event.type === 'engine-error' ? [event.detail] : []));
  return (said.at(-1) ?? 'nothing').slice(0, 300);
}

test('of statements that are sent to hurt, nothing reaches the cluster as it was written; then others are answered', async ({
  cluster,
  folder,
}) => {
  await makeTables(cluster, 'hostile', {
    things: ['id BIGINT, name VARCHAR', "select i as id, 'name ' || i as name from range(1, 20001) r(i)"],
  });
  const data = join(folder, 'hostile');
  remoteImport(data, 'lake.hostile.things', 'items_1_1', '--rowid', 'id');
  const args = ['--trino', cluster.url, '--deadline-ms', '1500'];
  const gateway = await startTestGateway({ data, args });
  const sent = new Set<string>();
  try {
    for (const attacks of [LONG, HEAVY, DEEP]) {
      for (const statement of Object.values(attacks)) {
        const answer = await gateway.post({ statement });
        const body = await answer.text();
        // What is beyond Trino's own parser, planner or compiler, too, is the statement's fault.
        assert.ok(
          [200, 400, 404, 503].includes(answer.status),
          `${answer.status} ${body.slice(0, 200)} of ${statement.slice(0, 80)}: ${lastWords(gateway)}`,
        );
        assert.not.match(body, /hostile|things|io\.trino/, statement.slice(0, 100));
      }
      // The cluster forgets what is older than a minute.
      const { rows } = await cluster.query(
        OPERATOR,
        `SELECT query FROM system.runtime.queries WHERE "user" = 'tablegate' AND source LIKE 'tablegate-%'`,
      );
      for (const [sql] of rows) sent.add(String(sql));
    }
  } finally {
    await gateway.stop();
  }
  assert.ok(sent.size > 10, `${sent.size} were sent`);
  for (const sql of sent) {
    assert.match(sql, /^(?:SELECT|WITH) /);
    assert.not.match(sql, /items_1_1|--|\/\*|;/, sql);
  }
  const calm = await startTestGateway({ data, args: ['--trino', cluster.url, ...PATIENT] });
  try {
    const answer = await calm.query("select name from items_1_1 where id = 7 and name <> ''");
    assert.is(await answer.text(), '[{"name":"name 7"}]');
  } finally {
    await calm.stop();
  }
});

test.run();
