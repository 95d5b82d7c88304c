// Tables of a real cluster behind the API, a coordinator and two workers: the same bytes as from a table that is here, and
// what happens where clients leave, time is over, nodes die and rules are missing.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { readExposition, sampleValue } from '../support/exposition.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { type Cluster, OPERATOR, startTrino, trinoSuite } from '../support/trino.ts';

interface Context {
  cluster: Cluster;
  folder: string;
  data: string;
  gateway: TestGateway;
}

const GATEWAY = 'tablegate';
const PUBLISHER = 'tablegate_publisher';
/** No test waits for less: a machine may be loaded. */
const PATIENCE_MS = 600_000;
/** 2.25 * 10^10 pairs. */
const ENDLESS = 'select count(*) from big_1_902 a, big_1_902 b where a.acctbal < b.acctbal';

const test = trinoSuite<Context>('long/remote');

const remoteImport = (data: string, relation: string, table: string, ...more: readonly string[]): string =>
  runImport(`--remote=${relation}`, data, '--table', table, ...more);

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-remote-'));
  context.data = join(context.folder, 'data');
  context.cluster = await startTrino({ workers: 2 });
  process.env['TABLEGATE_TRINO'] = context.cluster.url;
  remoteImport(context.data, 'tpch.tiny.customer', 'far_1_900', '--rowid', 'custkey');
  remoteImport(context.data, 'tpch.tiny.nation', 'plain_1_901');
  remoteImport(context.data, 'tpch.sf1.customer', 'big_1_902', '--rowid', 'custkey');
  // The same rows here.
  const names = ['custkey', 'name', 'address', 'nationkey', 'phone', 'acctbal', 'mktsegment', 'comment'];
  const { rows } = await context.cluster.query(
    GATEWAY,
    `SELECT ${names.join(', ')} FROM tpch.tiny.customer ORDER BY custkey`,
  );
  const file = join(context.folder, 'near.ndjson');
  writeFileSync(
    file,
    rows.map((row) => JSON.stringify(Object.fromEntries(names.map((name, i) => [name, row[i]])))).join('\n'),
  );
  runImport(file, context.data, '--table', 'near_1_903');
  context.gateway = await startTestGateway({
    data: context.data,
    args: ['--trino', context.cluster.url, '--deadline-ms', String(PATIENCE_MS), '--metrics-port', '0'],
  });
});

test.after(async ({ cluster, gateway, folder }) => {
  delete process.env['TABLEGATE_TRINO'];
  await gateway?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('equal bytes in every format, whether a table is here or in the cluster', async ({ gateway }) => {
  const statements = [
    'select * from TABLE',
    'select custkey, name from TABLE limit 7 offset 3',
    'select nationkey, count(*) as n, max(name) as last, min(acctbal) from TABLE group by nationkey order by n desc, 1',
    "select name, acctbal from TABLE where comment like '%SLY%' and nationkey in (1, 2, 3) order by acctbal limit 20",
    'select a.name, b.name as other from TABLE a join TABLE b on a.custkey = b.nationkey where b.custkey < 50',
    'select null as missing, custkey / 7 as part, custkey % 7, -custkey, 9007199254740993 as large from TABLE limit 5',
    'select distinct mktsegment from TABLE order by 1',
    'select name from TABLE where custkey > 100000',
  ];
  const forms: readonly Readonly<Record<string, string>>[] = [
    { format: 'objects' },
    { format: 'table' },
    ...['ndjson', 'csv', 'arrow', 'parquet'].map((format) => ({ format })),
  ];
  for (const statement of statements)
    for (const form of forms) {
      const [far, near] = await Promise.all(
        ['far_1_900', 'near_1_903'].map(async (table) => {
          const response = await gateway.query(statement.replaceAll('TABLE', table), form);
          const timing = response.headers.get('server-timing') ?? '';
          const body = Buffer.from(await response.arrayBuffer());
          const what = `${statement} as ${form['format']}: ${body.toString('latin1').slice(0, 200)}`;
          assert.is(response.status, 200, what);
          assert.is(/desc="remote/.test(timing), table === 'far_1_900', `${what}: ${timing}`);
          return { body, what };
        }),
      );
      assert.ok(near !== undefined && far !== undefined);
      assert.ok(near.body.equals(far.body), `${far.what}\n${near.what}`);
    }
  const extracted = await gateway.query('select name from far_1_900 where custkey = 5', {
    extract: 'true',
    unwrap: 'true',
  });
  assert.is(await extracted.text(), '"Customer#000000005"');
});

test('a large answer streams, whole and in the order of its rowid', async ({ gateway }) => {
  const response = await gateway.query('select custkey, name from big_1_902', { format: 'csv' });
  assert.is(response.status, 200);
  const lines = (await response.text()).trim().split('\r\n').slice(1);
  assert.is(lines.length, 150_000);
  assert.ok(lines.every((line, i) => line.startsWith(`${i + 1},`)));
});

test('a table says that it is remote; what joins it with one that is here is refused', async ({
  gateway,
}) => {
  const listing = (await (await fetch(`${gateway.url}/tables?chain=1`)).json()) as {
    tables: { name: string; row_count: number; remote?: boolean }[];
  };
  assert.equal(
    listing.tables.map(({ name, row_count, remote }) => [name, row_count, remote]),
    [
      ['far_1_900', 1500, true],
      ['plain_1_901', 25, true],
      ['big_1_902', 150_000, true],
      ['near_1_903', 1500, undefined],
    ],
  );
  const explained = await fetch(
    `${gateway.url}/explain?${new URLSearchParams({ statement: 'select name from far_1_900 where custkey = 3' })}`,
  );
  const said = (await explained.json()) as { engine: string; why: string; trino: { sql: string } };
  assert.is(said.engine, 'remote');
  assert.is(said.why, 'table far_1_900 lives in the distributed engine');
  assert.match(said.trino.sql, /^SELECT .* FROM "tpch"\."tiny"\."customer"/);
  const joined = await gateway.query('select * from far_1_900 a join near_1_903 b on a.custkey = b.custkey');
  assert.is(joined.status, 400);
  const { code, message } = (await joined.json()) as { code: string; message: string };
  assert.is(code, 'unsupported');
  assert.match(message, /near_1_903 is not in the distributed engine/);
});

test('an import refuses types that mean something else here, and keys that are none', async ({ data }) => {
  for (const [relation, more, why] of [
    ['tpch.tiny.orders', [], /orderdate is date/],
    ['tpch.tiny.part', [], /column size is integer/],
    ['tpch.tiny.nothing', [], /TABLE_NOT_FOUND/],
    ['tpch.tiny.customer', ['--rowid', 'name'], /no bigint/],
    ['tpch.tiny.customer', ['--rowid', 'nationkey'], /not unique/],
  ] as const)
    assert.throws(() => remoteImport(data, relation, 'other_1_990', ...more), why);
});

test('nothing that a client writes reaches the cluster but as a literal', async ({ gateway, cluster }) => {
  for (const statement of [
    'select name from plain_1_901 /* MARKER */',
    'select name from plain_1_901 -- MARKER',
    'select name as "MARKER" from plain_1_901',
    'select name as "x"" MARKER" from plain_1_901 MARKER',
    'with MARKER as (select name from plain_1_901) select * from MARKER',
    "select name from plain_1_901 where name = 'it''s MARKER'' or 1=1 --'",
    'select name from plain_1_901; drop schema tpch MARKER',
    'select name from "tpch"."tiny"."nation" MARKER',
    'select * from system.runtime.queries MARKER',
    'select MARKER(name) from plain_1_901',
  ])
    await (await gateway.query(statement)).arrayBuffer();
  const { rows } = await cluster.query(
    OPERATOR,
    "SELECT query FROM system.runtime.queries WHERE source LIKE 'tablegate%'",
  );
  assert.ok(rows.length > 5);
  for (const [sql] of rows) {
    const text = String(sql);
    assert.match(text, /^(?:SELECT|WITH|CREATE (?:SCHEMA|TABLE) "[^ ]*tablegate_proof_)/, text);
    assert.not.match(text.replace(/'(?:[^']|'')*'/g, "''"), /MARKER/i, text);
  }
});

test('each client is a resource group of its own in the cluster; who is none of them is in another', async ({
  data,
  cluster,
}) => {
  const proxied = await startTestGateway({
    data,
    args: ['--trino', cluster.url, '--trust-proxy', '1', '--deadline-ms', String(PATIENCE_MS)],
  });
  try {
    for (const client of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) {
      const statement = `select name from plain_1_901 where name = '${client}'`;
      const answer = await fetch(`${proxied.url}/query?${new URLSearchParams({ statement })}`, {
        headers: { 'x-forwarded-for': client },
      });
      assert.is(answer.status, 200, await answer.text());
    }
  } finally {
    await proxied.stop();
  }
  const { rows } = await cluster.query(
    OPERATOR,
    `SELECT DISTINCT source, array_join(resource_group_id, ' ') FROM system.runtime.queries
     WHERE query LIKE '%192.0.2.%' AND source LIKE 'tablegate-%'`,
  );
  assert.is(rows.length, 2);
  for (const [source, group] of rows) assert.is(group, `clients ${source}`);
  const others = await cluster.query(
    OPERATOR,
    `SELECT DISTINCT array_join(resource_group_id, ' ') FROM system.runtime.queries
     WHERE resource_group_id IS NOT NULL AND (source IS NULL OR source NOT LIKE 'tablegate-%')`,
  );
  assert.equal(others.rows, [['others']]);
});

test('a client that leaves ends its statement in the cluster', async ({ gateway, cluster }) => {
  const leaves = new AbortController();
  const asked = fetch(`${gateway.url}/query?${new URLSearchParams({ statement: ENDLESS })}`, {
    signal: leaves.signal,
  }).catch(() => 'left');
  await untilStates(cluster, (states) => states.includes('RUNNING'));
  leaves.abort();
  assert.is(await asked, 'left');
  await untilStates(cluster, (states) => states.every((state) => /FINISHED|FAILED/.test(state)));
  const { rows } = await cluster.query(
    OPERATOR,
    "SELECT error_code FROM system.runtime.queries WHERE source LIKE 'tablegate-%' ORDER BY created DESC LIMIT 1",
  );
  assert.equal(rows, [['USER_CANCELED']]);
});

test('at its deadline a statement ends, here and in the cluster', async ({ data, cluster }) => {
  const short = await startTestGateway({ data, args: ['--trino', cluster.url, '--deadline-ms', '3000'] });
  try {
    const answer = await short.query(ENDLESS);
    assert.is(answer.status, 400);
    assert.is(((await answer.json()) as { code: string }).code, 'limit-time');
    await untilStates(cluster, (states) => states.every((state) => /FINISHED|FAILED/.test(state)));
  } finally {
    await short.stop();
  }
});

test('where the cluster lets the gateway write, nothing is read there, and the log says so', async ({
  cluster,
  folder,
}) => {
  mkdirSync(join(cluster.lake, 'empty'));
  await cluster.query(PUBLISHER, 'CREATE SCHEMA lake_publish.s000001');
  await cluster.query(
    PUBLISHER,
    "CREATE TABLE lake_publish.s000001.t (a BIGINT) WITH (external_location = 'local:///empty', format = 'PARQUET')",
  );
  const data = join(folder, 'unlocked');
  process.env['TABLEGATE_TRINO_USER'] = PUBLISHER;
  try {
    remoteImport(data, 'lake_publish.s000001.t', 'open_1_910');
  } finally {
    delete process.env['TABLEGATE_TRINO_USER'];
  }
  const open = await startTestGateway({
    data,
    args: ['--trino', cluster.url, '--trino-user', PUBLISHER, '--deadline-ms', String(PATIENCE_MS)],
  });
  try {
    const answer = await open.query('select * from open_1_910');
    assert.is(answer.status, 503, await answer.text());
    const notes = open.seen.filter(({ type }) => type === 'note').map((event) => JSON.stringify(event));
    assert.ok(notes.some((note) => /self-test: Trino let user tablegate_publisher write/.test(note)));
  } finally {
    await open.stop();
  }
  const { rows } = await cluster.query(PUBLISHER, 'SHOW SCHEMAS FROM lake_publish');
  assert.equal(rows.flat().sort(), ['information_schema', 's000001']);
});

test('a worker that dies is an error of its statements; then the others answer', async ({
  gateway,
  cluster,
}) => {
  const asked = gateway.query(ENDLESS);
  await untilStates(cluster, (states) => states.includes('RUNNING'));
  await cluster.workers[1]?.kill();
  const answer = await asked;
  assert.is(answer.status, 503);
  assert.is(((await answer.json()) as { code: string }).code, 'not-ready');
  await untilAnswered(gateway, 'select count(*) as n from plain_1_901 where 1 = 1', '[{"n":25}]');
  await untilNodes(gateway, 2);
});

test('without a coordinator tables that are here answer on; it comes back by itself', async ({
  gateway,
  cluster,
}) => {
  // All the while, each a statement that was never asked.
  let asked = 0;
  let over = false;
  const asking = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!over) {
        asked += 1;
        const [n, key] = [asked, (asked % 1500) + 1];
        const near = await gateway.query(
          `select custkey, ${n} as n, name from near_1_903 where custkey = ${key}`,
        );
        const name = `Customer#${String(key).padStart(9, '0')}`;
        assert.is(await near.text(), JSON.stringify([{ custkey: key, n, name }]));
        await sleep(5);
      }
    }),
  );
  // It is told where it is waited for.
  asking.catch(() => {});
  try {
    await cluster.killCoordinator();
    const unavailable = await sampled(gateway, 'tablegate_remote_errors_total', { kind: 'unavailable' });
    const far = await gateway.query('select max(name) from plain_1_901');
    assert.is(far.status, 503);
    assert.is(((await far.json()) as { code: string }).code, 'not-ready');
    assert.ok(far.headers.get('retry-after') !== null);
    assert.is(
      await sampled(gateway, 'tablegate_remote_errors_total', { kind: 'unavailable' }),
      unavailable + 1,
    );
    const near = await gateway.query('select count(*) as n from near_1_903 where nationkey > 3');
    assert.is(near.status, 200, await near.text());
    assert.is((await fetch(`${gateway.url}/health`)).status, 200);
    await untilNodes(gateway, 0);
    await cluster.startCoordinator();
    await untilAnswered(gateway, 'select count(*) as n from plain_1_901 where 2 = 2', '[{"n":25}]');
    await untilNodes(gateway, 2);
  } finally {
    over = true;
    await asking;
  }
  assert.ok(asked > 100);
});

async function sampled(gateway: TestGateway, name: string, labels = {}): Promise<number> {
  const text = await (await fetch(gateway.metricsAddress ?? '')).text();
  return sampleValue(readExposition(text), name, labels);
}

/** As the gateway sees them: it looks now and then. */
async function untilNodes(gateway: TestGateway, count: number): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await sampled(gateway, 'tablegate_remote_nodes').catch(String);
    if (seen === count) return;
    if (Date.now() > until) throw new Error(`${seen} nodes`);
    await sleep(500);
  }
}

/** States of the statements that the gateway has sent, proofs left out. */
async function untilStates(cluster: Cluster, isSo: (states: readonly string[]) => boolean): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await cluster.query(
      OPERATOR,
      "SELECT state FROM system.runtime.queries WHERE source LIKE 'tablegate-%'",
    );
    const states = rows.map(([state]) => String(state));
    if (isSo(states)) return;
    if (Date.now() > until) throw new Error(`states of statements: ${states}`);
    await sleep(100);
  }
}

async function untilAnswered(gateway: TestGateway, statement: string, body: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await gateway.query(statement);
    const text = await answer.text();
    if (answer.status === 200) {
      assert.is(text, body);
      return;
    }
    assert.is(answer.status, 503, text);
    if (Date.now() > until) throw new Error(`no answer to ${statement}: ${text}`);
    await sleep(500);
  }
}

test.run();
