// Before the first snapshot of a worker is served, a few statements on its columns: see statement/rehearsal.ts.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Schema } from '../dialect/schema.ts';
import { rehearsal } from '../statement/rehearsal.ts';
import type { StatementJob } from '../wire/protocol.ts';
import { type EngineConnection, textRows } from './engine.ts';

/** @param run as statements of clients are run, or planned */
export async function rehearse(
  connection: EngineConnection,
  { tables }: Schema,
  run: (job: StatementJob) => Promise<unknown>,
): Promise<void> {
  try {
    const names = await textRows(
      connection,
      'SELECT table_name FROM duckdb_tables() WHERE NOT internal ORDER BY estimated_size LIMIT 100',
    );
    const table = names
      .map(([name]) => tables.get(asciiLower(name ?? '')))
      .find((each) => each?.columnar === true);
    if (table === undefined) return;
    const { name, columns, rows } = table;
    const [first] = columns;
    const of = (...kinds: readonly string[]): string =>
      (columns.find(({ kind }) => kinds.includes(kind)) ?? first)?.name ?? '';
    for (const job of rehearsal({ name, rows, text: of('text'), number: of('integer', 'real') }))
      await run(job);
  } catch {
    // What is wrong is said of the statements that come.
  }
}
