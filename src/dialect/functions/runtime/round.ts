// round(X, Y) as func.c roundFunc does it: half away from zero for whole numbers, else through printf's digits.
import { readReal } from './number-text.ts';
import { formatReal } from './real-format.ts';

const NO_FRACTION = 4503599627370496;

export function roundTo(value: number, digits: bigint): number {
  if (value < -NO_FRACTION || value > NO_FRACTION) return value;
  const places = Math.min(Math.max(Number(BigInt.asIntN(32, digits)), 0), 30);
  // Adding 0 turns -0 into 0, which a conversion through an integer gives in C.
  if (places === 0) return Math.trunc(value + (value < 0 ? -0.5 : 0.5)) + 0;
  return readReal(formatReal(value, { conversion: 'f', precision: places })).value;
}
