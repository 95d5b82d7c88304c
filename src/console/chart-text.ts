// Numbers, times and names as charts write them: on axes, in legends and in saved pictures alike. No DOM.

/** `1,234.5`; `9.22e18` where the digits would say less than they hide. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-6))
    return value
      .toExponential(6)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e');
  return Number(value.toPrecision(12)).toLocaleString('en-US', { maximumFractionDigits: 12 });
}

/** ISO 8601, of a time in seconds since 1970: as fine as the steps between times are. */
export function timeText(seconds: number, step: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  if (step >= 365 * DAY) return text.slice(0, 4);
  if (step >= 28 * DAY) return text.slice(0, 7);
  if (step >= DAY) return text.slice(0, 10);
  return step >= 60 ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 19).replace('T', ' ');
}
export const DAY = 86_400;

/** Pixels that the times on an axis need beside each other. @param span of the axis, in seconds */
export function timeSpace(span: number): number {
  if (span > 120 * DAY) return 62;
  return span > 5 * DAY ? 84 : 126;
}

/** The day alone where it is one. */
export function wholeTimeText(seconds: number): string {
  return timeText(seconds, seconds % DAY === 0 ? DAY : seconds % 60 === 0 ? 60 : 1);
}

/** On one line, without what steers a terminal or turns the direction. */
export function plainName(text: string, most: number): string {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const characters = [...plain.slice(0, 4 * most)];
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : plain;
}
