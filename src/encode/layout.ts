// What stands around the cells and rows of a JSON body, in each form of the API: objects or table, extracted,
// unwrapped.

import { GatewayError } from '../base/errors.ts';
import { tooManyColumns } from '../base/reference-words.ts';
import type { ColumnKind } from '../dialect/plan.ts';
import type { Output } from '../wire/protocol.ts';
import { memoryOf, type Piece, pieceOf } from './byte-writer.ts';
import { mostBytes, writeString } from './json-text.ts';

export interface ResultColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** What stands around cells and rows. */
export interface Layout {
  readonly kinds: readonly ColumnKind[];
  readonly open: Uint8Array;
  /** Columns in the order of writing, and the bytes before each. */
  readonly cells: readonly { readonly column: number; readonly before: Piece }[];
  /** Before the first cell of each row but the first. */
  readonly next: Piece;
  readonly rowEnd: Piece;
  readonly close: Uint8Array;
  /** Of a row after the first, without those of its cells. */
  readonly rowBytes: number;
  /** Why no row can be written. */
  readonly refusal?: GatewayError;
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

const PLAIN = /^[\x20-\x7e]*$/;

function jsonString(text: string): string {
  if (PLAIN.test(text)) return JSON.stringify(text);
  const source = bytesOf(text);
  const out = memoryOf(new Uint8Array(mostBytes(source, 0, source.length)));
  const end = writeString(out, 0, memoryOf(source), 0, source.length);
  return Buffer.from(out.bytes.subarray(0, end)).toString('utf8');
}

/** As the reference: the last of equally named columns wins, and keys are in the order of their bytes. */
function objectColumns(columns: readonly Pick<ResultColumn, 'name'>[]): { name: string; column: number }[] {
  const byName = new Map<string, number>();
  columns.forEach(({ name }, index) => {
    byName.set(name, index);
  });
  const named = [...byName].map(([name, column]) => ({ name, column }));
  // What is ASCII is in the order of its bytes already.
  const isPlain = named.every(({ name }) => PLAIN.test(name));
  return named.sort((a, b) => (isPlain ? (a.name < b.name ? -1 : 1) : byBytes(a.name, b.name)));
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

interface DrawnCell {
  readonly column: number;
  readonly before: string;
  /** Its texts are embedded as they are, where they are an object or an array. */
  readonly json: boolean;
}

/** A {@link Layout} as text. */
export interface Drawn {
  readonly open: string;
  readonly cells: readonly DrawnCell[];
  readonly rowEnd: string;
  readonly separator: string;
  readonly close: string;
  readonly refusal?: GatewayError;
}

export function layoutOf(columns: readonly ResultColumn[], output: Output): Layout {
  return madeOf(columns, drawnOf(columns, output));
}

function madeOf(columns: readonly ResultColumn[], drawn: Drawn): Layout {
  const { open, cells, rowEnd, separator, close, ...rest } = drawn;
  const piece = (text: string): Piece => pieceOf(bytesOf(text));
  const [firstCell, ...others] = cells;
  const before = firstCell?.before ?? '';
  const next = `${separator}${before}`;
  const inRow = [next, ...others.map((cell) => cell.before), rowEnd];
  return {
    ...rest,
    kinds: columns.map(({ kind }) => kind),
    open: bytesOf(open),
    cells: cells.map(({ column, before }) => ({ column, before: piece(before) })),
    next: piece(next),
    rowEnd: piece(rowEnd),
    close: bytesOf(close),
    rowBytes: inRow.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  };
}

/** The parts of a body as text. */
export function drawnOf(
  columns: readonly { readonly name: string; readonly json?: boolean }[],
  output: Output,
): Drawn {
  const cell = (column: number, before: string): DrawnCell => ({
    column,
    before,
    json: columns[column]?.json === true,
  });
  if (output.format === 'table') {
    const head = columns.map(({ name }) => `{"name":${jsonString(name)}}`).join(',');
    return {
      open: `{"columns":[${head}],"rows":[`,
      cells: columns.map((_, column) => cell(column, column === 0 ? '[' : ',')),
      rowEnd: ']',
      separator: ',',
      close: ']}',
    };
  }
  const around = aroundRows(output);
  const named = objectColumns(columns);
  if (output.extract) {
    if (named.length !== 1 || named[0] === undefined)
      return {
        ...around,
        cells: [],
        // As the reference: it is the first row that cannot be written, and no rows are no error.
        refusal: new GatewayError('extract-columns', tooManyColumns(named.length)),
      };
    return { ...around, cells: [cell(named[0].column, '')] };
  }
  // Without a spread: it is made for each shape that is new.
  return {
    open: around.open,
    cells: named.map(({ name, column }, index) =>
      cell(column, `${index === 0 ? '{' : ','}${jsonString(name)}:`),
    ),
    rowEnd: `}${around.rowEnd}`,
    separator: around.separator,
    close: around.close,
  };
}

function aroundRows({ format, unwrap }: Output): Omit<Drawn, 'cells'> {
  // Each line of NDJSON ends with a line break, the last one too; an unwrapped answer's last one does not.
  if (format === 'ndjson') return { open: '', rowEnd: '\n', separator: '', close: '' };
  if (unwrap) return { open: '', rowEnd: '', separator: '\n', close: '' };
  return { open: '[', rowEnd: '', separator: ',', close: ']' };
}
