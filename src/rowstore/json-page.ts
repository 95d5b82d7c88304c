// Pages as the JSON that SQLite itself makes of them: one text crosses from its memory instead of each cell. Only what
// SQLite writes as the gateway does; a page that shows anything else is read cell by cell, as all others are.
import type { Filled, RowStatement } from '../dialect/row-statement.ts';
import { type Drawn, drawnOf } from '../encode/layout.ts';
import type { BodyColumn } from '../encode/typed-rows.ts';
import type { Output } from '../wire/protocol.ts';
import type { LockedDatabase } from './database.ts';
import type { PlanLine } from './visits.ts';

export interface PageText {
  /** Of all rows, without what stands around them. */
  readonly text: string;
  readonly rows: number;
}
/** Undefined where the page has to be read by cells. */
export type ReadPage = (values: Filled['values']) => PageText | undefined;

/** Fewer are read by cells as soon. */
export const FEW_ROWS = 8;
/** That a statement has to give, in however many runs: SQLite reads so many sooner than it makes another plan. */
export const MANY_ROWS = 100;
const ROWS = 'tablegate_rows';

/**
 * Real numbers, which SQLite writes in another way; what begins as JSON, which is embedded; infinities; texts that may be of
 * bytes that are no UTF-8. Texts may show the same, since only their quotation marks are escaped: then it was in vain.
 */
const OTHERWISE = /":-?\d+[.eE]|":[^"\dn-]|":-\D|" *[{[]|\ufffd/;

/**
 * @param planOf SQLite's plan of a text
 * @param mostBytes of the text of a page: one that is larger is read by cells
 * @returns undefined where the form has no objects, or SQLite might get at the rows in another way
 */
export function jsonPage(
  { database, wide }: LockedDatabase,
  { sql }: Filled,
  { calls, mayBreak }: RowStatement,
  columns: readonly BodyColumn[],
  output: Output,
  planOf: (sql: string) => readonly PlanLine[],
  mostBytes: number,
): ReadPage | undefined {
  // What a function of JSON gives would be taken for JSON, not for a text.
  if (output.format !== 'objects' || output.extract || calls > 0 || mayBreak) return undefined;
  const drawn = drawnOf(columns, output);
  const plan = planOf(sql);
  // Of a statement without a LIMIT, SQLite would make one with what reads it.
  const text = [ROWS, `(select * from ${ROWS} limit -1)`]
    .map((from) => pageSql(sql, columns.length, drawn, from))
    .find((text) => text !== undefined && isSamePlan(plan, planOf(text)));
  if (text === undefined) return undefined;
  const prepared = database.prepare(text);
  const end = drawn.rowEnd.slice(1);
  return (values) => {
    const [row] = wide(mostBytes, () => prepared.all(...values)) as unknown as [number, string | null][];
    const [rows = 0, made = null] = row ?? [];
    if (made === null) return rows === 0 ? { text: '', rows } : undefined;
    return OTHERWISE.test(made) ? undefined : { text: made + end, rows };
  };
}

function pageSql(
  sql: string,
  columns: number,
  { cells, rowEnd, separator, refusal }: Drawn,
  from: string,
): string | undefined {
  if (refusal !== undefined || cells.length > MOST_COLUMNS) return undefined;
  const members: string[] = [];
  for (const { column, before } of cells) {
    const name = /^[{,]"([\x20\x21\x23-\x5b\x5d-\x7e]*)":$/.exec(before)?.[1];
    if (name === undefined) return undefined;
    members.push(`'${name.replaceAll("'", "''")}', c${column}`);
  }
  const names = Array.from({ length: columns }, (_, i) => `c${i}`).join(', ');
  const between = `${rowEnd.slice(1)}${separator}`.replaceAll("'", "''");
  const object = `json_object(${members.join(', ')})`;
  return `with ${ROWS}(${names}) as (${sql}) select count(*), group_concat(${object}, '${between}') from ${from}`;
}
/** Two arguments each: SQLite is set to take 127. */
const MOST_COLUMNS = 60;

/** The statement is run as it stands, and its rows are read one after the other. */
function isSamePlan(plain: readonly PlanLine[], paged: readonly PlanLine[]): boolean {
  const [routine, ...rest] = paged;
  const last = rest.pop();
  const called = /^CO-ROUTINE (.+)$/.exec(routine?.detail ?? '')?.[1];
  if (called === undefined || last?.detail !== `SCAN ${called}` || last.parent !== 0) return false;
  return (
    rest.length === plain.length &&
    rest.every(({ detail }, i) => withoutNumbers(detail) === withoutNumbers(plain[i]?.detail ?? ''))
  );
}

/** Subqueries are numbered through all of a statement. */
const withoutNumbers = (detail: string): string => detail.replace(/ SUBQUERY \d+$/, ' SUBQUERY');
