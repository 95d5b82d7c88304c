// Which chart suits a result, by what its columns hold. No DOM, no drawing.
import type { Cell } from './lossless-json.ts';
import { cellText, type Result } from './result.ts';

export type ChartKind = 'bar' | 'line' | 'scatter';
export type ColumnHolds = 'numbers' | 'times' | 'texts' | 'nothing';

export interface Chart {
  readonly kind: ChartKind;
  /** Index of a column; -1: the rows' numbers. */
  readonly x: number;
  readonly ys: readonly number[];
  /** Index of the column whose values have a colour each; the first of `ys` is drawn. None: -1, or not given. */
  readonly colour?: number;
  /** Bars upon each other. */
  readonly stacked?: boolean;
  readonly log?: boolean;
}

/** Columns that are drawn unasked. */
const MAX_SERIES = 4;
/** ISO 8601 days and times, as SQLite writes them. */
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[-+]\d\d:?\d\d)?)?$/;

export function columnHolds(rows: readonly (readonly Cell[])[], column: number): ColumnHolds {
  let holds: ColumnHolds = 'nothing';
  for (const row of rows) {
    const cell = row[column] ?? null;
    if (cell === null) continue;
    const one = typeof cell === 'object' && 'number' in cell ? 'numbers' : isTime(cell) ? 'times' : 'texts';
    if (holds !== 'nothing' && holds !== one) return 'texts';
    holds = one;
  }
  return holds;
}

function isTime(cell: Cell): boolean {
  return typeof cell === 'string' && TIME.test(cell) && !Number.isNaN(Date.parse(cell));
}

/** A column that numbers its rows is no quantity. */
const isKey = (name: string): boolean => /^(?:id|rowid|.*_id|token_?id)$/i.test(name);

/** Beside values so many times larger, others are a line on the ground. */
const MOST_TIMES = 30;

/** The first column, and those that can be told from the ground on its scale. */
function comparable(rows: Result['rows'], columns: readonly number[]): readonly number[] {
  const [first, ...others] = columns.map((column) => ({
    column,
    most: rows.reduce((most, row) => Math.max(most, Math.abs(finite(numberOf(row[column])) ?? 0)), 0),
  }));
  if (first === undefined) return [];
  const like = others.filter(
    ({ most }) => most * MOST_TIMES >= first.most && most <= first.most * MOST_TIMES,
  );
  return [first, ...like].map(({ column }) => column);
}

/** Many rows of few kinds: each is a point, and not a bar. */
function isOfFew(rows: Result['rows'], column: number): boolean {
  const kinds = new Set(rows.map((row) => cellText(row[column] ?? null)));
  return rows.length > 60 && kinds.size * 8 < rows.length;
}

/** @returns undefined where no column holds numbers */
export function chooseChart({ columns, rows }: Result): Chart | undefined {
  const holds = columns.map((_, i) => columnHolds(rows, i));
  const having = (kind: ColumnHolds): number[] => holds.flatMap((each, i) => (each === kind ? [i] : []));
  const numbers = having('numbers');
  const [time] = having('times');
  const [text] = having('texts');
  const quantities = numbers.filter((i) => !isKey(columns[i] ?? ''));
  const ys = comparable(rows, quantities.length > 0 ? quantities : numbers).slice(0, MAX_SERIES);
  const [first] = numbers;
  if (first === undefined) return undefined;
  if (time !== undefined) return { kind: 'line', x: time, ys };
  const [across, up] = quantities;
  if (text !== undefined && across !== undefined && up !== undefined && isOfFew(rows, text))
    return { kind: 'scatter', x: across, ys: [up], colour: text };
  if (text !== undefined) return { kind: 'bar', x: text, ys };
  // One row is no course of anything: its values stand beside each other.
  if (rows.length === 1) return { kind: 'bar', x: -1, ys };
  const others = ys.filter((i) => i !== first);
  if (others.length === 0) return { kind: rows.length > 60 ? 'line' : 'bar', x: -1, ys: [first] };
  const rising = rows.every((row, i) => i === 0 || numberOf(row[first]) >= numberOf(rows[i - 1]?.[first]));
  return rising
    ? { kind: 'line', x: first, ys: others }
    : { kind: 'scatter', x: first, ys: others.slice(0, 1) };
}

/** As near as a drawing needs it; NaN where it is no number. */
export function numberOf(cell: Cell | undefined): number {
  return typeof cell === 'object' && cell !== null && 'number' in cell ? Number(cell.number) : Number.NaN;
}

export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
