// Jobs that are no statement of a client: what the snapshot keeps about tables, receipts and itself, as JSON.
// Every value enters the SQL as digits or as a text literal.

import type { Schema } from '../dialect/schema.ts';
import { textLiteral } from '../dialect/value.ts';
import type {
  ColumnRecord,
  ReceiptJob,
  ReceiptRecord,
  SnapshotRecord,
  TableJob,
  TableRecord,
} from '../protocol.ts';
import { type EngineConnection, textRows } from './engine.ts';

/** Chain ids come through JSON: nothing but a whole number may become SQL. */
export function chainSql(chainId: number): string {
  if (!Number.isSafeInteger(chainId)) throw new Error('a chain id that is no whole number');
  return `${chainId}::BIGINT`;
}

const strings = (json: string | null | undefined): string[] => JSON.parse(json ?? '[]') as string[];

export async function readTable(
  connection: EngineConnection,
  job: Pick<TableJob, 'chainId' | 'tableId'>,
): Promise<TableRecord | null> {
  const [found] = await textRows(
    connection,
    `SELECT name, prefix, created_at::VARCHAR, table_constraints FROM tablegate.tables
     WHERE kind = 'user' AND chain_id = ${chainSql(job.chainId)} AND table_id = ${textLiteral(job.tableId)}`,
  );
  if (found === undefined) return null;
  const [name, prefix, createdAt, tableConstraints] = found;
  const columns = await textRows(
    connection,
    `SELECT name, declared_type, constraints FROM tablegate.columns
     WHERE table_name = ${textLiteral(name ?? '')} ORDER BY position`,
  );
  return {
    name: name ?? '',
    chainId: job.chainId,
    tableId: job.tableId,
    prefix: prefix ?? '',
    createdAt: Number(createdAt ?? 0),
    columns: columns.map(
      ([column, type, constraints]): ColumnRecord => ({
        name: column ?? '',
        type: type ?? '',
        constraints: strings(constraints),
      }),
    ),
    tableConstraints: strings(tableConstraints),
  };
}

const RECEIPTS = 'system_txn_receipts';

/** Null too where the snapshot has no receipts: it was not made from a validator's database. */
export async function readReceipt(
  connection: EngineConnection,
  schema: Schema,
  job: ReceiptJob,
): Promise<ReceiptRecord | null> {
  const table = schema.tables.get(RECEIPTS);
  if (table === undefined) return null;
  const has = new Set(table.columns.map((column) => column.name.toLowerCase()));
  // Columns came with the validator's versions; a column of mixed kinds casts to the text of its value.
  const column = (name: string): string => (has.has(name) ? `"${name}"::VARCHAR` : 'NULL::VARCHAR');
  const wanted = ['block_number', 'error', 'error_event_idx', 'table_id', 'table_ids'].map(column).join(', ');
  const [found] = await textRows(
    connection,
    `SELECT ${wanted} FROM main."${RECEIPTS}"
     WHERE chain_id::VARCHAR = '${Number(job.chainId)}' AND txn_hash::VARCHAR = ${textLiteral(job.transactionHash)}
     LIMIT 1`,
  );
  if (found === undefined) return null;
  const [block, error, errorEventIdx, tableId, tableIds] = found;
  return {
    chainId: job.chainId,
    transactionHash: job.transactionHash,
    blockNumber: Number(block ?? 0),
    tableId: tableId ?? null,
    tableIds: (tableIds ?? tableId ?? '').split(',').filter((id) => id !== ''),
    error: error ?? null,
    errorEventIdx: errorEventIdx === null || errorEventIdx === undefined ? null : Number(errorEventIdx),
  };
}

export async function readSnapshot(connection: EngineConnection): Promise<SnapshotRecord> {
  const [id] = await textRows(connection, "SELECT value FROM tablegate.snapshot WHERE key = 'id'");
  const chains = await textRows(
    connection,
    `SELECT chain_id::VARCHAR FROM (
       SELECT chain_id FROM tablegate.tables UNION SELECT chain_id FROM tablegate.blocks
     ) WHERE chain_id IS NOT NULL ORDER BY chain_id`,
  );
  const blocks = await textRows(
    connection,
    'SELECT chain_id::VARCHAR, block_number::VARCHAR FROM tablegate.blocks ORDER BY chain_id',
  );
  const [created] = await textRows(
    connection,
    "SELECT value FROM tablegate.snapshot WHERE key = 'created_at'",
  );
  return {
    id: id?.[0] ?? '',
    chains: chains.map(([chain]) => Number(chain)),
    blocks: blocks.map(([chain, block]) => [Number(chain), Number(block)] as const),
    createdAt: Number(created?.[0] ?? 0),
  };
}

/** Reads a page of the file and runs the whole engine once. */
export async function probe(connection: EngineConnection): Promise<true> {
  await textRows(connection, 'SELECT count(*)::VARCHAR FROM tablegate.tables');
  return true;
}
