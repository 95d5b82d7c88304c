// Anything that was thrown, as an answer. What is not meant for clients becomes a fixed text.
import { ERRORS, type ErrorCode, GatewayError, INTERNAL_MESSAGE } from '../errors.ts';
import { type Answer, JSON_TYPE } from './answer.ts';

/** Seconds after which a starting gateway may be asked again; a full one says it itself. */
const RETRY_AFTER_S = 1;

export function failureAnswer(error: unknown, headers: readonly string[] = []): Answer {
  if (!(error instanceof GatewayError)) return errorAnswer('internal', INTERNAL_MESSAGE, headers);
  const message = error.code === 'internal' ? INTERNAL_MESSAGE : error.message;
  return errorAnswer(error.code, message, headers, error.retryAfterS);
}

export function errorAnswer(
  code: ErrorCode,
  message: string,
  headers: readonly string[] = [],
  retryAfterS: number = RETRY_AFTER_S,
): Answer {
  const { status } = ERRORS[code];
  const retry = status === 503 ? ['Retry-After', String(retryAfterS)] : [];
  return {
    status,
    headers: [...JSON_TYPE, ...retry, ...headers],
    body: JSON.stringify({ message, code }),
    code,
  };
}
