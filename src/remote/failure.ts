// Trino's errors to ours. Its own words go to the log; a client gets only what says something about the statement.
import { GatewayError, INTERNAL_MESSAGE } from '../base/errors.ts';
import { ELSEWHERE } from '../dialect/not-native.ts';
import { TrinoError, TrinoTooLarge, TrinoUnavailable } from '../trino/client.ts';
import type { Failed, Limits } from '../wire/protocol.ts';
import type { RemoteError } from '../wire/remote.ts';

type Said = Pick<Failed, 'code' | 'message'> & { readonly remote: RemoteError };

const MEMORY: Said = {
  code: 'limit-memory',
  message:
    'the statement needs more memory than its share of the distributed engine: read fewer rows or columns',
  remote: 'memory',
};
const QUEUE: Said = {
  code: 'overloaded',
  message: 'the distributed engine is full; try again',
  remote: 'full',
};
const STARTING: Said = {
  code: 'not-ready',
  message: 'the distributed engine does not answer; try again',
  remote: 'unavailable',
};
const LOST: Said = {
  code: 'not-ready',
  message: 'the distributed engine lost a part of the statement; try again',
  remote: 'lost',
};
const GONE: Said = {
  code: 'not-ready',
  message: 'the table is not in the distributed engine now, or not as it was imported',
  remote: 'gone',
};
const INEXACT: Said = {
  code: 'unsupported',
  message:
    'the distributed engine has no exact answer to it: a value is beyond what it can say as SQLite does',
  remote: 'inexact',
};
const TOO_LARGE: Said = {
  code: 'unsupported',
  message: 'the distributed engine does not plan a statement of so many parts',
  remote: 'inexact',
};

const PROCESSOR: Said = {
  code: 'limit-time',
  message: 'the statement needs more processor time than the distributed engine gives to one',
  remote: 'time',
};
const SCANNED: Said = {
  code: 'run-failed',
  message: 'the statement reads more than the distributed engine lets one read',
  remote: 'size',
};

const BUG: Said = { code: 'internal', message: INTERNAL_MESSAGE, remote: 'internal' };

/** https://github.com/trinodb/trino/blob/476/core/trino-spi/src/main/java/io/trino/spi/StandardErrorCode.java */
const BY_NAME: Readonly<Record<string, Said>> = {
  EXCEEDED_GLOBAL_MEMORY_LIMIT: MEMORY,
  EXCEEDED_LOCAL_MEMORY_LIMIT: MEMORY,
  EXCEEDED_FUNCTION_MEMORY_LIMIT: MEMORY,
  CLUSTER_OUT_OF_MEMORY: MEMORY,
  EXCEEDED_SPILL_LIMIT: MEMORY,
  EXCEEDED_TASK_DESCRIPTOR_STORAGE_CAPACITY: MEMORY,
  OUT_OF_SPILL_SPACE: MEMORY,
  PAGE_TOO_LARGE: MEMORY,
  EXCEEDED_CPU_LIMIT: PROCESSOR,
  EXCEEDED_SCAN_LIMIT: SCANNED,
  QUERY_QUEUE_FULL: QUEUE,
  QUERY_REJECTED: QUEUE,
  GENERIC_INSUFFICIENT_RESOURCES: QUEUE,
  NO_NODES_AVAILABLE: STARTING,
  SERVER_STARTING_UP: STARTING,
  SERVER_SHUTTING_DOWN: STARTING,
  REMOTE_HOST_GONE: LOST,
  REMOTE_TASK_ERROR: LOST,
  REMOTE_TASK_FAILED: LOST,
  REMOTE_TASK_MISMATCH: LOST,
  REMOTE_BUFFER_CLOSE_FAILED: LOST,
  CORRUPT_PAGE: LOST,
  PAGE_TRANSPORT_ERROR: LOST,
  PAGE_TRANSPORT_TIMEOUT: LOST,
  TOO_MANY_REQUESTS_FAILED: LOST,
  ABANDONED_QUERY: LOST,
  ABANDONED_TASK: LOST,
  // By somebody else: what the gateway ends it does not hear of.
  USER_CANCELED: LOST,
  ADMINISTRATIVELY_KILLED: LOST,
  ADMINISTRATIVELY_PREEMPTED: LOST,
  // What nextUri names is not known to a coordinator that was started anew.
  HTTP_404: LOST,
  HTTP_410: LOST,
  CATALOG_NOT_FOUND: GONE,
  CATALOG_NOT_AVAILABLE: GONE,
  CATALOG_UNAVAILABLE: GONE,
  SCHEMA_NOT_FOUND: GONE,
  TABLE_NOT_FOUND: GONE,
  COLUMN_NOT_FOUND: GONE,
  HIVE_CANNOT_OPEN_SPLIT: GONE,
  NUMERIC_VALUE_OUT_OF_RANGE: INEXACT,
  INVALID_CAST_ARGUMENT: INEXACT,
  INVALID_FUNCTION_ARGUMENT: INEXACT,
  DIVISION_BY_ZERO: INEXACT,
  NOT_SUPPORTED: INEXACT,
  UNSUPPORTED_SUBQUERY: INEXACT,
  // SQLite takes the first of them.
  SUBQUERY_MULTIPLE_ROWS: INEXACT,
  COMPILER_ERROR: INEXACT,
  OPTIMIZER_TIMEOUT: TOO_LARGE,
  QUERY_EXCEEDED_COMPILER_LIMIT: TOO_LARGE,
  QUERY_HAS_TOO_MANY_STAGES: TOO_LARGE,
  QUERY_TEXT_TOO_LARGE: TOO_LARGE,
  STACK_OVERFLOW: TOO_LARGE,
  TOO_MANY_ARGUMENTS: TOO_LARGE,
  TOO_MANY_GROUPING_SETS: TOO_LARGE,
};

/** Where Trino's own stack ends outside of its parser, it is an internal error with this text. */
const STACK_OVERFLOW = 'java.lang.StackOverflowError';

/** @param sent a part of the answer is on its way */
export function failedOf(error: unknown, limits: Limits | undefined, sent = false): Failed {
  if (error instanceof GatewayError) {
    const { code, message, hint, token } = error;
    return { ok: false, code, message, hint, token, remote: kindOf(code) };
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (error instanceof TrinoUnavailable) return { ok: false, ...STARTING, detail };
  if (error instanceof TrinoTooLarge) return { ok: false, ...tooLarge(error), detail };
  if (!(error instanceof TrinoError)) return { ok: false, ...BUG, detail };
  if (error.errorName === 'EXCEEDED_TIME_LIMIT') return { ok: false, ...timeLimit(limits), detail };
  const said = detail.includes(ELSEWHERE)
    ? INEXACT
    : detail.includes(STACK_OVERFLOW)
      ? TOO_LARGE
      : BY_NAME[error.errorName];
  if (said === undefined) return { ok: false, ...BUG, detail };
  // Half of an answer is out: no other way of asking would mend it.
  return sent && said === INEXACT
    ? { ...INEXACT, ok: false, code: 'run-failed', message: 'the statement failed while it ran', detail }
    : { ok: false, ...said, detail };
}

/** Of what the gateway says itself: a compiler's refusal, or a limit of rows or bytes. */
function kindOf(code: Failed['code']): RemoteError {
  return code.startsWith('limit-') ? 'size' : 'refused';
}

function tooLarge({ maxBytes }: TrinoTooLarge): Said {
  return {
    code: 'limit-bytes',
    message: `a part of the result has more than the ${maxBytes} bytes that are taken of the distributed engine at once: read fewer rows or columns`,
    remote: 'size',
  };
}

export function timeLimit(limits: Limits | undefined): Said {
  return {
    code: 'limit-time',
    message: `the statement ran longer than the limit of ${limits?.deadlineMs ?? 0} ms`,
    remote: 'time',
  };
}
