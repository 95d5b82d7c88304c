// Where a value leads to: texts that are nothing but an address of a kind that is safe to follow. No DOM.

const LONGEST = 2_000;
const SAFE: ReadonlySet<string> = new Set(['https:', 'ipfs:']);

/** @returns undefined of all else: no script, no data, no other protocol */
export function linkOf(text: string): string | undefined {
  if (text.length > LONGEST || !/^(?:https|ipfs):\/\/[^\s\p{Cc}\p{Cf}]+$/iu.test(text)) return undefined;
  try {
    const url = new URL(text);
    // `https://name@host` leads to a host that it does not look like.
    return SAFE.has(url.protocol) && url.username === '' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
