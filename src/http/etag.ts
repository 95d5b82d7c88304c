// Entity tags: made from what an answer depends on, compared as RFC 9110 section 13.1.2 says. Knows no routes.
import * as crypto from 'node:crypto';

/**
 * A weak tag, since rows without ORDER BY may come in another order the next time.
 * @param parts all that the answer depends on; their borders count (`ab`,`c` is not `a`,`bc`)
 */
export function entityTag(parts: readonly string[]): string {
  return `W/"${digestOf(parts)}"`;
}

/** A short name for the parts; see {@link entityTag}. */
export function digestOf(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  return digest(text);
}

/** The call that makes no object is twice as fast; Node.js has it since 20.12. */
const digest =
  'hash' in crypto
    ? (text: string): string => crypto.hash('sha256', text, 'base64url')
    : (text: string): string => crypto.createHash('sha256').update(text).digest('base64url');

/** Whether the tag is in an If-None-Match list. `*` is not taken for a match: it would need a run to be known. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.slice(tag.indexOf('"'));
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === opaque);
}
