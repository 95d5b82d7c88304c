// The engine's errors to ours. Its own words go to the log; a client gets only what says something about the
// statement, without paths, SQL that we wrote, or the engine's internals.

import { GatewayError, INTERNAL_MESSAGE } from '../base/errors.ts';
import { inReferenceWords } from '../base/reference-words.ts';
import { ELSEWHERE, NotNative, TIED } from '../dialect/not-native.ts';
import type { Failed, Limits } from '../wire/protocol.ts';
import { CutStreamError } from './engine.ts';
import { NoRoom } from './small-tables.ts';
import type { StopReason } from './watch.ts';

/** The instance cannot be trusted after these. */
const POISON = /INTERNAL Error|FATAL Error|has been invalidated/;
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** In the engine's words, and in those of JavaScript where rows are written. */
const MEMORY = /^(Out of Memory Error|std::bad_alloc)|bad allocation|failed to allocate/i;
const BUFFER = /allocation failed|invalid (typed array|string|array buffer) length|2 GiB/i;

/**
 * No file is open for what does not fit into memory: see spill.ts. A statement that wanted to open one itself would be
 * told so in other words, before any file system is asked.
 */
const NO_FILE = /^Permission Error: File system LocalFileSystem has been disabled by configuration$/;

const OUT_OF_MEMORY = 'the statement needs more memory than its share: read fewer rows or columns at once';

/** @param sent the answer is on its way: no other engine can begin it anew */
export function failureOf(
  error: unknown,
  limits: Limits | undefined,
  stopped: StopReason | undefined,
  sent = false,
): Failed {
  if (error instanceof GatewayError) {
    const { code, message, hint, token } = inReferenceWords(error);
    return { ok: false, code, message, hint, token };
  }
  if (error instanceof NotNative) return { ok: false, code: 'elsewhere', message: error.what };
  const detail = textOf(error);
  if (POISON.test(detail))
    return { ok: false, code: 'internal', message: INTERNAL_MESSAGE, detail, poisoned: true };
  if (stopped !== undefined) return { ...stopFailure(stopped, limits), detail };
  if (error instanceof NoRoom)
    return { ok: false, code: 'elsewhere', elsewhere: 'long', reason: 'not-native', message: error.message };
  if (
    MEMORY.test(detail) ||
    NO_FILE.test(detail) ||
    (error instanceof RangeError && BUFFER.test(error.message))
  )
    return {
      ok: false,
      code: 'limit-memory',
      message: OUT_OF_MEMORY,
      detail,
    };
  // A checksum that does not fit, a file that cannot be read: not the statement's fault, and it may be mended.
  if (/^(IO|Serialization) Error/.test(detail))
    return { ok: false, code: 'not-ready', message: 'the snapshot cannot be read at the moment', detail };
  const cut = error instanceof CutStreamError;
  if (!cut && (/^Permission Error/.test(detail) || !/^[A-Z][A-Za-z -]* Error/.test(detail)))
    return { ok: false, code: 'internal', message: INTERNAL_MESSAGE, detail };
  if (sent) return { ok: false, code: 'run-failed', message: 'the statement failed while it ran', detail };
  return { ok: false, code: 'elsewhere', reason: 'failed', message: elsewhere(detail), detail };
}

/** Why, in words that say nothing of the SQL that we wrote. */
function elsewhere(detail: string): string {
  if (detail.includes(ELSEWHERE)) return 'a value without native form';
  if (detail.includes(TIED)) return 'rows that are equal by ORDER BY, and come as SQLite finds them';
  const kind = /^([A-Z][A-Za-z -]*) Error/.exec(detail)?.[1];
  return kind === undefined ? 'the stream of rows was cut' : `${kind.toLowerCase()} error`;
}

function stopFailure(stopped: StopReason, limits: Limits | undefined): Failed {
  switch (stopped) {
    case 'deadline':
      return {
        ok: false,
        code: 'limit-time',
        message: `the statement ran longer than the limit of ${limits?.deadlineMs ?? 0} ms`,
      };
    case 'cancelled':
    case 'put-back':
    case 'stalled':
      // Nobody reads this: the client has left, or takes nothing.
      return {
        ok: false,
        code: 'limit-time',
        message: 'the statement was stopped: nobody waits for its answer',
      };
  }
}
