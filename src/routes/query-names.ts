// What names a query: statement and form of the answer. A statement is named at every request, so its shape, the longest
// part, is made into a short name once.

import { formKey, literalKey } from '../answer/asked-rows.ts';
import { createByteCache, createSightings } from '../base/cache.ts';
import { digestOf } from '../base/digest.ts';
import type { QueryJob } from '../wire/protocol.ts';

/** Of shapes whose names are kept, two bytes a character. */
const NAMES_BYTES = 8 * 1024 * 1024;
const NAME_ENTRY_BYTES = 300;
/** Forms that may come again. */
const SIGHTINGS = 10_000;

/** @param build names this build: another one may write the same rows in other bytes */
export function createQueryNames(build: string): (job: QueryJob) => string {
  const names = createByteCache<string>({
    maxBytes: NAMES_BYTES,
    bytesOf: (_, whole) => 2 * whole.length + NAME_ENTRY_BYTES,
  });
  const sightings = createSightings(SIGHTINGS);
  return (job) => {
    const form = formKey(job);
    let name = names.get(form);
    if (name === undefined) {
      name = digestOf([build, form]);
      // Most shapes that are asked once are never asked again.
      if (sightings.again(form)) names.set(form, name);
    }
    for (const literal of job.literals) name += literalKey(literal);
    return name;
  };
}
