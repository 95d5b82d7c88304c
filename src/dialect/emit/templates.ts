// Templates as keys, lengths and conditions.
import type { Template } from '../plan.ts';
import { join, sql } from '../value.ts';

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
