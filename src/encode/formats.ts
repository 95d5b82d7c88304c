// Which encoder writes which format.
import type { Format, Output } from '../wire/protocol.ts';
import { createArrowEncoder } from './arrow.ts';
import type { ByteWriter } from './byte-writer.ts';
import { typedColumns } from './column-encoder.ts';
import { createCsvEncoder } from './csv.ts';
import { createEncoder, type Encoder } from './encode.ts';
import { layoutOf, type ResultColumn } from './layout.ts';
import { createParquetEncoder } from './parquet.ts';

/** What is the same for all answers of a plan in one form is made once. */
export type MakeEncoder = (out: ByteWriter) => Encoder;

/** @throws GatewayError mixed-column: before anything is run */
export function encoderMaker(columns: readonly ResultColumn[], output: Output): MakeEncoder {
  return MAKERS[output.format](columns, output);
}

const json = (columns: readonly ResultColumn[], output: Output): MakeEncoder => {
  const layout = layoutOf(columns, output);
  return (out) => createEncoder(layout, out);
};

const MAKERS: { readonly [F in Format]: typeof json } = {
  objects: json,
  table: json,
  ndjson: json,
  csv: (columns) => (out) => createCsvEncoder(columns, out),
  arrow: (columns) => {
    const typed = typedColumns(columns, 'Arrow');
    return (out) => createArrowEncoder(typed, out);
  },
  parquet: (columns) => {
    const typed = typedColumns(columns, 'Parquet');
    return (out) => createParquetEncoder(typed, out);
  },
};
