// The values for a statement's `?`, written as a JSON list. Every digit stays as it was written. No DOM.
import { type Cell, eachItem, readCell, skipSpace } from './lossless-json.ts';

export interface Params {
  readonly values: readonly Cell[];
  /** What is wrong with the text, for people. */
  readonly problem?: string;
}

const WANTED = 'Write a list in JSON, one value for each ?, such as [7, "abc", null].';

/** Nothing is no values. */
export function readParams(text: string): Params {
  if (text.trim() === '') return { values: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { values: [], problem: WANTED };
  }
  if (!Array.isArray(value)) return { values: [], problem: WANTED };
  const values: Cell[] = [];
  eachItem(text, skipSpace(text, 0), (from, to) => values.push(readCell(text, from, to)));
  const nested = values.findIndex((cell) => typeof cell === 'object' && cell !== null && 'json' in cell);
  if (nested < 0) return { values };
  return { values: [], problem: `Value ${nested + 1} must be a number, a text, true, false or null.` };
}

/** As a query string has them: texts in SQL's quotes. */
export function paramTexts(text: string): readonly string[] {
  return readParams(text).values.map((cell) => {
    if (typeof cell === 'string') return `'${cell.replaceAll("'", "''")}'`;
    return typeof cell === 'object' && cell !== null && 'number' in cell ? cell.number : String(cell);
  });
}

/** Whether a statement has a `?` outside of texts, names and comments. */
export function takesParams(statement: string): boolean {
  return statement.replace(SKIPPED, ' ').includes('?');
}
const SKIPPED =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?/g;
