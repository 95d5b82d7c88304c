// Before a worker serves: values of many sizes, as they come out of the engine, on their way to the bytes of a large answer.
// What V8 compiled for positive numbers alone, or for short texts, it throws away at the first others, and the tables that
// statement/rehearsal.ts reads need not have them.
import { ByteWriter } from '../encode/byte-writer.ts';
import { encoderMaker } from '../encode/formats.ts';
import type { ResultColumn } from '../encode/layout.ts';
import { PART_BYTES } from '../wire/frames.ts';
import { withColumns } from './chunk.ts';
import type { EngineConnection } from './engine.ts';

/** As many as make V8's optimizing compiler take all of it. */
const ROWS = 60_000;
/** A chunk without any NULL has no bits for them: from here on there are some. */
const NULLS_FROM = ROWS / 2;

const withNulls = (sql: string): string => `CASE WHEN i < ${NULLS_FROM} OR i % 5 > 0 THEN ${sql} END`;
const COLUMNS: readonly (ResultColumn & { readonly sql: string })[] = [
  { name: 'counted', kind: 'integer', sql: 'i' },
  { name: 'signed', kind: 'integer', sql: '(i % 4001) - 2000' },
  { name: 'large', kind: 'integer', sql: withNulls('i * -7919') },
  { name: 'short', kind: 'text', sql: "substr('2025-01-01T00:00', 1, 2 + (i % 9))" },
  { name: 'long', kind: 'text', sql: withNulls("repeat('text ', i % 6)") },
  { name: 'same', kind: 'text', sql: "chr((65 + i % 20)::INTEGER) || 'AB'" },
];
const SQL = `SELECT ${COLUMNS.map(({ sql }) => sql).join(', ')} FROM range(${ROWS}) t(i)`;

/** @returns the bytes that it wrote */
export async function rehearseEncoder(connection: EngineConnection): Promise<number> {
  const encoder = encoderMaker(COLUMNS, { format: 'objects', extract: false, unwrap: false })(
    new ByteWriter(),
  );
  const chunks = await connection.stream(SQL);
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      withColumns(chunk, encoder.kinds, encoder.add);
      if (encoder.waiting >= PART_BYTES) encoder.take();
    }
  } finally {
    await chunks.close();
  }
  encoder.finish();
  return encoder.total;
}
