// What names the answer to a query: all that it depends on. A statement is named at every request, so its shape,
// the longest part, is made into a short name once.
import { LRUCache } from 'lru-cache';
import type { AskedRows } from '../answer/asked-rows.ts';
import { digestOf } from '../http/etag.ts';
import type { Literal, QueryJob } from '../protocol.ts';

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
  return (snapshot, { shape, literals, output: { format, extract, unwrap } }) => {
    if (of !== snapshot) names.clear();
    of = snapshot;
    const whole = `${format} ${extract} ${unwrap}\n${shape}`;
    let shapeKey = names.get(whole);
    if (shapeKey === undefined) {
      shapeKey = digestOf([build, snapshot, whole]);
      names.set(whole, shapeKey);
    }
    return { shapeKey, key: shapeKey + literalsKey(literals) };
  };
}

/** Lengths stand before texts, so that no two lists have one key. */
function literalsKey(literals: readonly Literal[]): string {
  let key = '';
  for (const { kind, text, source = '' } of literals)
    key += `\n${kind} ${text.length}:${text}${source.length}:${source}`;
  return key;
}
