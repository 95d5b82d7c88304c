// The engine's own SQL as statements; see compilers/passthrough.ts.
import type { Literal, QueryJob } from '../../src/wire/protocol.ts';
import { compiled } from './compilers/compiled.ts';

/** For {@link LaneOverrides}. */
export const PASSTHROUGH: string = compiled('passthrough.ts');

/** A job of the engine's own SQL. */
export function rawJob(
  sql: string,
  literals: readonly Literal[] = [],
  more: Partial<Pick<QueryJob, 'output' | 'limits'>> = {},
): QueryJob {
  return {
    kind: 'query',
    shape: sql,
    literals,
    output: { format: 'objects', extract: false, unwrap: false },
    limits: { deadlineMs: 5_000, maxRows: 1_000_000, maxBytes: 100_000_000 },
    ...more,
  };
}
