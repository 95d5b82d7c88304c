// Repeatable numbers from a seed: the seed is printed, so that a run's statements can be made again.

/** Uniform in [0, 1). */
export type Random = () => number;

/** The mulberry32 generator: 32 bits of state, good enough to spread requests, not for secrets. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Whole number from min to max, both included. */
export function wholeBetween(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/**
 * The numbers 0 .. size-1 in an order that looks random and repeats none, without keeping them.
 * The step is near the golden ratio of the size, so that neighbours in time are far apart in value.
 */
export function permutation(size: number, seed: number): (index: number) => number {
  let step = Math.max(1, Math.floor(size * 0.6180339887) | 1);
  while (greatestDivisor(step, size) !== 1) step += 2;
  const start = Math.floor(createRandom(seed)() * size);
  // step * index stays a whole number below 2^53 for the sizes of a bench (both below 2^26).
  return (index) => (start + step * (index % size)) % size;
}
