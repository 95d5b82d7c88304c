// Text and numbers as HTML and SVG. Knows nothing of benchmarks.

export function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** One element; text children are escaped by the caller. */
export function element(name: string, attributes: Attributes = {}, ...children: readonly string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeText(String(value))}"`,
    )
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

/** A tenth of a pixel is enough for any picture. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function compact(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trim(value / 1e9)} G`;
  if (size >= 1e6) return `${trim(value / 1e6)} M`;
  if (size >= 1e4) return `${trim(value / 1e3)} k`;
  return trim(value);
}

function trim(value: number): string {
  if (value === 0) return '0';
  return new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 }).format(value);
}

/** Microseconds, with the unit that keeps the number short. */
export function duration(microseconds: number): string {
  if (microseconds < 1e3) return `${trim(microseconds)} µs`;
  return microseconds < 1e6 ? `${trim(microseconds / 1e3)} ms` : `${trim(microseconds / 1e6)} s`;
}

export function bytes(value: number): string {
  return value >= 2 ** 30 ? `${trim(value / 2 ** 30)} GB` : `${trim(value / 2 ** 20)} MB`;
}
