// W3C Trace Context (level 1): a request's place in the trace of whoever sent it, or in one of its own. Reports
// nothing to anybody: the ids are for the log and for the client.
import { randomBytes } from 'node:crypto';

/** Version, trace id, parent id, flags; ids of zeros only and version ff are invalid (section 3.2). */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const COUNT_DIGITS = 12;
/** What stands for "created here, and nobody records it". */
const NOT_SAMPLED = '00';

/**
 * Unique without random numbers for each: random starts and a count.
 * @returns a function from the header that came, if one did, to the one of this request itself
 */
export function createTraces(random = randomBytes): (given: string | undefined) => string {
  const traceStart = random(10).toString('hex');
  const spanStart = random(2).toString('hex');
  let count = 0;
  return (given) => {
    const id = (++count).toString(16).padStart(COUNT_DIGITS, '0');
    const parts = given === undefined ? null : TRACEPARENT.exec(given);
    // A version of the future may have more fields after these; version 00 has not.
    if (parts === null || (parts[1] === '00' && parts[4] !== undefined))
      return `00-${traceStart}${id}-${spanStart}${id}-${NOT_SAMPLED}`;
    return `00-${parts[2]}-${spanStart}${id}-${parts[3]}`;
  };
}
