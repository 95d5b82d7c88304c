// Rows of a result as texts for the clipboard: every digit as the gateway sent it. No DOM.
import type { Cell } from './lossless-json.ts';
import { cellText } from './result.ts';

type Row = readonly Cell[];

export type CopyAs = 'TSV' | 'CSV' | 'JSON';
export const COPIES: readonly CopyAs[] = ['TSV', 'CSV', 'JSON'];

export function copied(as: CopyAs, columns: readonly string[], rows: readonly Row[]): string {
  if (as === 'JSON') return `[${rows.map((row) => rowJson(columns, row)).join(',\n')}]`;
  const [between, end] = as === 'CSV' ? [',', '\r\n'] : ['\t', '\n'];
  return [columns, ...rows].map((row) => rowLine(row, between) + end).join('');
}

export function rowLine(row: Row, between: string): string {
  return row.map((cell) => field(cellText(cell), between)).join(between);
}

export function rowJson(columns: readonly string[], row: Row): string {
  // As the gateway does it: of equally named columns the last.
  const members = new Map(columns.map((name, i) => [name, cellJson(row[i] ?? null)]));
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

function cellJson(cell: Cell): string {
  return typeof cell === 'object' && cell !== null ? (cellText(cell) ?? '') : JSON.stringify(cell);
}

/** RFC 4180; spreadsheets read what is pasted the same way. In CSV an empty text is not NULL, as in the gateway's own. */
function field(text: string | null, between: string): string {
  if (text === null) return '';
  if (text === '' && between === ',') return '""';
  const isPlain = !text.includes(between) && !/["\r\n]/.test(text);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
