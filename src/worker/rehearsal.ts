// Before the first snapshot of a worker is served, a few statements on its columns: see statement/rehearsal.ts.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Schema, SchemaTable } from '../dialect/schema.ts';
import { rehearsal } from '../statement/rehearsal.ts';
import type { StatementJob } from '../wire/protocol.ts';
import { rehearseEncoder } from './encoder-rehearsal.ts';
import { type EngineConnection, textRows } from './engine.ts';

/** Names that are looked at, for one of a small table. */
const FEW_NAMES = 100;
/** Of a table that is brought over to no other end, whatever its values are. */
const FEW_ROWS = 50;

/**
 * @param run as statements of clients are run, or planned
 * @param hold brings a table over from the row store, as for statements of clients
 */
export async function rehearse(
  connection: EngineConnection,
  { tables }: Schema,
  run: (job: StatementJob) => Promise<unknown>,
  hold: (tables: readonly string[]) => Promise<() => void>,
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
    await rehearseEncoder(connection);
    const small = smallTable(tables);
    if (small !== undefined) (await hold([asciiLower(small.name)]))();
  } catch {
    // What is wrong is said of the statements that come.
  }
}

function smallTable(tables: Schema['tables']): SchemaTable | undefined {
  let names = 0;
  for (const { name } of tables.values()) {
    const table = tables.get(asciiLower(name));
    if (table?.columnar === false && table.rows > 0 && table.rows <= FEW_ROWS) return table;
    if (++names === FEW_NAMES) break;
  }
  return undefined;
}
