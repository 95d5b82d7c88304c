// Rows of a result sorted and filtered as their reader asks, and what kinds of values its columns hold. No DOM.
import type { Cell } from './lossless-json.ts';
import { cellText, type Result } from './result.ts';

type Rows = Result['rows'];

export interface Order {
  readonly column: number;
  readonly down: boolean;
}

/** What is asked of a column's values, as it was written; empty: nothing. */
export type Filters = readonly string[];

export const FILTER_HELP = 'Part of the text; or =, !=, <, <=, > or >= and a value; null; !null.';

/** @returns places of the rows, those without an order as they came */
export function arranged(rows: Rows, order: Order | undefined, filters: Filters): readonly number[] {
  const tests = filters.flatMap((text, column) => {
    const test = testOf(text.trim());
    return test === undefined ? [] : [{ column, test }];
  });
  const places: number[] = [];
  rows.forEach((row, place) => {
    if (tests.every(({ column, test }) => test(row[column] ?? null))) places.push(place);
  });
  if (order === undefined) return places;
  const { column, down } = order;
  const cellAt = (place: number): Cell => rows[place]?.[column] ?? null;
  const sign = down ? -1 : 1;
  return places.sort((a, b) => sign * compared(cellAt(a), cellAt(b)) || a - b);
}

/** As SQLite sorts: NULL, then numbers, then texts. */
export function compared(one: Cell, other: Cell): number {
  const rank = rankOf(one) - rankOf(other);
  if (rank !== 0) return rank;
  const [a, b] = [cellText(one) ?? '', cellText(other) ?? ''];
  if (a === b) return 0;
  if (rankOf(one) === NUMBERS) {
    const difference = Number(a) - Number(b);
    if (difference !== 0) return difference;
    const isWhole = /^-?\d+$/.test(a) && /^-?\d+$/.test(b);
    return isWhole ? Number(BigInt(a) > BigInt(b)) * 2 - 1 : 0;
  }
  return a < b ? -1 : 1;
}

const NUMBERS = 1;

function rankOf(cell: Cell): number {
  if (cell === null) return 0;
  return typeof cell === 'object' && 'number' in cell ? NUMBERS : 2;
}

function testOf(text: string): ((cell: Cell) => boolean) | undefined {
  if (text === '') return undefined;
  const [, not, isNull] = /^(!?)(null)$/i.exec(text) ?? [];
  if (isNull !== undefined) return (cell) => (cell === null) === (not === '');
  const [, sign = '', value = ''] = /^(=|!=|<=?|>=?)\s*(.*)$/s.exec(text) ?? [];
  if (sign !== '' && value !== '') return (cell) => cell !== null && holds(sign, against(cell, value));
  const part = text.toLowerCase();
  return (cell) => (cellText(cell) ?? '').toLowerCase().includes(part);
}

/** A value that is a number is one beside numbers alone. */
function against(cell: Cell, value: string): number {
  const isNumber = rankOf(cell) === NUMBERS && Number.isFinite(Number(value));
  if (isNumber) return compared(cell, { number: value });
  return compared(cellText(cell) ?? '', value);
}

function holds(sign: string, difference: number): boolean {
  if (sign === '=') return difference === 0;
  if (sign === '!=') return difference !== 0;
  if (difference === 0) return sign.endsWith('=');
  return sign.startsWith('<') === difference < 0;
}

/** What the values of each column are: the answer names columns, but tells no types. */
export function seenTypes({ columns, rows }: Result): readonly string[] {
  return columns.map((_, column) => {
    const kinds = new Set<string>();
    for (const row of rows) {
      const cell = row[column] ?? null;
      if (cell !== null) kinds.add(kindOf(cell));
    }
    const [only = rows.length === 0 ? '' : 'null', ...more] = kinds;
    if (more.length === 0) return only;
    return [...kinds].every((kind) => kind === 'integer' || kind === 'real') ? 'real' : 'mixed';
  });
}

function kindOf(cell: Exclude<Cell, null>): string {
  if (typeof cell === 'string') return 'text';
  if (typeof cell === 'boolean') return 'boolean';
  if ('json' in cell) return 'json';
  return /^-?\d+$/.test(cell.number) ? 'integer' : 'real';
}
