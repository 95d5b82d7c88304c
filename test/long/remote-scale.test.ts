// A table that is larger than what the gateway may use, in a cluster of a coordinator and two workers: groups, joins and
// the first of an order over 60 million rows, of which every answer is known by how they were made. A thirtieth of them
// here is more than the gateway's own scans may hold.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openEngine } from '../../src/worker/engine.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { type Cluster, OPERATOR, startTrino, trinoSuite } from '../support/trino.ts';

const ROWS = 60_000_000;
/** The first of them are here, too. */
const ROWS_HERE = 2_000_000;
const SHOPS = 1_000;
const CUSTOMERS = 2_000_000;
const REGIONS = 40;
/** Prime to all of these: what is near in one column is not in another. */
const STEP = 7919;
const SALES = `range AS id, range * ${STEP} % ${SHOPS} AS shop, range * ${STEP} % ${CUSTOMERS} AS customer,
  (range % ${SHOPS}) / 8 AS amount`;
const amountOf = (id: number): number => (id % SHOPS) / 8;

/** A group for each customer: what it holds grows with the rows. */
const GROUPS = `select customer, count(*) as n, min(id) as first, max(id) as last, max(shop) as shop,
  max(amount) as amount, min(amount) as least from TABLE group by customer order by last desc limit 3`;

const PUBLISHER = 'tablegate_publisher';
/** No test waits for less: a machine may be loaded. */
const PATIENCE = ['--deadline-ms', '600000'];
const MEMORY = ['--scan-memory-bytes', '256MiB'];

interface Context {
  cluster: Cluster;
  folder: string;
  data: string;
  gateway: TestGateway;
}

const test = trinoSuite<Context>('long/remote-scale');

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-scale-'));
  context.data = join(context.folder, 'data');
  context.cluster = await startTrino({ workers: 2, heapMB: 1500, queryMB: 800 });
  const { cluster, data, folder } = context;
  const here = join(folder, 'here.parquet');
  await writeParquet(cluster.lake, here);
  await cluster.query(PUBLISHER, 'CREATE SCHEMA lake_publish.s000001');
  for (const [table, columns] of [
    ['sales', 'id BIGINT, shop BIGINT, customer BIGINT, amount DOUBLE'],
    ['customers', 'id BIGINT, region BIGINT'],
  ])
    await cluster.query(
      PUBLISHER,
      `CREATE TABLE lake_publish.s000001.${table} (${columns})
       WITH (external_location = 'local:///files/${table}', format = 'PARQUET')`,
    );
  process.env['TABLEGATE_TRINO'] = cluster.url;
  // Without a rowid, of which all values would be counted: no statement here leaves its order open.
  for (const [table, name] of [
    ['sales', 'sales_1_900'],
    ['customers', 'customers_1_901'],
  ] as const)
    runImport(`--remote=lake.s000001.${table}`, data, '--table', name);
  runImport(here, data, '--table', 'here_1_902');
  context.gateway = await startTestGateway({ data, args: ['--trino', cluster.url, ...MEMORY, ...PATIENCE] });
});

test.after(async ({ cluster, gateway, folder }) => {
  delete process.env['TABLEGATE_TRINO'];
  await gateway?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Several files a table, as a lake has them. */
async function writeParquet(lake: string, here: string): Promise<void> {
  const engine = await openEngine(':memory:', { threads: '2', memory_limit: '1GB' });
  const connection = await engine.connect();
  try {
    for (const table of ['sales', 'customers']) mkdirSync(join(lake, 'files', table), { recursive: true });
    const write = (rows: string, path: string): Promise<unknown> =>
      connection.query(`COPY (SELECT ${rows}) TO '${path}' (FORMAT parquet)`);
    const share = ROWS / 4;
    for (let i = 0; i < 4; i++)
      await write(
        `${SALES} FROM range(${i * share}, ${(i + 1) * share})`,
        join(lake, 'files', 'sales', `${i}.parquet`),
      );
    await write(
      `range AS id, range % ${REGIONS} AS region FROM range(${CUSTOMERS})`,
      join(lake, 'files', 'customers', '0.parquet'),
    );
    await write(`${SALES} FROM range(${ROWS_HERE})`, here);
  } finally {
    connection.close();
    engine.close();
  }
}

async function answered(gateway: TestGateway, statement: string): Promise<unknown> {
  const response = await gateway.query(statement);
  const body = await response.text();
  assert.is(response.status, 200, `${statement}: ${body}`);
  assert.match(response.headers.get('server-timing') ?? '', /desc="remote/);
  return JSON.parse(body);
}

test('groups: every shop has its rows', async ({ gateway }) => {
  const found = await answered(
    gateway,
    'select shop, count(*) as n, min(id) as first, max(id) as last from sales_1_900 group by shop order by first',
  );
  const expected = Array.from({ length: SHOPS }, (_, first) => ({
    shop: (first * STEP) % SHOPS,
    n: ROWS / SHOPS,
    first,
    last: ROWS - SHOPS + first,
  }));
  assert.equal(found, expected);
});

test('two million groups, by both workers', async ({ gateway, cluster }) => {
  const found = await answered(gateway, GROUPS.replace('TABLE', 'sales_1_900'));
  const expected = [1, 2, 3].map((i) => {
    const last = ROWS - i;
    return {
      customer: (last * STEP) % CUSTOMERS,
      shop: (last * STEP) % SHOPS,
      amount: amountOf(last),
      least: amountOf(last),
      n: ROWS / CUSTOMERS,
      first: CUSTOMERS - i,
      last,
    };
  });
  assert.equal(found, expected);
  const { rows } = await cluster.query(
    OPERATOR,
    `SELECT node_id, sum(raw_input_rows) FROM system.runtime.tasks WHERE query_id =
       (SELECT query_id FROM system.runtime.queries WHERE source LIKE 'tablegate-%' ORDER BY created DESC LIMIT 1)
     GROUP BY node_id`,
  );
  const workers = await cluster.query(
    OPERATOR,
    'SELECT node_id FROM system.runtime.nodes WHERE NOT coordinator ORDER BY node_id',
  );
  const read = new Map(rows.map(([node, count]) => [node, Number(count)]));
  assert.is(workers.rows.length, 2);
  for (const [node] of workers.rows)
    assert.ok((read.get(node) ?? 0) > 0, `worker ${node} has read nothing: ${JSON.stringify(rows)}`);
});

test('a join with two million customers', async ({ gateway }) => {
  const found = await answered(
    gateway,
    `select b.region as region, count(*) as n, max(a.id) as last from sales_1_900 a
     join customers_1_901 b on b.id = a.customer where a.shop < 80 group by b.region order by b.region`,
  );
  // A shop's number says the region: shops below 80 are two for each.
  const lastOf = new Map<number, number>();
  for (let id = ROWS - SHOPS; id < ROWS; id++) {
    const shop = (id * STEP) % SHOPS;
    if (shop < 2 * REGIONS) lastOf.set(shop % REGIONS, id);
  }
  const expected = Array.from({ length: REGIONS }, (_, region) => ({
    region,
    n: (2 * ROWS) / SHOPS,
    last: lastOf.get(region),
  }));
  assert.equal(found, expected);
});

test('the first of an order', async ({ gateway }) => {
  const found = await answered(
    gateway,
    'select id, amount from sales_1_900 where shop <> 3 order by amount desc, id desc limit 4',
  );
  const expected = [1, 1001, 2001, 3001].map((back) => {
    const id = ROWS - back;
    return { id, amount: amountOf(id) };
  });
  assert.equal(found, expected);
});

test('a thirtieth of the rows is more than the scans here may hold', async ({ data }) => {
  // SQLite alone would go on at its own pace: over all rows that is minutes.
  const scans = await startTestGateway({ data, args: ['--engine', 'scan', ...MEMORY, ...PATIENCE] });
  try {
    const response = await scans.query(GROUPS.replace('TABLE', 'here_1_902'));
    const { code } = (await response.json()) as { code?: string };
    assert.is(response.status, 400);
    assert.is(code, 'limit-memory');
  } finally {
    await scans.stop();
  }
});

test.run();
