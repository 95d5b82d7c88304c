// Rows to the bytes of a body: the project's encoder, beside what it replaces.
import { DuckDBInstance } from '@duckdb/node-api';
import { ByteWriter } from '../../src/encode/byte-writer.ts';
import { createEncoder } from '../../src/encode/encode.ts';
import { layoutOf, type ResultColumn } from '../../src/encode/layout.ts';
import { withColumns } from '../../src/worker/chunk.ts';
import { materialized, openEngine } from '../../src/worker/engine.ts';
import type { Part } from './part.ts';

const OUTPUT = { format: 'objects', extract: false, unwrap: false } as const;
const COLUMNS: readonly ResultColumn[] = [
  { name: 'id', kind: 'integer' },
  { name: 'date', kind: 'text' },
  { name: 'delay', kind: 'integer' },
  { name: 'distance', kind: 'integer' },
  { name: 'origin', kind: 'text' },
];
const rowsOf = (count: number): string =>
  `select i::bigint as id, '2001-01-01 12:' || lpad((i % 60)::varchar, 2, '0') || ':00' as date,
   (i * 7 % 400 - 30)::bigint as delay, (i * 13 % 2500)::bigint as distance,
   'A' || chr(65 + (i % 26)::integer) || 'X' as origin from range(${count}) t(i)`;

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

export const encode: Part = {
  group: 'encode',
  open: async () => {
    const engine = await openEngine(':memory:', { threads: '1' });
    const connection = await engine.connect();
    const chunksOf = async (count: number) => materialized(await connection.query(rowsOf(count)));
    const [one, thousand] = [await chunksOf(1), await chunksOf(1_000)];
    const writer = new ByteWriter();
    const layout = layoutOf(COLUMNS, OUTPUT);
    const encodeAll = (chunks: typeof one): number => {
      const encoder = createEncoder(layout, writer);
      for (const chunk of chunks) withColumns(chunk, layout.kinds, encoder.add);
      encoder.finish();
      return encoder.take().byteLength;
    };
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const comfortable = await instance.connect();
    const reader = await comfortable.runAndReadAll(rowsOf(1_000));
    return {
      tasks: [
        { name: 'one row of 5 columns', repeat: 10, run: () => encodeAll(one) },
        { name: '1,000 rows of 5 columns', run: () => encodeAll(thousand) },
        {
          name: '1,000 rows, by row objects and JSON.stringify',
          run: () => JSON.stringify(reader.getRowObjectsJS(), plain),
        },
        {
          name: '1,000 rows, run in the engine and encoded here',
          run: async () => encodeAll(materialized(await connection.query(rowsOf(1_000)))),
        },
        {
          name: "1,000 rows, run with the engine's own to_json",
          run: () =>
            connection.query(`select string_agg(to_json(r)::varchar, ',') from (${rowsOf(1_000)}) r`),
        },
      ],
      close() {
        connection.close();
        engine.close();
        comfortable.closeSync();
        instance.closeSync();
      },
    };
  },
};
