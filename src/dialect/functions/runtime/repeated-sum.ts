// What comes of adding the same real so many times, one after the other: each addition rounds, and the roundings
// are part of SQLite's answer (func.c sumStep).

/**
 * Not a loop of `count` steps: between two powers of two every addition adds the same, since a sum that was rounded
 * on a tie is even.
 */
export function repeatedSum(x: number, count: number): number {
  let sum = 0;
  let left = count;
  while (left > 0) {
    const before = sum;
    sum += x;
    left--;
    if (sum === before || !Number.isFinite(sum)) break;
    const step = sum + x - sum;
    // From an odd sum a tie rounds once to an even one, and only then goes on the same.
    if (sum + step + x - (sum + step) !== step) continue;
    const end = 2 ** (Math.floor(Math.log2(Math.abs(sum))) + 1);
    const steps = Math.min(left, Math.floor((end - Math.abs(sum)) / Math.abs(step)) - 1);
    if (!(steps > 0)) continue;
    sum += step * steps;
    left -= steps;
  }
  return sum;
}
