// Jobs that are no statement of a client, out of the catalogue that a row store keeps of itself: what a table is like,
// the list of all, the first rows of one, receipts, the snapshot. Synchronous; statements are prepared once.
import { asciiLower } from '../base/ascii-lower.ts';
import { identifier } from '../dialect/value.ts';
import type {
  ColumnRecord,
  ListedTable,
  PreviewJob,
  PreviewRecord,
  ReceiptJob,
  ReceiptRecord,
  SnapshotRecord,
  StoredJob,
  TableJob,
  TableListRecord,
  TablePosition,
  TableRecord,
  TablesJob,
} from '../wire/protocol.ts';
import type { Ask, Cell, Row } from './ask.ts';
import { readRemoteTables } from './remote.ts';

export interface Stored {
  /** The record that the job asks for; null where there is none. Its shape by kind of job is wire/protocol.ts's. */
  read(job: StoredJob): unknown;
  /** Null: not in this snapshot. */
  table(job: Pick<TableJob, 'chainId' | 'tableId'>): TableRecord | null;
  /** Null too where the snapshot has no receipts: it was not made from a validator's database. */
  receipt(job: ReceiptJob): ReceiptRecord | null;
  snapshot(): SnapshotRecord;
  tables(job: TablesJob): TableListRecord;
  preview(job: PreviewJob): PreviewRecord | null;
  /** Names of a table's columns. @param table in lower case */
  columns(table: string): readonly string[];
}

/** Whatever the front asks for. */
const MAX_LISTED = 1000;
const MAX_PREVIEW_ROWS = 100;
/** Characters of a text, and half as many bytes of a blob, that a preview shows. */
const PREVIEW_CELL = 400;

/** Table ids are uint256 in decimal digits without leading zeros: the longer one is the larger one. */
const ORDER = 'chain_id, length(table_id), table_id';

/** @param all reads rows.sqlite, with the tables `tablegate_*` */
export function openStored(all: Ask): Stored {
  const receiptsSql = receiptsStatement(all);

  const found = (chainId: number, tableId: string): { row: Row; record: TableRecord } | undefined => {
    const [row] = all(
      `select name, prefix, created_at, table_constraints, rows from tablegate_tables
       where kind = 'user' and chain_id = ?1 and length(table_id) = length(?2) and table_id = ?2`,
      chainId,
      tableId,
    );
    if (row === undefined) return undefined;
    const [name, prefix, createdAt, tableConstraints] = row;
    const columns = all(
      'select name, declared_type, constraints from tablegate_columns where table_name = ? order by position',
      textOf(name),
    );
    return {
      row,
      record: {
        name: textOf(name),
        chainId,
        tableId,
        prefix: textOf(prefix),
        createdAt: Number(createdAt ?? 0),
        columns: columns.map(
          ([column, type, constraints]): ColumnRecord => ({
            name: textOf(column),
            type: textOf(type),
            constraints: strings(constraints),
          }),
        ),
        tableConstraints: strings(tableConstraints),
      },
    };
  };

  let remote: ReadonlySet<string> | undefined;
  const isRemote = (name: string): boolean => {
    remote ??= new Set(readRemoteTables(all).keys());
    return remote.has(asciiLower(name));
  };

  const stored: Stored = {
    read(job) {
      switch (job.kind) {
        case 'table':
          return stored.table(job);
        case 'receipt':
          return stored.receipt(job);
        case 'snapshot':
          return stored.snapshot();
        case 'tables':
          return stored.tables(job);
        case 'preview':
          return stored.preview(job);
        case 'probe':
          // Reads a page of the file, and runs the whole engine once.
          return all("select value from tablegate_snapshot where key = 'id'").length === 1;
      }
    },

    columns: (table) =>
      all('select name from tablegate_columns where table_name = ? order by position', table).map(([name]) =>
        textOf(name),
      ),

    table: ({ chainId, tableId }) => found(wholeNumber(chainId), tableId)?.record ?? null,

    receipt({ chainId, transactionHash }) {
      if (receiptsSql === undefined) return null;
      const [row] = all(receiptsSql, wholeNumber(chainId), transactionHash);
      if (row === undefined) return null;
      const [block, error, errorEventIdx, tableId, tableIds] = row;
      return {
        chainId,
        transactionHash,
        blockNumber: Number(block ?? 0),
        tableId: tableId === null ? null : textOf(tableId),
        tableIds: textOf(tableIds ?? tableId)
          .split(',')
          .filter((id) => id !== ''),
        error: error === null ? null : textOf(error),
        errorEventIdx: errorEventIdx === null ? null : Number(errorEventIdx),
      };
    },

    snapshot() {
      const about = new Map(
        all('select key, value from tablegate_snapshot').map(([key, value]) => [key, value]),
      );
      return {
        id: textOf(about.get('id')),
        chains: all(
          `select chain_id from tablegate_tables where chain_id is not null
           union select chain_id from tablegate_blocks order by 1`,
        ).map(([chain]) => Number(chain)),
        blocks: all('select chain_id, block_number from tablegate_blocks order by chain_id').map(
          ([chain, block]) => [Number(chain), Number(block)] as const,
        ),
        createdAt: Number(about.get('created_at') ?? 0),
      };
    },

    tables({ chainId, search, limit, after }) {
      const matching: Condition[] = [["kind = 'user'"]];
      if (chainId !== null) matching.push(['chain_id = ?', wholeNumber(chainId)]);
      if (search !== '') matching.push(['instr(lower(name), lower(?)) > 0', search]);
      const { where, values } = joined(matching);
      const [[total] = []] = all(`select count(*) from tablegate_tables where ${where}`, ...values);
      const most = Math.min(MAX_LISTED, Math.max(1, Math.trunc(limit)));
      const page: Row[] = [];
      for (const { range, order } of after === null ? FROM_FIRST : rangesAfter(after)) {
        // One more than asked for tells whether there is a next page. Columns are counted for this page only.
        const left = most + 1 - page.length;
        if (left === 0) break;
        const within = joined([...matching, ...range]);
        const rows = all(
          `select name, chain_id, table_id, prefix, created_at, rows,
             (select count(*) from tablegate_columns c where c.table_name = t.name)
           from tablegate_tables t where ${within.where} order by ${order} limit ?`,
          ...within.values,
          left,
        );
        page.push(...rows);
      }
      return {
        total: Number(total ?? 0),
        more: page.length > most,
        tables: page.slice(0, most).map(
          ([name, chain, tableId, prefix, createdAt, rows, columns]): ListedTable => ({
            name: textOf(name),
            chainId: Number(chain),
            tableId: textOf(tableId),
            prefix: textOf(prefix),
            createdAt: Number(createdAt ?? 0),
            rowCount: Number(rows ?? 0),
            columnCount: Number(columns ?? 0),
            ...(isRemote(textOf(name)) ? { remote: true as const } : {}),
          }),
        ),
      };
    },

    preview({ chainId, tableId, rows: wanted }) {
      const table = found(wholeNumber(chainId), tableId);
      if (table === undefined) return null;
      const { record, row } = table;
      const cells = record.columns.map(({ name }) => cellSql(identifier(name)));
      const limit = Math.min(MAX_PREVIEW_ROWS, Math.max(0, Math.trunc(wanted)));
      // NOT INDEXED: in the order of the table, not of an index that has all its columns.
      const rows =
        cells.length === 0 || isRemote(record.name)
          ? []
          : all(`select ${cells.join(', ')} from main.${identifier(record.name)} not indexed limit ${limit}`);
      return { table: record, rowCount: Number(row[4] ?? 0), rows: rows as unknown as (string | null)[][] };
    },
  };
  return stored;
}

type Condition = readonly [sql: string, ...values: Cell[]];

function joined(conditions: readonly Condition[]): {
  readonly where: string;
  readonly values: readonly Cell[];
} {
  return {
    where: conditions.map(([sql]) => sql).join(' and '),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

interface Range {
  readonly range: readonly Condition[];
  readonly order: string;
}
const FROM_FIRST: readonly Range[] = [{ range: [], order: ORDER }];

/** What comes behind the position, in order and each part by a search of the index: one of all three would be a scan. */
function rangesAfter({ chainId, tableId }: TablePosition): readonly Range[] {
  const chain: Condition = ['chain_id = ?', wholeNumber(chainId)];
  const { length } = tableId;
  return [
    // An expression that stands still is not seen to: ordered by it, too, the rows would be sorted.
    { range: [chain, ['length(table_id) = ?', length], ['table_id > ?', tableId]], order: 'table_id' },
    { range: [chain, ['length(table_id) > ?', length]], order: 'length(table_id), table_id' },
    { range: [['chain_id > ?', chainId]], order: ORDER },
  ];
}

const textOf = (cell: Cell | undefined): string => String(cell ?? '');
const strings = (json: Cell | undefined): string[] => JSON.parse(textOf(json ?? '[]')) as string[];

/** They come through JSON. */
function wholeNumber(chainId: number): number {
  if (!Number.isSafeInteger(chainId)) throw new Error('a chain id that is no whole number');
  return chainId;
}

const RECEIPTS = 'system_txn_receipts';

/** Columns came with the validator's versions. */
function receiptsStatement(all: Ask): string | undefined {
  const listed = all('select name from tablegate_columns where table_name = ?', RECEIPTS);
  const has = new Set(listed.map(([name]) => asciiLower(textOf(name))));
  if (has.size === 0) return undefined;
  const column = (name: string): string => (has.has(name) ? `cast("${name}" as text)` : 'null');
  const wanted = ['block_number', 'error', 'error_event_idx', 'table_id', 'table_ids'].map(column).join(', ');
  return `select ${wanted} from main.${RECEIPTS} where chain_id = ? and txn_hash = ? limit 1`;
}

/** A cell as a reader would write it, however large its value is. */
function cellSql(column: string): string {
  return `case typeof(${column}) when 'null' then null
    when 'blob' then '0x' || lower(hex(substr(${column}, 1, ${PREVIEW_CELL / 2})))
    else substr(cast(${column} as text), 1, ${PREVIEW_CELL}) end`;
}
