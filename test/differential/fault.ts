// Whether a judged pair is a fault of ours. A statement that fails on its way is answered by the reference
// with the rows before the failure and by us with a 400: SQLite itself says when that is so.
import { differenceOf } from './differences.ts';
import type { Judged } from './run-cases.ts';
import type { Oracle } from './sqlite-oracle.ts';

export function isFault(judged: Judged, oracle: Oracle): boolean {
  if (judged.verdict === 'same' || judged.verdict === 'order' || judged.verdict === 'beyond') return false;
  if (judged.ours.status === 400 && judged.ours.body.includes('"run-failed"')) {
    const test = typeof judged.test === 'string' ? { statement: judged.test } : judged.test;
    return oracle.answer(test).status === 200;
  }
  return differenceOf(judged) === undefined;
}
