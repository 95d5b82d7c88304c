// Headers of requests that several operations of the API take.
import type { Schema } from './schemas.ts';

export const IF_NONE_MATCH: Schema = {
  name: 'If-None-Match',
  in: 'header',
  description: 'An `ETag` of before: 304 where the answer is still the same.',
  schema: { type: 'string' },
};
/** Of everything that is answered from data. */
export const FRESHNESS: readonly Schema[] = [
  {
    name: 'Tablegate-Min-Block',
    in: 'header',
    description:
      '`CHAIN_ID:BLOCK`, several separated by commas: answer from data that has these blocks, such as that of a receipt. Until it is there, see `Prefer`; then 503 `not-ready`.',
    schema: { type: 'string', pattern: '^ *[0-9]{1,15}:[0-9]{1,15}( *, *[0-9]{1,15}:[0-9]{1,15}){0,15} *$' },
  },
  {
    name: 'Tablegate-Min-Snapshot',
    in: 'header',
    description:
      'The same by number or id of a snapshot, as `Tablegate-Snapshot` of an answer said it: none that is older.',
    schema: { type: 'string', pattern: '^([0-9]{1,15}|[0-9]{6,15}-[0-9a-f]{6})$' },
  },
  {
    name: 'Prefer',
    in: 'header',
    description: '`wait=SECONDS` (RFC 7240): how long to wait for data that is that new.',
    schema: { type: 'string' },
  },
];
