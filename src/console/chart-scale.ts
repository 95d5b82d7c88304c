// Borders and ticks of a chart's scales. No DOM, no drawing.

/** Steps between ticks where all values are whole: a half of what is counted is none. */
export const WHOLE_STEPS: readonly number[] = Array.from({ length: 13 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();
/** Beyond it a step is no longer found by counting digits. */
const MOST_WHOLE = 1e12;

export function areWhole(values: Iterable<number | null | undefined>): boolean {
  for (const value of values)
    if (typeof value === 'number' && (!Number.isInteger(value) || Math.abs(value) > MOST_WHOLE)) return false;
  return true;
}

/** @param isBar a bar's length is its value: it starts at 0 */
export function linearRange(isBar: boolean, low: number | null, high: number | null): [number, number] {
  if (!isBar) {
    const [min, max] = apart(low ?? 0, high ?? 1);
    const pad = (max - min) * 0.06;
    return [min - pad, max + pad];
  }
  const [min, max] = [Math.min(0, low ?? 0), Math.max(0, high ?? 1)];
  if (min === max) return [0, 1];
  const pad = (max - min) * 0.06;
  return [min === 0 ? 0 : min - pad, max === 0 ? 0 : max + pad];
}

/**
 * Borders far enough apart that steps between them can be counted: near 2^63 doubles stand 1024 apart, and a
 * smaller step would lead nowhere.
 */
function apart(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const least = low === high ? size * 0.1 || 1 : size * 1e-9;
  const lack = Math.max(0, least - (high - low)) / 2;
  return [low - lack, high + lack];
}

/** All that a logarithmic scale has a place for lies between the two. */
export const LEAST_DRAWN = 1e-300;
export const MOST_DRAWN = 1e300;

/** @param isBar bars stand on a power of ten that is at most half of the least of them, so that each has a length */
export function logRange(isBar: boolean, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || low <= 0) return [1, 10];
  const start = isBar ? 10 ** Math.floor(Math.log10(low / 2)) : low;
  const pad = Math.min(1e4, Math.max(1.05, (high / start) ** 0.04));
  return [isBar ? start : start / pad, high * pad];
}

const MOST_TICKS = 8;

/** Powers of ten; 2 and 5 of each where these are few; even steps where there is hardly one. */
export function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high) - Math.log10(low);
  if (decades < 1.3) return evenTicks(low, high);
  const ticks: number[] = [];
  const every = Math.ceil(decades / MOST_TICKS);
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const digit of decades < 3.5 ? [1, 2, 5] : [1]) {
      const tick = Number(`${digit}e${power}`);
      if (power % every === 0 && tick >= low && tick <= high) ticks.push(tick);
    }
  return ticks;
}

/** For numbers with more digits than the drawing library counts. */
export function evenTicks(low: number, high: number): number[] {
  const step = evenStep((high - low) / MOST_TICKS);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Whether there is one with so many digits. */
export function areLong(values: Iterable<number | null | undefined>): boolean {
  for (const value of values) if (typeof value === 'number' && Math.abs(value) > 1e14) return true;
  return false;
}

/** 1, 2 or 5 times a power of ten, and not less. */
function evenStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return (([1, 2, 5].find((step) => step * power >= least) ?? 10) as number) * power;
}

/** @param isPoints points at the borders are seen whole */
export function acrossRange(isPoints: boolean, low: number | null, high: number | null): [number, number] {
  const [min, max] = apart(low ?? 0, high ?? 1);
  const pad = isPoints ? (max - min) * 0.02 : 0;
  return [min - pad, max + pad];
}

/** Few bars are not as wide as the chart. @returns borders of so many places, each 1 wide around a whole number */
export function placeRange(count: number): [number, number] {
  const lack = Math.max(0, 4 - count) / 2;
  return [-0.5 - lack, count - 0.5 + lack];
}

/** Of the labels as many as have room beside each other, at even steps. @param width of the axis, in pixels */
export function labelPlaces(labels: readonly string[], width: number): number[] {
  const widest = labels.reduce((most, label) => Math.max(most, label.length), 0) * 7.2 + 14;
  const step = Math.max(1, Math.ceil(labels.length / Math.max(1, Math.floor(width / widest))));
  return Array.from({ length: Math.ceil(labels.length / step) }, (_, i) => i * step);
}
