// Whether a judged pair is a fault of ours. A statement that fails on its way is answered by the reference
// with the rows before the failure and by us with a 400: SQLite itself says when that is so.
import { differenceOf } from './differences.ts';
import type { Judged } from './run-cases.ts';
import type { Oracle } from './sqlite-oracle.ts';

export function isFault(judged: Judged, oracle: Oracle): boolean {
  if (judged.verdict === 'same' || judged.verdict === 'order' || judged.verdict === 'beyond') return false;
  const test = typeof judged.test === 'string' ? { statement: judged.test } : judged.test;
  if (judged.ours.status === 400 && judged.ours.body.includes('"run-failed"')) {
    // The engine computes what is constant once, also where no row asks for it: then there is nothing to answer.
    const empty =
      judged.reference.status === 404 ||
      judged.reference.body.includes('"rows":[]') ||
      judged.reference.body.trim() === '[]';
    return !empty && oracle.answer(test).status === 200;
  }
  if (differenceOf(judged) !== undefined) return false;
  // The reference's rows may be only those before a failure; ours need not come upon it in the same order.
  return judged.ours.status !== 200 || oracle.answer(test).status !== 500;
}
