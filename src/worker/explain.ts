// What DuckDB would be given for a statement. Compiles it, and shows it to the gate; runs nothing.
import { monotonicMs } from '../base/monotonic.ts';
import { POISONED, replyFrame } from '../wire/frames.ts';
import type { ExplainJob, ExplainRecord } from '../wire/protocol.ts';
import type { EngineConnection } from './engine.ts';
import { failureOf } from './failure.ts';
import type { Plans } from './plans.ts';
import { encoderFor, gatedSql, type QueryOptions, resultNames, roundMs } from './query.ts';

export async function explainScan(
  job: ExplainJob,
  connection: EngineConnection,
  plans: Plans,
  options: QueryOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const started = monotonicMs();
  try {
    const entry = plans.get(job.shape, job.literals);
    const { plan } = entry;
    // What DuckDB's columns cannot be written as is SQLite's to answer.
    encoderFor(entry, job);
    const sql = await gatedSql(entry, job, connection, options);
    const record: ExplainRecord = { duckdb: { sql }, columns: resultNames(plan, job) };
    const outcome = {
      snapshot: options.snapshot,
      engine: 'scan',
      rows: 1,
      columns: plan.columns.length,
      tables: plan.readsBlocks === true ? [...plan.tables, 'blocks'] : plan.tables,
      deterministic: plan.deterministic,
      planMs: roundMs(monotonicMs() - started),
      engineMs: 0,
      encodeMs: 0,
    } as const;
    return replyFrame({ ok: true, ...outcome }, Buffer.from(JSON.stringify(record)), 0);
  } catch (error) {
    const failed = failureOf(error, job.limits, undefined);
    return replyFrame(failed, Buffer.alloc(0), failed.poisoned === true ? POISONED : 0);
  }
}
