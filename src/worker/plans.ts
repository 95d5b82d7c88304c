// Plans by shape, kept while they are used. A plan made for certain values of a literal (Plan.pins) is found
// only by a statement with the same ones. Compiles through the function it is given.
import { type Cache, createShapeCache } from '../base/cache.ts';
import { integerOf } from '../dialect/operators/literal.ts';
import type { Compile, Plan } from '../dialect/plan.ts';
import type { MakeEncoder } from '../encode/formats.ts';
import type { Literal } from '../wire/protocol.ts';

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
  /** By output, where the columns' names do not depend on the literals. */
  readonly encoders: Map<string, MakeEncoder>;
}

export interface Plans {
  /** @throws what the compiler throws */
  get(shape: string, literals: readonly Literal[]): PlanEntry;
  readonly size: number;
}

/** What a shape's literals pin is known once one statement of it is compiled; few shapes have several sets. */
interface Pinned {
  readonly pins: readonly number[];
  readonly entries: Cache<PlanEntry>;
}

const PLANS_A_SHAPE = 64;
/** Of the literals that its plans were made for; one for a longer literal is made anew each time. */
const PINNED_CHARACTERS = 8 * 1024;

export function createPlans(compile: Compile, maxShapes: number): Plans {
  const shapes = createShapeCache<Pinned[]>(maxShapes);

  return {
    get(shape, literals) {
      let sets = shapes.get(shape);
      const large = largeIntegers(literals);
      for (const { pins, entries } of sets ?? []) {
        // Made for integers as they are.
        if (large.some((place) => !pins.includes(place))) continue;
        const entry = entries.get(pinnedValues(pins, literals));
        if (entry !== undefined) return entry;
      }
      const plan = compile(shape, literals);
      const entry = entryOf(plan);
      if (sets === undefined) {
        sets = [];
        shapes.set(shape, sets);
      }
      let set = sets.find(
        ({ pins }) => pins.length === plan.pins.length && pins.every((pin, i) => pin === plan.pins[i]),
      );
      if (set === undefined) {
        set = { pins: plan.pins, entries: createShapeCache<PlanEntry>(PLANS_A_SHAPE, PINNED_CHARACTERS) };
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

/** Places of integers past 64 bits, which are reals: a plan is made for them, or is none of theirs. */
function largeIntegers(literals: readonly Literal[]): readonly number[] {
  const places: number[] = [];
  literals.forEach(({ kind, text }, place) => {
    // As many digits as 2^63 has.
    if (kind !== 'integer' || text.length < 19) return;
    const value = integerOf(text);
    if (value !== BigInt.asIntN(64, value)) places.push(place);
  });
  return places;
}

function entryOf(plan: Plan): PlanEntry {
  return {
    plan,
    gated: false,
    // A row cannot be cut into parts: it is asked for in one go from the first time on.
    small: plan.single === true ? true : undefined,
    encoders: new Map(),
  };
}

function pinnedValues(pins: readonly number[], literals: readonly Literal[]): string {
  if (pins.length === 0) return '';
  // Lengths keep ['a,b'] and ['a', 'b'] apart.
  return pins
    .map((index) => {
      const literal = literals[index];
      return literal === undefined
        ? '-'
        : `${literal.kind}${literal.param === true ? '?' : ''}${literal.text.length}:${literal.text}`;
    })
    .join(',');
}
