// Lists the tables of a snapshot and reads the first rows of one, both bounded. Jobs of the gateway's own
// pages: no statement of a client. Every value enters the SQL as digits or as a text literal.
import { identifier, textLiteral } from '../dialect/value.ts';
import type {
  ListedTable,
  PreviewJob,
  PreviewRecord,
  TableListRecord,
  TablePosition,
  TablesJob,
} from '../protocol.ts';
import { type EngineConnection, textRows } from './engine.ts';
import { chainSql, readTable } from './stored.ts';

/** Whatever the front asks for. */
const MAX_LISTED = 1000;
const MAX_PREVIEW_ROWS = 100;
/** Characters of a text and bytes of a blob that a preview shows. */
const PREVIEW_CELL = 400;

/** Table ids are uint256 in decimal digits without leading zeros: the longer one is the larger one. */
const ORDER = 'chain_id, length(table_id), table_id';

export async function readTables(connection: EngineConnection, job: TablesJob): Promise<TableListRecord> {
  const matching = ["kind = 'user'"];
  if (job.chainId !== null) matching.push(`chain_id = ${chainSql(job.chainId)}`);
  if (job.search !== '') matching.push(`contains(lower(name), lower(${textLiteral(job.search)}))`);
  const [total] = await textRows(
    connection,
    `SELECT count(*)::VARCHAR FROM tablegate.tables WHERE ${matching.join(' AND ')}`,
  );
  if (job.after !== null) matching.push(laterThan(job.after));
  const limit = Math.min(MAX_LISTED, Math.max(1, Math.trunc(job.limit)));
  // One more than asked for tells whether there is a next page. Columns are counted for this page only.
  const found = await textRows(
    connection,
    `WITH page AS (
       SELECT name, chain_id, table_id, prefix, created_at, rows FROM tablegate.tables
       WHERE ${matching.join(' AND ')} ORDER BY ${ORDER} LIMIT ${limit + 1}
     )
     SELECT page.name, chain_id::VARCHAR, table_id, any_value(prefix), any_value(created_at)::VARCHAR,
            any_value(rows)::VARCHAR, count(columns.name)::VARCHAR
     FROM page LEFT JOIN tablegate.columns columns ON columns.table_name = page.name
     GROUP BY page.name, chain_id, table_id ORDER BY ${ORDER}`,
  );
  return {
    total: Number(total?.[0] ?? 0),
    more: found.length > limit,
    tables: found.slice(0, limit).map(
      ([name, chainId, tableId, prefix, createdAt, rows, columns]): ListedTable => ({
        name: name ?? '',
        chainId: Number(chainId),
        tableId: tableId ?? '',
        prefix: prefix ?? '',
        createdAt: Number(createdAt ?? 0),
        rowCount: Number(rows ?? 0),
        columnCount: Number(columns ?? 0),
      }),
    ),
  };
}

function laterThan({ chainId, tableId }: TablePosition): string {
  return `(chain_id, length(table_id), table_id) > (${chainSql(chainId)}, ${tableId.length}::BIGINT, ${textLiteral(tableId)})`;
}

export async function readPreview(
  connection: EngineConnection,
  job: PreviewJob,
): Promise<PreviewRecord | null> {
  const table = await readTable(connection, job);
  if (table === null) return null;
  const [stored] = await textRows(
    connection,
    `SELECT rows::VARCHAR FROM tablegate.tables WHERE name = ${textLiteral(table.name)}`,
  );
  const kinds = await textRows(
    connection,
    `SELECT name, kind FROM tablegate.columns WHERE table_name = ${textLiteral(table.name)} ORDER BY position`,
  );
  const rowCount = Number(stored?.[0] ?? 0);
  const cells = kinds.map(([column, kind]) => cellSql(identifier(column ?? ''), kind ?? ''));
  const limit = Math.min(MAX_PREVIEW_ROWS, Math.max(0, Math.trunc(job.rows)));
  const rows =
    cells.length === 0
      ? []
      : await textRows(
          connection,
          `SELECT ${cells.join(', ')} FROM main.${identifier(table.name)} LIMIT ${limit}`,
        );
  return { table, rowCount, rows };
}

/** A cell as a reader would write it, however large its value is. */
function cellSql(column: string, kind: string): string {
  if (kind === 'text') return `left(${column}, ${PREVIEW_CELL})`;
  if (kind === 'blob') return `'0x' || lower(hex(${column}[1:${PREVIEW_CELL / 2}]))`;
  return `left(${column}::VARCHAR, ${PREVIEW_CELL})`;
}
