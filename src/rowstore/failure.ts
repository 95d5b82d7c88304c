// SQLite's errors as replies. Its messages name what the client wrote, as the reference's do, and nothing of this
// machine; what it says of its own limits is said in the gateway's words.

import { GatewayError, INTERNAL_MESSAGE } from '../base/errors.ts';
import { inReferenceWords, type KnownNames, runningReadStatement } from '../base/reference-words.ts';
import { explainedStatement } from '../dialect/explain.ts';
import type { Failed, QueryJob } from '../wire/protocol.ts';

/** The row lane's own bounds are not the client's: the long lane has the last word. */
const OUTGROWN = /^(?:string or blob too big|out of memory|too many|parser stack overflow)/i;

export function isOutgrown(error: unknown): boolean {
  return error instanceof Error && OUTGROWN.test(error.message);
}

/** A number that JavaScript's do not hold: rows are to be read with bigints. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && /too large to be represented as a JavaScript number/.test(error.message);
}

/** What of a statement is needed to say more about it. */
type Asked = Pick<QueryJob, 'shape' | 'literals'>;

/** @param known what names there are, asked only where one is not */
export function failedOf(error: unknown, known: KnownNames = {}, asked?: Asked): Failed {
  if (error instanceof GatewayError) return told(inReferenceWords(error), asked);
  const detail = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR')
    return { ok: false, code: 'internal', message: INTERNAL_MESSAGE, detail };
  return { ...told(runningReadStatement(detail, known), asked), detail };
}

function told(error: GatewayError, asked: Asked | undefined): Failed {
  const { code, message, hint, token } = asked === undefined ? error : explainedStatement(error, asked);
  return { ok: false, code, message, hint, token };
}
