// Rows of SQLite's values as CSV, by the rules of encode/csv.ts, which writes columns.
import { type Cell, jsonNumber } from './json-rows.ts';

const LINE_END = '\r\n';

export function csvHeader(names: readonly string[]): string {
  return names.map(csvText).join(',') + LINE_END;
}

export function csvRows(rows: readonly (readonly Cell[])[]): string {
  let text = '';
  for (const row of rows) text += row.map(csvField).join(',') + LINE_END;
  return text;
}

function csvField(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'string') return csvText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? jsonNumber(value) : value > 0 ? 'Infinity' : '-Infinity';
  const base64 = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  return base64 === '' ? '""' : base64;
}

/** The empty text is no NULL; spaces at either end would be taken away by many readers. */
function csvText(text: string): string {
  return text === '' || /^ | $|[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
