// An encoder of formats that are written column by column: gathers chunks until there is enough for a batch of
// the format. Knows no format.
import { GatewayError } from '../base/errors.ts';
import type { ByteWriter } from './byte-writer.ts';
import { appendChunk, type BatchKind, type ColumnBatch, createBatch, emptyBatch } from './column-batch.ts';
import type { Encoder } from './encode.ts';
import type { ResultColumn } from './layout.ts';

export interface TypedColumn {
  readonly name: string;
  readonly kind: BatchKind;
}

/** Each writes to the encoder's ByteWriter. */
export interface ColumnFormat {
  start(): void;
  batch(batch: ColumnBatch): void;
  end(): void;
}

/**
 * The columns with a name of its own each: of equal names, later ones get `_1`, `_2` and so on.
 * @throws GatewayError mixed-column where a value's type is known only row by row
 */
export function typedColumns(columns: readonly ResultColumn[], format: string): TypedColumn[] {
  const taken = new Set(columns.map(({ name }) => name));
  const seen = new Set<string>();
  return columns.map(({ name, kind }) => {
    if (kind === 'any')
      throw new GatewayError(
        'mixed-column',
        `${format} wants one type a column, but values of ${JSON.stringify(name)} may be of several: ` +
          'give it one, such as CAST(... AS TEXT) AS name, or ask for another format.',
      );
    let own = name;
    for (let count = 1; seen.has(own) || (own !== name && taken.has(own)); count++) own = `${name}_${count}`;
    seen.add(own);
    return { name: own, kind };
  });
}

/** @param full rows and bytes at which a batch is written */
export function createColumnEncoder(
  columns: readonly TypedColumn[],
  out: ByteWriter,
  full: { readonly rows: number; readonly bytes: number },
  format: ColumnFormat,
): Encoder {
  out.clear();
  const kinds = columns.map(({ kind }) => kind);
  const batch = createBatch(kinds);
  let rows = 0;
  let taken = 0;
  const flush = (): void => {
    format.batch(batch);
    emptyBatch(batch);
  };
  format.start();
  return {
    writer: out,
    get rows() {
      return rows;
    },
    get waiting() {
      return out.length;
    },
    get total() {
      return taken + out.length + batch.bytes;
    },
    kinds,
    add(data, count) {
      appendChunk(batch, data, count);
      rows += count;
      if (batch.rows >= full.rows || batch.bytes >= full.bytes) flush();
    },
    take() {
      const written = out.written();
      taken += written.length;
      out.length = 0;
      return written;
    },
    finish() {
      if (batch.rows > 0) flush();
      format.end();
    },
  };
}
