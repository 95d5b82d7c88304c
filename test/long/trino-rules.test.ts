// The rules of access that deploy/trino/ ships, tried against a cluster with a worker.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Cluster, OPERATOR, startTrino, trinoSuite } from '../support/trino.ts';

const GATEWAY = 'tablegate';
const PUBLISHER = 'tablegate_publisher';

const test = trinoSuite<{ cluster: Cluster }>('long/trino-rules');

test.before(async (context) => {
  context.cluster = await startTrino({ workers: 1 });
  mkdirSync(join(context.cluster.lake, 'files'));
  await context.cluster.query(PUBLISHER, 'CREATE SCHEMA lake_publish.s000001');
  await context.cluster.query(PUBLISHER, 'CREATE SCHEMA lake_publish.s000002');
  await context.cluster.query(
    PUBLISHER,
    `CREATE TABLE lake_publish.s000001.t (a BIGINT)
     WITH (external_location = 'local:///files', format = 'PARQUET')`,
  );
});

test.after(async ({ cluster }) => cluster?.stop());

test("the gateway's user reads every catalog but that of the publisher, and of the cluster's own its nodes", async ({
  cluster,
}) => {
  const read = async (sql: string): Promise<unknown> => (await cluster.query(GATEWAY, sql)).rows[0]?.[0];
  assert.is(await read('SELECT count(*) FROM tpch.tiny.nation'), 25);
  assert.is(await read('SELECT count(*) FROM lake.s000001.t'), 0);
  assert.is(await read('SELECT count(*) FROM system.runtime.nodes'), 2);
  for (const denied of [
    'SELECT * FROM lake_publish.s000001.t',
    'SELECT * FROM system.runtime.queries',
    'SELECT * FROM system.runtime.tasks',
    'SELECT * FROM system.jdbc.catalogs',
    'SELECT * FROM system.metadata.catalogs',
  ])
    await refused(cluster, GATEWAY, denied);
  assert.ok(
    Number((await cluster.query(OPERATOR, 'SELECT count(*) FROM system.runtime.tasks')).rows[0]?.[0]) > 0,
  );
});

test("the gateway's user writes nothing, ends nothing and sets nothing but its time", async ({ cluster }) => {
  for (const write of [
    'CREATE SCHEMA lake.mine',
    'DROP SCHEMA lake.s000002',
    'CREATE TABLE lake.s000001.mine AS SELECT 1 AS a',
    'CREATE VIEW lake.s000001.mine AS SELECT 1 AS a',
    'DROP TABLE lake.s000001.t',
    'ALTER TABLE lake.s000001.t RENAME TO lake.s000001.u',
    'INSERT INTO lake.s000001.t VALUES (1)',
    'DELETE FROM lake.s000001.t',
    'TRUNCATE TABLE lake.s000001.t',
    'CREATE SCHEMA lake_publish.mine',
    'DROP TABLE lake_publish.s000001.t',
    "CALL system.runtime.kill_query('20260101_000000_00000_aaaaa', 'because')",
    "SET SESSION query_max_memory = '1TB'",
    "SET SESSION lake.parquet_max_read_block_size = '1MB'",
    'GRANT SELECT ON lake.s000001.t TO USER mine',
  ])
    await refused(cluster, GATEWAY, write);
  await cluster.query(GATEWAY, "SET SESSION query_max_run_time = '10s'");
});

test('others run nothing, and the publisher reads nothing but what it writes', async ({ cluster }) => {
  await refused(cluster, 'somebody', 'SELECT 1');
  await refused(cluster, PUBLISHER, 'SELECT * FROM tpch.tiny.nation');
  assert.equal((await cluster.query(PUBLISHER, 'SELECT * FROM lake_publish.s000001.t')).columns, ['a']);
});

async function refused(cluster: Cluster, user: string, sql: string): Promise<void> {
  const error = await cluster.query(user, sql).then(
    () => 'it was done',
    (thrown: Error) => thrown.message,
  );
  assert.match(error, /^(?:PERMISSION_DENIED|NOT_SUPPORTED): /, `${user}: ${sql}`);
}

test.run();
