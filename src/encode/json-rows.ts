// Rows of SQLite's values to the bytes of a JSON body, in each form of the API. Texts are put together by the engine of
// JavaScript, which is quicker for few rows than columns of bytes are.

import { textCell } from './json-text.ts';
import type { Drawn } from './layout.ts';

/** As the binding gives it: integers past 2^53 are bigint where they were asked for. */
export type Cell = null | number | bigint | string | Uint8Array;

/**
 * @param before rows of the body so far: whether the first of these needs a separator
 * @throws GatewayError extract-columns
 */
export function jsonRows(drawn: Drawn, rows: readonly (readonly Cell[])[], before: number): string {
  const { cells, rowEnd, separator, refusal } = drawn;
  if (refusal !== undefined && rows.length > 0) throw refusal;
  let text = '';
  let next = before > 0 ? separator : '';
  for (const row of rows) {
    text += next;
    for (const { column, before: name, json } of cells) text += name + jsonCell(row[column] as Cell, json);
    text += rowEnd;
    next = separator;
  }
  return text;
}

/** @param json it is as the engine writes JSON, if it is an object or an array */
function jsonCell(value: Cell, json: boolean): string {
  switch (typeof value) {
    case 'string':
      if (!mayBeJson(value)) return JSON.stringify(value);
      return json ? value : textCell(value);
    case 'number':
      return jsonNumber(value);
    case 'bigint':
      return String(value);
    default:
      return value === null
        ? 'null'
        : `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  }
}

/** JSON has no infinities. */
export function jsonNumber(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  return Number.isFinite(value) ? String(value) : 'null';
}

/** It starts, after spaces only, with `{` or `[`. */
function mayBeJson(text: string): boolean {
  let at = 0;
  let code = text.charCodeAt(0);
  while (code === 0x20) code = text.charCodeAt(++at);
  return code === 0x7b || code === 0x5b;
}
