// Bare DuckDB with TPC-H's tables in memory and all cores: runs a query when told and says how long it took.
//   node --import tsx bench/peers/tpch.ts NAME=FILE...
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
for (const pair of process.argv.slice(2)) {
  const [name = '', file = ''] = pair.split('=');
  await connection.run(`create table ${name} as select * from '${file.replaceAll("'", "''")}'`);
}

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

async function run(statement: string): Promise<{ readonly ms: number; readonly body: string }> {
  const started = performance.now();
  const reader = await connection.runAndReadAll(statement);
  const ms = performance.now() - started;
  return { ms, body: JSON.stringify(reader.getRowObjectsJS(), plain) };
}

process.on('message', (statement: string) => {
  run(statement).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
