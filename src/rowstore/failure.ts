// SQLite's errors as replies. Its messages name what the client wrote, as the reference's do, and nothing of this
// machine; what it says of its own limits is said in the gateway's words.
import { GatewayError, INTERNAL_MESSAGE } from '../errors.ts';
import type { Failed } from '../protocol.ts';
import { inReferenceWords, type KnownNames, runningReadStatement } from '../reference-words.ts';

/** The row lane's own bounds are not the client's: the long lane has the last word. */
const OUTGROWN = /^(?:string or blob too big|out of memory|too many|parser stack overflow)/i;

export function isOutgrown(error: unknown): boolean {
  return error instanceof Error && OUTGROWN.test(error.message);
}

/** A number that JavaScript's do not hold: rows are to be read with bigints. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && /too large to be represented as a JavaScript number/.test(error.message);
}

/** @param known what names there are, asked only where one is not */
export function failedOf(error: unknown, known: KnownNames = {}): Failed {
  if (error instanceof GatewayError) {
    const { code, message, hint, token } = inReferenceWords(error);
    return { ok: false, code, message, hint, token };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR')
    return { ok: false, code: 'internal', message: INTERNAL_MESSAGE, detail };
  const { code, message, hint } = runningReadStatement(detail, known);
  return { ok: false, code, message, hint, detail };
}
