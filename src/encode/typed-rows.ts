// Rows of SQLite's values as columns of one type each, for formats that are written column by column.

import { GatewayError } from '../base/errors.ts';
import type { ColumnKind } from '../dialect/plan.ts';
import { memoryOf } from './byte-writer.ts';
import type { ColumnData, Texts } from './column-data.ts';
import type { Cell } from './json-rows.ts';

export interface BodyColumn {
  readonly name: string;
  /** As declared; null where it is no column of a table. */
  readonly type: string | null;
  /** Its texts are JSON as the engine writes it, where they are an object or an array. */
  readonly json?: boolean;
}

type Rows = readonly (readonly Cell[])[];

/** By the declared type of a column of a STRICT table; else by the values, which were read with bigints. */
export function kindsOf(columns: readonly BodyColumn[], rows: Rows): ColumnKind[] {
  return columns.map(({ type }, at) => {
    const declared = type === null ? undefined : DECLARED.get(type.toUpperCase());
    if (declared !== undefined) return declared;
    let kind: ColumnKind | undefined;
    for (const row of rows) {
      const found = kindOf(row[at] as Cell);
      if (found === undefined || found === kind) continue;
      if (kind !== undefined) return 'any';
      kind = found;
    }
    // Where every value is NULL any type will do.
    return kind ?? 'integer';
  });
}

const DECLARED: ReadonlyMap<string, ColumnKind> = new Map([
  ['INTEGER', 'integer'],
  ['INT', 'integer'],
  ['REAL', 'real'],
  ['TEXT', 'text'],
  ['BLOB', 'blob'],
]);

function kindOf(value: Cell): ColumnKind | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return 'text';
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'number' ? 'real' : 'blob';
}

/** @throws GatewayError mixed-column where a later row has a value of another type */
export function columnsOf(
  columns: readonly BodyColumn[],
  kinds: readonly ColumnKind[],
  rows: Rows,
): ColumnData[] {
  return kinds.map((kind, at) => {
    const validity = new Uint8Array(Math.ceil(rows.length / 64) * 8);
    rows.forEach((row, i) => {
      const value = row[at] as Cell;
      const found = kindOf(value);
      if (found === undefined) return;
      if (found !== kind) throw mixed(columns[at]?.name ?? '');
      validity[i >> 3] = (validity[i >> 3] as number) | (1 << (i & 7));
    });
    const cells = rows.map((row) => row[at] as Cell);
    if (kind === 'integer') {
      const values = BigInt64Array.from(cells, (cell) => (typeof cell === 'bigint' ? cell : 0n));
      return { kind, validity, halves: new Int32Array(values.buffer) };
    }
    if (kind === 'real')
      return {
        kind,
        validity,
        values: Float64Array.from(cells, (cell) => (typeof cell === 'number' ? cell : 0)),
      };
    if (kind === 'any') throw mixed(columns[at]?.name ?? '');
    return { kind, validity, texts: textsOf(cells) };
  });
}

function mixed(name: string): GatewayError {
  return new GatewayError('mixed-column', `values of ${JSON.stringify(name)} are of several types`);
}

function textsOf(cells: readonly Cell[]): Texts {
  const parts = cells.map((cell) =>
    typeof cell === 'string' ? Buffer.from(cell) : cell instanceof Uint8Array ? cell : EMPTY,
  );
  const starts = new Int32Array(cells.length);
  const lengths = new Int32Array(cells.length);
  let at = 0;
  parts.forEach((part, i) => {
    starts[i] = at;
    lengths[i] = part.byteLength;
    at += part.byteLength;
  });
  return { ...memoryOf(new Uint8Array(Buffer.concat(parts))), starts, lengths };
}
const EMPTY = new Uint8Array(0);
