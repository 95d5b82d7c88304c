// The Server-Timing header (W3C Server Timing): where the time of an answer went, for the developer tools of
// whoever asked.
import type { RunTimes } from '../base/observe.ts';
import type { Answer } from './answer.ts';

/** @param totalMs until the answer's head is written */
export function serverTiming({ cache, times }: Answer, totalMs: number): string {
  const kept = cache === undefined ? '' : `cache;desc=${cache}, `;
  const parts =
    times === undefined
      ? ''
      : `queue;dur=${short(times.queueMs)}, plan;dur=${short(times.planMs)}, ` +
        `engine;${nameOf(times)}dur=${short(times.engineMs)}, encode;dur=${short(times.encodeMs)}, `;
  return `${kept}${parts}total;dur=${short(totalMs)}`;
}

/** Which engine, and why that one in a word. */
function nameOf({ engine, reason }: RunTimes): string {
  return engine === undefined ? '' : `desc="${engine}: ${reason}";`;
}

/** To the microsecond. */
function short(ms: number): number {
  return Math.round(Math.max(0, ms) * 1000) / 1000;
}
