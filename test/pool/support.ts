// Lookups as they wait in a lane's line.
import type { Waiting } from '../../src/pool/line.ts';
import type { QueryJob } from '../../src/protocol.ts';

export const job = (shape: string): QueryJob => ({
  kind: 'query',
  shape,
  literals: [],
  output: { format: 'objects', extract: false, unwrap: false },
  limits: { deadlineMs: 1000, maxRows: 1000, maxBytes: 1000 },
});

export const waiting = (shape: string, more: Partial<Waiting> = {}): Waiting => ({
  id: 0,
  client: 'x',
  job: job(shape),
  snapshot: 's1',
  alone: false,
  waitsUntil: 1_000,
  ...more,
});
