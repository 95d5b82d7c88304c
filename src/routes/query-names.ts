// What names a query: statement and form of the answer. A statement is named at every request, so its shape, the longest
// part, is made into a short name once.

import { formKey, literalKey } from '../answer/asked-rows.ts';
import { createByteCache } from '../base/cache.ts';
import { digestOf } from '../base/digest.ts';
import type { QueryJob } from '../wire/protocol.ts';

/** Of shapes whose names are kept, two bytes a character. */
const NAMES_BYTES = 8 * 1024 * 1024;
const NAME_ENTRY_BYTES = 300;

/**
 * @param build names this build: another one may write the same rows in other bytes
 * @returns takes whether the shape may have come before: most that are asked once are never asked again
 */
export function createQueryNames(build: string): (job: QueryJob, again: boolean) => string {
  const names = createByteCache<string>({
    maxBytes: NAMES_BYTES,
    bytesOf: (_, shape) => 2 * shape.length + NAME_ENTRY_BYTES,
  });
  return ({ shape, literals, output }, again) => {
    let name = again ? names.get(shape) : undefined;
    if (name === undefined) {
      name = digestOf([build, shape]);
      if (again) names.set(shape, name);
    }
    name += formKey(output);
    for (const literal of literals) name += literalKey(literal);
    return name;
  };
}
