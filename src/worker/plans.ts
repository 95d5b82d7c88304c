// Plans by shape, kept while they are used. A plan made for certain values of a literal (Plan.pins) is found
// only by a statement with the same ones. Compiles through the function it is given.
import { LRUCache } from 'lru-cache';
import type { Compile, Plan } from '../dialect/plan.ts';
import type { Literal } from '../protocol.ts';
import type { MakeEncoder } from './formats.ts';

/** A plan and what running it has taught. */
export interface PlanEntry {
  readonly plan: Plan;
  /** The engine's parse tree of its SQL has passed the gate. */
  gated: boolean;
  /**
   * The last answer was small: the next is asked for in one go instead of as a stream, which costs a third
   * of a lookup's time. Undefined before the first run.
   */
  small: boolean | undefined;
  /** The quick plan ended out of range: go straight to the exact one. */
  overflowed: boolean;
  /** By output, where the columns' names do not depend on the literals. */
  readonly encoders: Map<string, MakeEncoder>;
}

export interface Plans {
  /** @throws GatewayError of the compiler */
  get(shape: string, literals: readonly Literal[], exact: boolean): PlanEntry;
  readonly size: number;
}

/** What a shape's literals pin is known once one statement of it is compiled; few shapes have several sets. */
interface Pinned {
  readonly pins: readonly number[];
  readonly entries: LRUCache<string, PlanEntry>;
}

const PLANS_A_SHAPE = 64;

export function createPlans(compile: Compile, maxShapes: number): Plans {
  const shapes = new LRUCache<string, Pinned[]>({ max: maxShapes });

  return {
    get(shape, literals, exact) {
      const key = exact ? `x${shape}` : `q${shape}`;
      let sets = shapes.get(key);
      for (const { pins, entries } of sets ?? []) {
        const entry = entries.get(pinnedValues(pins, literals));
        if (entry !== undefined) return entry;
      }
      const plan = compile(shape, literals, { exact });
      const entry: PlanEntry = {
        plan,
        gated: false,
        small: undefined,
        overflowed: false,
        encoders: new Map(),
      };
      if (sets === undefined) {
        sets = [];
        shapes.set(key, sets);
      }
      let set = sets.find(
        ({ pins }) => pins.length === plan.pins.length && pins.every((pin, i) => pin === plan.pins[i]),
      );
      if (set === undefined) {
        set = { pins: plan.pins, entries: new LRUCache({ max: PLANS_A_SHAPE }) };
        sets.push(set);
      }
      set.entries.set(pinnedValues(plan.pins, literals), entry);
      return entry;
    },
    get size() {
      return shapes.size;
    },
  };
}

function pinnedValues(pins: readonly number[], literals: readonly Literal[]): string {
  if (pins.length === 0) return '';
  // Lengths keep ['a,b'] and ['a', 'b'] apart.
  return pins
    .map((index) => {
      const literal = literals[index];
      return literal === undefined ? '-' : `${literal.kind}${literal.text.length}:${literal.text}`;
    })
    .join(',');
}
