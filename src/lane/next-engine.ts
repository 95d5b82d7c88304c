// Where a statement goes that the lane which it was sent to did not answer: another engine of this machine, or, where
// that is set, the distributed engine, for what the scan lane has not the time or the memory for.
import type { Failed } from '../wire/protocol.ts';
import type { Ticket } from './ticket.ts';

/** What holds for every engine of this machine; of all else that the scan lane says, SQLite has the last word. */
const FINAL: ReadonlySet<Failed['code']> = new Set([
  'limit-time',
  'limit-rows',
  'limit-bytes',
  'extract-columns',
  'overloaded',
]);
/** What the distributed engine says of the answer itself, whoever makes it. */
const OF_THE_ANSWER: ReadonlySet<Failed['code']> = new Set([
  'limit-time',
  'limit-rows',
  'limit-bytes',
  'extract-columns',
]);

/** @param isScan whether the scan lane said it @returns undefined: it is the last word */
export function nextEngine(isScan: boolean, { code, elsewhere }: Failed): Failed['elsewhere'] {
  if (code === 'elsewhere') return isScan ? 'long' : (elsewhere ?? 'long');
  return isScan && !FINAL.has(code) ? 'long' : undefined;
}

/** Whether the distributed engine is to be asked now. Notes that it is. @param reply of the scan lane */
export function fallsOver(ticket: Ticket, reply: Failed): boolean {
  const { code } = reply;
  const isAgain = ticket.fell !== undefined || ticket.gone;
  if (isAgain || (code !== 'limit-time' && code !== 'limit-memory')) return false;
  ticket.fell = reply;
  ticket.why = { reason: 'overflow', why: `it ended in the scan lane: ${code}` };
  if (code === 'limit-memory') ticket.outOfMemory = true;
  return true;
}

/**
 * Of a table that is not there, words that it has not, a cluster that is gone: as if it had not been asked.
 * @param reply of the distributed engine
 * @returns what the scan lane had said; undefined where the reply counts, or the scan lane had not been asked
 */
export function asBefore({ fell }: Ticket, reply: Failed): Failed | undefined {
  return OF_THE_ANSWER.has(reply.code) ? undefined : fell;
}
