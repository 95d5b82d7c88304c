// An index out of the answer to an index job, which comes in parts.
import type { Timed } from '../engine.ts';
import { createRowIndex, type RowIndex } from './row-index.ts';

export interface BuiltIndex {
  readonly index: RowIndex;
  /** Columns of the result. */
  readonly columns: number;
}

/**
 * @param maxBytes of the index
 * @param isWanted whether its snapshot is still served
 * @throws Error where the rows give no index, or nobody wants it any more; GatewayError where they fail half-way
 */
export async function buildIndex(
  reply: Timed,
  snapshot: string,
  maxBytes: number,
  isWanted: () => boolean,
): Promise<BuiltIndex> {
  const check = (bytes: number): void => {
    if (bytes > maxBytes) throw new Error('too large for an index');
    if (!isWanted()) throw new Error('the snapshot is not served any more');
  };
  try {
    const { index: definition, body, rest = [] } = reply;
    if (definition === undefined || reply.snapshot !== snapshot) throw new Error('no rows for an index');
    const builder = createRowIndex(definition);
    builder.add(typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
    check(builder.bytes);
    for await (const part of rest) {
      builder.add(part);
      check(builder.bytes);
    }
    const index = await builder.finish();
    if (index === undefined) throw new Error('nothing in it could be found fast');
    check(index.bytes);
    return { index, columns: definition.columns };
  } finally {
    // Whoever leaves before the end says so, or a worker stays taken.
    await reply.rest?.[Symbol.asyncIterator]().return?.();
  }
}
