// A short name for whatever is long: a digest of texts. Equal names mean equal texts.
import * as crypto from 'node:crypto';

/** @param parts their borders count: `ab`,`c` is not `a`,`bc` */
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
