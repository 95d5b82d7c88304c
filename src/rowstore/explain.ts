// What SQLite would be given for a statement, and which engine is to run it. Prepares it, so that what is wrong with it
// is said as where it is run; runs nothing.
import type { ExplainJob, ExplainRecord } from '../wire/protocol.ts';
import { type Answer, type Elsewhere, elsewhere, outcomeOf } from './run.ts';
import type { RowStore } from './store.ts';
import type { PlanLine } from './visits.ts';

/**
 * @param isLong the choice was made elsewhere
 * @throws GatewayError, or Error of SQLite
 */
export function explainRows(store: RowStore, job: ExplainJob, isLong: boolean): Answer | Elsewhere {
  const started = performance.now();
  const { statements } = store;
  const read = statements.read(job.shape, job.literals);
  const choice = isLong ? undefined : statements.choose(read, job.literals);
  // To plan so many may take SQLite long: where it can be stopped.
  if (choice?.reason === 'tables') return elsewhere('long', 'tables', choice.why);
  // SQLite has no such table.
  if (choice?.engine === 'remote') return elsewhere('remote', choice.reason, choice.why);
  const statement = choice?.run ?? read;
  const runnable = statements.prepare(statement);
  const columns = runnable.columns.map(({ name }) => name);
  statements.release(runnable);
  const { sql, values } = statement.filled;
  const record: ExplainRecord = {
    sqlite: {
      sql,
      values: values.map((value) =>
        typeof value === 'bigint' ? String(value) : `'${value.replaceAll("'", "''")}'`,
      ),
      plan: inDepth(statements.plan(statement)),
      visits: choice?.visits === undefined || !Number.isFinite(choice.visits) ? null : choice.visits,
    },
    columns,
  };
  const body = JSON.stringify(record);
  const planMs = performance.now() - started;
  const outcome = outcomeOf(
    store,
    statement,
    job,
    { rows: 1, columns: columns.length },
    { planMs, engineMs: 0, encodeMs: 0 },
    choice === undefined ? { engine: 'long' } : choice.engine === 'rows' ? choice : {},
  );
  if (choice === undefined || choice.engine === 'rows') return { outcome, body };
  return { ...elsewhere(choice.engine, choice.reason, choice.why), told: { outcome, body } };
}

/** Each line with those that are part of it behind it. */
function inDepth(lines: readonly PlanLine[]): readonly { readonly depth: number; readonly detail: string }[] {
  const depths = new Map([[0, -1]]);
  return lines.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return { depth, detail };
  });
}
