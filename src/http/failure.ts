// Anything that was thrown, as an answer. What is not meant for clients becomes a fixed text.
import { ERRORS, type ErrorCode, GatewayError, INTERNAL_MESSAGE } from '../base/errors.ts';
import { type Answer, JSON_TYPE } from './answer.ts';

/** Seconds after which a starting gateway may be asked again; a full one says it itself. */
const RETRY_AFTER_S = 1;

export interface ErrorParts {
  readonly headers?: readonly string[];
  readonly hint?: string | undefined;
  readonly retryAfterS?: number | undefined;
}

export function failureAnswer(error: unknown): Answer {
  if (!(error instanceof GatewayError) || error.code === 'internal')
    return errorAnswer('internal', INTERNAL_MESSAGE);
  return errorAnswer(error.code, error.message, error);
}

export function errorAnswer(
  code: ErrorCode,
  message: string,
  { headers = [], hint, retryAfterS = RETRY_AFTER_S }: ErrorParts = {},
): Answer {
  const { status } = ERRORS[code];
  const retry = status === 503 ? ['Retry-After', String(retryAfterS)] : [];
  return {
    status,
    headers: [...JSON_TYPE, ...retry, ...headers],
    body: JSON.stringify({ message, code, hint }),
    code,
  };
}
