// From values to pixels: linear, logarithmic, and the percentile axis on which tails are not squeezed.

export interface Axis {
  /** 0 at the start of the axis, 1 at its end. */
  readonly place: (value: number) => number;
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
}

type Format = (value: number) => string;

/** Steps of 1, 2 or 5 times a power of ten. */
export function linearAxis(max: number, format: Format, wanted = 5): Axis {
  const top = max > 0 ? max : 1;
  const rough = top / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const end = Math.ceil(top / step) * step;
  const ticks = Array.from({ length: Math.round(end / step) + 1 }, (_, index) => index * step);
  return {
    place: (value) => value / end,
    ticks: ticks.map((value) => ({ value, label: format(value) })),
  };
}

export function logAxis(values: readonly number[], format: Format): Axis {
  const known = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...known, Infinity)));
  const high = Math.ceil(Math.log10(Math.max(...known, 0)));
  const from = Number.isFinite(low) ? low : 0;
  const to = Number.isFinite(high) && high > from ? high : from + 1;
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  return {
    place: (value) => (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from),
    ticks: ticks.map((value) => ({ value, label: format(value) })),
  };
}

/** A place for each value, all equally far apart: connections, rates. */
export function stepAxis(values: readonly number[], format: Format): Axis {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const last = Math.max(1, sorted.length - 1);
  return {
    place: (value) => Math.max(0, sorted.indexOf(value)) / last,
    ticks: sorted.map((value) => ({ value, label: format(value) })),
  };
}

/** 50 %, 90 %, 99 %, 99.9 %: each nine as wide as the last. */
export function percentileAxis(): Axis {
  const nines = (percentile: number): number => -Math.log10(1 - percentile / 100);
  const end = nines(99.99);
  return {
    place: (percentile) => nines(percentile) / end,
    ticks: [0, 50, 75, 90, 95, 99, 99.9, 99.99].map((value) => ({ value, label: `${value}` })),
  };
}
