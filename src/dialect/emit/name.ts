// How SQLite compares names: without regard to the case of ASCII letters only.

import type { Template } from '../plan.ts';
import { join, sql } from '../value.ts';

/** The key under which a name is looked up. */
export function nameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** SQLite's three names of a row's number; a column of that name comes first (lang_createtable.html section 5). */
export const ROWID_NAMES: ReadonlySet<string> = new Set(['rowid', 'oid', '_rowid_']);

/** A template as a key of maps: equal templates are equal SQL. */
export function templateKey(template: Template): string {
  if (template.length === 1 && typeof template[0] === 'string') return template[0];
  return JSON.stringify(template);
}

export function templateLength(template: Template): number {
  let length = 0;
  for (const part of template) length += typeof part === 'string' ? part.length : 8;
  return length;
}

/** `(a AND b AND c)`; undefined where there are none. */
export function conjunction(conditions: readonly Template[]): Template | undefined {
  if (conditions.length <= 1) return conditions[0];
  return sql`(${join(conditions, ' AND ')})`;
}
