// Rows of SQLite's values to a body of any format.

import type { Format, Output } from '../wire/protocol.ts';
import { ByteWriter } from './byte-writer.ts';
import { csvHeader, csvRows } from './csv-rows.ts';
import { encoderMaker } from './formats.ts';
import { type Cell, jsonRows } from './json-rows.ts';
import { drawnOf } from './layout.ts';
import { type BodyColumn, columnsOf, kindsOf } from './typed-rows.ts';

export interface BodyEncoder {
  readonly rows: number;
  readonly columns: number;
  /** Bytes that were written and not yet taken. */
  readonly waiting: number;
  /** Bytes of the body so far. */
  readonly total: number;
  /** @throws GatewayError extract-columns, mixed-column */
  add(rows: readonly (readonly Cell[])[]): void;
  finish(): void;
  take(): Uint8Array;
  /** The same of a body that is whole: of few bytes, as text where it is one. */
  takeWhole(): Uint8Array | string;
}

/** Of a column of types, integers and reals are told apart: rows are to be read with bigints. */
export function needsTypes({ format }: Output): boolean {
  return TYPED.has(format);
}
const TYPED: ReadonlySet<Format> = new Set(['arrow', 'parquet']);

/** What is the same for all answers of a statement in one form is made once. */
export type MakeBody = () => BodyEncoder;

export function bodyMaker(columns: readonly BodyColumn[], output: Output): MakeBody {
  if (needsTypes(output)) return () => typedEncoder(columns, output);
  const count = columns.length;
  if (output.format === 'csv') {
    const header = csvHeader(columns.map(({ name }) => name));
    return () => new TextRows(count, header, csvRows, '');
  }
  const drawn = drawnOf(columns, output);
  const write: WriteRows = (rows, before) => jsonRows(drawn, rows, before);
  return () => new TextRows(count, drawn.open, write, drawn.close);
}

/** The body of JSON of which all rows are written already. */
export function wholeBody(columns: readonly BodyColumn[], output: Output, rows: string): Uint8Array | string {
  const { open, close } = drawnOf(columns, output);
  const text = `${open}${rows}${close}`;
  return text.length > TEXT_BYTES ? Buffer.from(text, 'utf8') : text;
}

/** Names the form of an answer. */
export function formOf({ format, extract, unwrap }: Output): string {
  return `${format}${extract}${unwrap}`;
}

type WriteRows = (rows: readonly (readonly Cell[])[], before: number) => string;

/** A class, since an object with getters of its own is put together slowly. */
class TextRows implements BodyEncoder {
  readonly columns: number;
  rows = 0;
  waiting = 0;
  readonly #write: WriteRows;
  readonly #close: string;
  #parts: string[] = [];
  #taken = 0;

  constructor(columns: number, open: string, write: WriteRows, close: string) {
    this.columns = columns;
    this.#write = write;
    this.#close = close;
    this.#put(open);
  }

  get total(): number {
    return this.#taken + this.waiting;
  }

  add(more: readonly (readonly Cell[])[]): void {
    if (more.length === 0) return;
    this.#put(this.#write(more, this.rows));
    this.rows += more.length;
  }

  finish(): void {
    this.#put(this.#close);
  }

  take(): Uint8Array {
    return Buffer.from(this.#text(), 'utf8');
  }

  takeWhole(): Uint8Array | string {
    return this.waiting > TEXT_BYTES ? this.take() : this.#text();
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.waiting += Buffer.byteLength(text);
  }

  #text(): string {
    const text = this.#parts.length === 1 ? (this.#parts[0] as string) : this.#parts.join('');
    this.#parts = [];
    this.#taken += this.waiting;
    this.waiting = 0;
    return text;
  }
}

/** Larger bodies are made bytes once, and not again where they leave. */
const TEXT_BYTES = 16 * 1024;

/** Rows by which the types of columns are decided that no table declares. */
const TYPED_ROWS = 10_000;

function typedEncoder(columns: readonly BodyColumn[], output: Output): BodyEncoder {
  const writer = new ByteWriter();
  let held: (readonly Cell[])[] = [];
  let encoder: ReturnType<ReturnType<typeof encoderMaker>> | undefined;
  let rows = 0;
  const release = (): void => {
    const kinds = encoder?.kinds ?? kindsOf(columns, held);
    encoder ??= encoderMaker(
      columns.map(({ name }, i) => ({ name, kind: kinds[i] ?? 'any' })),
      output,
    )(writer);
    for (let at = 0; at < held.length; at += TYPED_ROWS) {
      const some = held.slice(at, at + TYPED_ROWS);
      encoder.add(columnsOf(columns, encoder.kinds, some), some.length);
    }
    held = [];
  };
  const take = (): Uint8Array => new Uint8Array(encoder?.take() ?? new Uint8Array(0));
  return {
    columns: columns.length,
    get rows() {
      return rows;
    },
    get waiting() {
      return encoder?.waiting ?? 0;
    },
    get total() {
      return encoder?.total ?? 0;
    },
    add(more) {
      rows += more.length;
      held.push(...more);
      if (encoder !== undefined || held.length >= TYPED_ROWS) release();
    },
    finish() {
      release();
      encoder?.finish();
    },
    take,
    takeWhole: take,
  };
}
