// Tables for tests of a real cluster: over Parquet files that DuckDB writes into its lake, and a validator's database that
// is imported, joined by a table of the cluster, and published with the lake.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { openEngine } from '../../src/worker/engine.ts';
import { makeSource, tablegate, write } from '../publish/support.ts';
import { runImport } from './import.ts';
import type { Cluster } from './trino.ts';

/** A source with two large tables, and where it is published to. */
export interface LakePlace {
  readonly source: string;
  readonly data: string;
  readonly store: string;
  /** Imports what changed, and publishes it. @returns the id of the snapshot */
  publish(...more: readonly string[]): Promise<string>;
}

/** Who makes tables there: deploy/trino/rules.json. */
export const PUBLISHER = 'tablegate_publisher';
/** Of the local table that changes. */
const ROWS = 20_000;

/** A table of the cluster is `far_1_900`; its own are `t_1_1`, `u_1_2` of one row, and `v_1_3`, which does not change. */
export async function makeLakePlace({
  folder,
  cluster,
}: {
  readonly folder: string;
  readonly cluster: Cluster;
}): Promise<LakePlace> {
  const [source, data, store] = ['place.db', 'place', 'store'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  makeSource(source, ROWS);
  write(
    source,
    `create table v_1_3 (k integer primary key, odd integer);
     with recursive s(i) as (select 1 union all select i + 1 from s where i < 12000) insert into v_1_3 select i, i % 2 from s;
     insert into registry (id, structure, controller, prefix, created_at, chain_id) values (3, 's', '0x1', 'v', 1, 1)`,
  );
  runImport(source, data);
  remoteImport(data, 'tpch.tiny.nation', 'far_1_900', '--rowid', 'nationkey');
  return {
    ...{ source, data, store },
    async publish(...more) {
      const imported = await tablegate(['import', source, '--data', data, '--update']);
      assert.is(imported.code, 0, imported.err);
      const done = await tablegate(['publish', data, store, '--lake', cluster.lake, ...more]);
      assert.is(done.code, 0, done.err);
      assert.is(done.err, '');
      const [, id = ''] = /^(?:published|unchanged:) (\S+)/.exec(done.out) ?? [];
      return id;
    },
  };
}

/** Tables over files that DuckDB writes, in a schema of their own. */
export async function makeTables(
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

export const remoteImport = (
  data: string,
  relation: string,
  table: string,
  ...more: readonly string[]
): string => runImport(`--remote=${relation}`, data, '--table', table, ...more);
