// Looks at every answer of a load, cheaply: status, first and last byte, the texts that only the right answer
// has, and the length where all answers are the same. Some answers are kept for a full comparison afterwards.
import type { Ask } from './workload.ts';

export interface Kept {
  readonly statement: string;
  readonly path: string;
  readonly body: string;
}

export interface Verifier {
  /** @returns what is wrong, or undefined. */
  check(ask: Ask, status: number, body: Buffer): string | undefined;
  readonly kept: readonly Kept[];
}

const OPEN = new Set('[{'.split('').map((character) => character.charCodeAt(0)));
const CLOSE = new Set(']}\n'.split('').map((character) => character.charCodeAt(0)));

export function createVerifier(options: { readonly keep: number; readonly constant: boolean }): Verifier {
  const kept: Kept[] = [];
  let seen = 0;
  let nextKept = 0;
  let length = -1;

  const problem = (ask: Ask, status: number, body: Buffer): string | undefined => {
    if (status !== 200) return `status ${status}`;
    if (!OPEN.has(body[0] ?? 0) || !CLOSE.has(body[body.length - 1] ?? 0))
      return 'a body that is no whole JSON';
    for (const proof of ask.proof) if (!body.includes(proof, 0, 'utf8')) return `a body without ${proof}`;
    if (!options.constant) return undefined;
    if (length < 0) length = body.length;
    return body.length === length ? undefined : `${body.length} bytes instead of ${length}`;
  };

  return {
    kept,
    check(ask, status, body) {
      const wrong = problem(ask, status, body);
      if (wrong !== undefined)
        return `${wrong} for ${ask.statement || ask.path}: ${body.toString('utf8', 0, 300)}`;
      // Ever farther apart, so that a long load is seen over its whole length: 1, 2, 4, 8, ...
      if (seen++ === nextKept && kept.length < options.keep) {
        nextKept = nextKept * 2 + 1;
        kept.push({ statement: ask.statement, path: ask.path, body: body.toString('utf8') });
      }
      return undefined;
    },
  };
}
