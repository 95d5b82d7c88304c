// The engine's errors to ours. Its own words go to the log; a client gets only what says something about the
// statement, without paths, SQL that we wrote, or the engine's internals.
import { ERROR_MARK } from '../dialect/functions/engine-functions.ts';
import { GatewayError, INTERNAL_MESSAGE } from '../errors.ts';
import type { Failed, Limits } from '../protocol.ts';
import { inReferenceWords, runningReadStatement } from '../reference-words.ts';
import { CutStreamError } from './engine.ts';
import { NoRoom } from './small-tables.ts';
import type { StopReason } from './watch.ts';

/** The instance cannot be trusted after these. */
const POISON = /INTERNAL Error|FATAL Error|has been invalidated/;
/** The quick plan may end so where SQLite would go on with a real number. */
const OVERFLOW = /^(Out of Range|Conversion) Error/;

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A cut stream may be one: it does not say why. */
export function isOverflow(error: unknown): boolean {
  return error instanceof CutStreamError || OVERFLOW.test(textOf(error));
}

/** Kinds of the engine's errors that say something about the statement's values; others are hidden. */
const SPOKEN = /^(Out of Range|Conversion|Invalid Input|Constraint) Error: ([^\n]*)/;

/** One line of the engine, if it gives nothing away: no names of functions, casts or columns that we made. */
function spoken(text: string): string {
  const line = SPOKEN.exec(text)?.[2] ?? '';
  const clean = line.replace(/\p{Cc}/gu, ' ').slice(0, 200);
  return /[/\\]|\bc\d+\b|UNION|::|LINE \d/.test(clean) ? '' : clean;
}

/** Where it cannot be said why. */
const FAILED: Failed = { ok: false, code: 'run-failed', message: 'the statement failed while it ran' };

/** In the engine's words, and in those of JavaScript where rows are written. */
const MEMORY = /^(Out of Memory Error|std::bad_alloc)|bad allocation|failed to allocate/i;
const BUFFER = /allocation failed|invalid (typed array|string|array buffer) length|2 GiB/i;

const OUT_OF_MEMORY = 'the statement needs more memory than its share: read fewer rows or columns at once';

export function failureOf(
  error: unknown,
  limits: Limits | undefined,
  stopped: StopReason | undefined,
): Failed {
  if (error instanceof GatewayError) {
    const { code, message, hint, token } = inReferenceWords(error);
    return { ok: false, code, message, hint, token };
  }
  const detail = textOf(error);
  if (error instanceof CutStreamError && stopped === undefined) return { ...FAILED, detail };
  if (POISON.test(detail))
    return { ok: false, code: 'internal', message: INTERNAL_MESSAGE, detail, poisoned: true };
  if (stopped !== undefined) return { ...stopFailure(stopped, limits), detail };
  if (error instanceof NoRoom)
    return { ok: false, code: 'elsewhere', elsewhere: 'long', message: error.message };
  const marked = detail.indexOf(ERROR_MARK);
  if (marked >= 0) {
    const said = detail.slice(marked + ERROR_MARK.length).split('\n')[0] ?? '';
    return { ok: false, code: 'run-failed', message: runningReadStatement(said).message, detail };
  }
  if (MEMORY.test(detail) || (error instanceof RangeError && BUFFER.test(error.message)))
    return {
      ok: false,
      code: 'limit-memory',
      message: OUT_OF_MEMORY,
      detail,
    };
  if (/expression depth|recursion|stack overflow|too many columns|Maximum call stack/i.test(detail))
    return {
      ok: false,
      code: 'statement-too-complex',
      message: 'the statement is nested too deep or has too many parts',
      detail,
    };
  if (/^(Parser|Binder|Catalog|Not implemented) Error/.test(detail))
    return {
      ok: false,
      code: 'unsupported',
      message: 'the engine cannot run this statement as it is written; try a simpler form of it',
      detail,
    };
  // A checksum that does not fit, a file that cannot be read: not the statement's fault, and it may be mended.
  if (/^(IO|Serialization) Error/.test(detail))
    return { ok: false, code: 'not-ready', message: 'the snapshot cannot be read at the moment', detail };
  if (/^Permission Error/.test(detail) || !/^[A-Z][A-Za-z -]* Error/.test(detail))
    return { ok: false, code: 'internal', message: INTERNAL_MESSAGE, detail };
  const why = spoken(detail);
  return { ...FAILED, hint: why === '' ? undefined : why, detail };
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
    case 'stalled':
      // Nobody reads this: the client has left, or takes nothing.
      return {
        ok: false,
        code: 'limit-time',
        message: 'the statement was stopped: nobody waits for its answer',
      };
  }
}
