// DuckDB by itself in a process of its own: runs statements one after the other and tells how long each took.
import { DuckDBInstance } from '@duckdb/node-api';

export interface EngineJob {
  readonly kind: 'run';
  readonly statements: readonly string[];
  /** rows: run and fetch the result's chunks. json: one text made by `to_json`, in the rows' order. */
  readonly how: 'rows' | 'json';
}
export interface EngineResult {
  readonly milliseconds: readonly number[];
  /** The first result as rows of JSON, for the check. */
  readonly first: string;
}

const [, , path = '', threads = '1'] = process.argv;
const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY', threads });
const connection = await instance.connect();

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

const wrapped = (statement: string): string =>
  `select '[' || string_agg(to_json(r)::varchar, ',') || ']' from (${statement}) r`;

async function run(job: EngineJob): Promise<EngineResult> {
  // An ungrouped string_agg keeps the rows' order with one thread only.
  await connection.run(`set threads = ${job.how === 'json' ? 1 : Number(threads)}`);
  const milliseconds: number[] = [];
  let first = '';
  for (const statement of job.statements) {
    const started = performance.now();
    const reader = await connection.runAndReadAll(job.how === 'json' ? wrapped(statement) : statement);
    milliseconds.push(performance.now() - started);
    if (first !== '') continue;
    first =
      job.how === 'json' ? String(reader.getRows()[0]?.[0]) : JSON.stringify(reader.getRowObjectsJS(), plain);
  }
  return { milliseconds, first };
}

process.on('message', (job: EngineJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
