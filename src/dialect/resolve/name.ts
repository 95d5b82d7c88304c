// How SQLite compares names: without regard to the case of ASCII letters only.

import { asciiLower } from '../../base/ascii-lower.ts';
/** The key under which a name is looked up. */
export function nameKey(name: string): string {
  return asciiLower(name);
}

/** SQLite's three names of a row's number; a column of that name comes first (lang_createtable.html section 5). */
export const ROWID_NAMES: ReadonlySet<string> = new Set(['rowid', 'oid', '_rowid_']);
