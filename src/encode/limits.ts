// What is said of an answer that passes a bound of its own.
import { GatewayError } from '../base/errors.ts';
import type { Limits } from '../wire/protocol.ts';

export function tooManyRows(limits: Limits): GatewayError {
  return new GatewayError(
    'limit-rows',
    `the result has more rows than the limit of ${limits.maxRows}: use LIMIT`,
  );
}
export function tooManyBytes(limits: Limits): GatewayError {
  return new GatewayError(
    'limit-bytes',
    `the result has more bytes than the limit of ${limits.maxBytes}: read fewer rows or columns`,
  );
}
