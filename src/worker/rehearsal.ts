// Before the first snapshot of a worker is served, a few statements on its columns: see statement/rehearsal.ts.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Schema } from '../dialect/schema.ts';
import { rehearsal } from '../statement/rehearsal.ts';
import type { StatementJob } from '../wire/protocol.ts';
import { type EngineConnection, textRows } from './engine.ts';

/** Of a table: more take their time, and make no more ready than fewer do. */
const MOST_ROWS = 20_000_000;
/** Of a job that nobody asked for. */
const LIMITS = { deadlineMs: 1_000, maxRows: 20_000, maxBytes: 4 * 1024 * 1024 };
const OBJECTS = { format: 'objects', extract: false, unwrap: false } as const;

/** @param run as statements of clients are run, or planned; whether it fails makes no difference */
export async function rehearse(
  connection: EngineConnection,
  { tables }: Schema,
  run: (job: StatementJob) => Promise<unknown>,
): Promise<void> {
  const [smallest] = await textRows(
    connection,
    `SELECT table_name FROM duckdb_tables() WHERE NOT internal AND estimated_size <= ${MOST_ROWS}
      ORDER BY estimated_size LIMIT 1`,
  );
  const table = tables.get(asciiLower(smallest?.[0] ?? ''));
  if (table?.columnar !== true) return;
  const { name, columns } = table;
  const [first] = columns;
  const of = (...kinds: readonly string[]): string =>
    (columns.find(({ kind }) => kinds.includes(kind)) ?? first)?.name ?? '';
  const statements = rehearsal({ name, text: of('text'), number: of('integer', 'real') });
  for (const { shape, literals, runs } of statements)
    await run({ kind: runs ? 'query' : 'explain', shape, literals, output: OBJECTS, limits: LIMITS });
}
