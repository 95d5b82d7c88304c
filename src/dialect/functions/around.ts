// What the rules of aggregates get: how one of the engine's own is written with all that stands around the call.
import type { Over } from '../engine.ts';
import { computed, nullOf } from '../operators/computed.ts';
import type { Value } from '../value.ts';

/** Writes one of the engine's aggregates with this call's DISTINCT, ORDER BY, FILTER and OVER. */
export interface Around {
  readonly distinct: boolean;
  /** The rows of one group after another: GROUP BY is there, or OVER. */
  readonly grouped: boolean;
  readonly windowed: boolean;
  /** `call`: the aggregate's name and arguments; `ordered` where the order of rows changes its result. */
  readonly over: Over;
}

/** NULL in one row: what is known to be NULL must still make the SELECT an aggregate query. */
export function nullAggregate(kind: 'null' | 'real' | 'text', around: Around): Value {
  return computed(kind, around.over('max', [nullOf(kind).sql], { distinct: false }));
}
