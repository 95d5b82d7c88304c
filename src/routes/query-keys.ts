// What names the answer to a query: all that it depends on. A statement is named at every request, so its shape,
// the longest part, is made into a short name once.
import { LRUCache } from 'lru-cache';
import { type AskedRows, formKey, literalKey } from '../answer/asked-rows.ts';
import { digestOf } from '../http/etag.ts';
import type { QueryJob } from '../protocol.ts';

export type QueryKeys = (snapshot: string, job: QueryJob) => Pick<AskedRows, 'key' | 'shapeKey'>;

/** Of shapes whose names are kept, two bytes a character. */
const NAMES_BYTES = 8 * 1024 * 1024;
const NAME_ENTRY_BYTES = 300;

/** @param build names this build: another one may write the same rows in other bytes */
export function createQueryKeys(build: string): QueryKeys {
  const names = new LRUCache<string, string>({
    maxSize: NAMES_BYTES,
    sizeCalculation: (_, whole) => 2 * whole.length + NAME_ENTRY_BYTES,
  });
  let of = '';
  return (snapshot, job) => {
    if (of !== snapshot) names.clear();
    of = snapshot;
    const whole = formKey(job);
    let shapeKey = names.get(whole);
    if (shapeKey === undefined) {
      shapeKey = digestOf([build, snapshot, whole]);
      names.set(whole, shapeKey);
    }
    let key = shapeKey;
    for (const literal of job.literals) key += literalKey(literal);
    return { shapeKey, key };
  };
}
