// Entity tags: made from what an answer depends on, compared as RFC 9110 section 13.1.2 says. Knows no routes.
import { digestOf } from '../base/digest.ts';

/**
 * A weak tag, since rows without ORDER BY may come in another order the next time.
 * @param name a digest of all that the answer depends on
 */
export function tagOf(name: string): string {
  return `W/"${name}"`;
}

/** @param parts all that the answer depends on; their borders count (`ab`,`c` is not `a`,`bc`) */
export function entityTag(parts: readonly string[]): string {
  return tagOf(digestOf(parts));
}

/** Whether the tag is in an If-None-Match list. `*` is not taken for a match: it would need a run to be known. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = tag.slice(tag.indexOf('"'));
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === opaque);
}
