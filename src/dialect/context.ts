// What a rule for a function or an operator may ask of the statement that is being compiled, and what it
// may leave there. Made by compile.ts, one for each compilation; no rule lives here.
import type { Literal } from '../wire/protocol.ts';
import type { Engine } from './engine.ts';
import type { Template } from './plan.ts';
import type { Value } from './value.ts';

export interface Context {
  /** The words of the engine that the SQL is for. */
  readonly engine: Engine;
  /** The statement's literals. Kinds may be read freely; a value only through `pin`. */
  readonly literals: readonly Literal[];
  /** `block_num(chain)`: the last block of a chain, where it is served. */
  blockNumber(chain: number): number | undefined;
  /** Makes the plan one for this literal's value (Plan.pins), and gives the literal. */
  pin(index: number): Literal;
  /** The answer depends on more than the snapshot: random(), the clock. */
  nondeterministic(): void;
  /**
   * For a rule that writes its operands more than once: `build` gets stand-ins that are cheap to repeat, so
   * that nesting cannot double the SQL's length at every level. Small operands are passed as they are (the
   * engine computes equal subexpressions once).
   */
  once(operands: readonly Value[], build: (cheap: readonly Value[]) => Value): Value;
}

/** What stands around the arguments of an aggregate call. */
export interface AggregateCall {
  /** GROUP BY is there. */
  readonly grouped: boolean;
  readonly distinct: boolean;
  /** BOOLEAN SQL of FILTER (WHERE ...). */
  readonly filter: Template | undefined;
  /**
   * Complete ORDER BY terms of the engine (`x DESC NULLS LAST`), in order. Never empty where the aggregate
   * depends on the order of rows and the order is known (rowid order by default).
   */
  readonly orderBy: readonly Template[];
}

/** What stands around the arguments of a window call. */
export interface WindowCall {
  /** BOOLEAN SQL of FILTER (WHERE ...). */
  readonly filter: Template | undefined;
  /** What goes between the parentheses of OVER (...). */
  readonly over: Template;
  /** Whether OVER has an ORDER BY. */
  readonly ordered: boolean;
}
