// What a client would rather have, by the quality values of RFC 9110 section 12.4.2. Knows no media type and no
// coding by name.

interface Range {
  /** Lower case, without parameters. */
  readonly name: string;
  readonly quality: number;
}

/** Nobody has more wishes than this; what comes after them is not read. */
const MAX_RANGES = 64;

/** `a/b;q=0.5, *` as a list. What has no sense as a quality counts as 0: it is not offered. */
export function readRanges(header: string): readonly Range[] {
  const ranges: Range[] = [];
  for (const item of header.split(',', MAX_RANGES)) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (name === '') continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality =
      weight === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
    ranges.push({ name, quality });
  }
  return ranges;
}

/**
 * The offer that fits best: the highest quality, then (where ties are the client's) the range that names it most
 * exactly and the one that came first, then the offer that comes first. The most exact range that fits an offer
 * decides on it.
 * @param offers their names in lower case: any of them asks for it
 * @returns undefined where every offer is refused or none is asked for
 */
export function bestOffer<T>(
  ranges: readonly Range[],
  offers: readonly { readonly value: T; readonly names: readonly string[] }[],
  ties: 'client' | 'server',
): T | undefined {
  let best: { value: T; fit: Fit } | undefined;
  for (const { value, names } of offers)
    for (const name of names) {
      const fit = fitOf(ranges, name);
      if (fit !== undefined && fit.quality > 0 && (best === undefined || isBetter(fit, best.fit, ties)))
        best = { value, fit };
    }
  return best?.value;
}

interface Fit {
  readonly quality: number;
  /** 2: by its own name, 1: by its type, 0: by `*`. */
  readonly exactness: number;
  readonly place: number;
}

function fitOf(ranges: readonly Range[], name: string): Fit | undefined {
  const slash = name.indexOf('/');
  const type = slash < 0 ? undefined : `${name.slice(0, slash)}/*`;
  // Some clients write `*` for any media type too.
  const isAny = (range: string): boolean => range === '*' || (slash >= 0 && range === '*/*');
  let found: Fit | undefined;
  ranges.forEach((range, place) => {
    const exactness = range.name === name ? 2 : isAny(range.name) ? 0 : range.name === type ? 1 : -1;
    if (exactness > (found?.exactness ?? -1)) found = { quality: range.quality, exactness, place };
  });
  return found;
}

function isBetter(one: Fit, other: Fit, ties: 'client' | 'server'): boolean {
  if (one.quality !== other.quality || ties === 'server') return one.quality > other.quality;
  if (one.exactness !== other.exactness) return one.exactness > other.exactness;
  return one.place < other.place;
}
