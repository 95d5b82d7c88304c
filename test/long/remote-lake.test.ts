// Tables of a real cluster beside tables that are here: what an import takes for a key there, and what imports from
// elsewhere leave of them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { readManifest } from '../../src/snapshot/manifest.ts';
import { openEngine } from '../../src/worker/engine.ts';
import { makeSource, write } from '../publish/support.ts';
import { runImport } from '../support/import.ts';
import { type Cluster, OPERATOR, startTrino, trinoSuite } from '../support/trino.ts';

interface Context {
  cluster: Cluster;
  folder: string;
}

const PUBLISHER = 'tablegate_publisher';

const test = trinoSuite<Context>('long/remote-lake');

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-lake-'));
  context.cluster = await startTrino({ workers: 1 });
  process.env['TABLEGATE_TRINO'] = context.cluster.url;
});

test.after(async ({ cluster, folder }) => {
  delete process.env['TABLEGATE_TRINO'];
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Tables over files that DuckDB writes, in a schema of their own. */
async function makeTables(
  { lake, query }: Cluster,
  schema: string,
  tables: Readonly<Record<string, readonly [columns: string, select: string]>>,
): Promise<void> {
  await query(PUBLISHER, `CREATE SCHEMA lake_publish.${schema}`);
  const engine = await openEngine(':memory:', { threads: '1' });
  const connection = await engine.connect();
  for (const [name, [columns, select]] of Object.entries(tables)) {
    const folder = join(lake, `test_${schema}`, name);
    mkdirSync(folder, { recursive: true });
    await connection.query(`copy (${select}) to '${join(folder, 'rows.parquet')}' (format parquet)`);
    await query(
      PUBLISHER,
      `CREATE TABLE lake_publish.${schema}.${name} (${columns}) WITH (external_location = 'local:///test_${schema}/${name}', format = 'PARQUET')`,
    );
  }
  connection.close();
  engine.close();
}

const remoteImport = (data: string, relation: string, table: string, ...more: readonly string[]): string =>
  runImport(`--remote=${relation}`, data, '--table', table, ...more);

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

test.run();
