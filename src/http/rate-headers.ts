// What a client reads about its rate, under both families of names: RateLimit-* (IETF httpapi drafts, seconds)
// and the reference's X-RateLimit-* (a date). Computes no rates.
import type { Admission } from '../limit/limiter.ts';
import { NO_HEADERS } from './answer.ts';

/** @param nowMs since 1970, for the date */
export function rateHeaders(admission: Admission | undefined, nowMs: number): readonly string[] {
  if (admission === undefined) return NO_HEADERS;
  const limit = String(admission.limit);
  const remaining = String(admission.remaining);
  const resetS = Math.ceil(admission.fullAfterMs / 1000);
  const headers = [
    'RateLimit-Limit',
    limit,
    'RateLimit-Remaining',
    remaining,
    'RateLimit-Reset',
    String(resetS),
    'X-RateLimit-Limit',
    limit,
    'X-RateLimit-Remaining',
    remaining,
    'X-RateLimit-Reset',
    dateText(Math.ceil(nowMs / 1000) + resetS),
  ];
  if (!admission.allowed)
    headers.push('Retry-After', String(Math.max(1, Math.ceil(admission.retryAfterMs / 1000))));
  return headers;
}

let lastSecond = -1;
let lastText = '';

/** As the reference writes it, with `UTC` for `GMT`. Most requests of a moment ask for the same second. */
function dateText(second: number): string {
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(second * 1000).toUTCString().replace('GMT', 'UTC');
  }
  return lastText;
}
