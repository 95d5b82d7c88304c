// Columns of a result that SQLite itself writes as JSON: valid, without a space between its tokens, so that it can be
// embedded as it is.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Select } from './ast.ts';

/** Their result is JSON whatever they are given, unless that is NULL or an error. */
const JSON_MAKERS: ReadonlySet<string> = new Set([
  'json',
  'json_array',
  'json_object',
  'json_group_array',
  'json_group_object',
]);

/**
 * Indexes of such columns.
 * @param mayHaveBlobs one may pass for SQLite's own form of JSON, which it then writes without a look at all of it
 */
export function madeJson({ first, rest }: Select, mayHaveBlobs: boolean): readonly number[] {
  if (mayHaveBlobs || rest.length > 0 || first.type === 'values') return [];
  // It is not known here how many columns a star is.
  if (first.columns.some(({ type }) => type !== 'expression')) return [];
  return first.columns.flatMap((column, index) =>
    column.type === 'expression' &&
    column.expression.type === 'call' &&
    JSON_MAKERS.has(asciiLower(column.expression.name.text))
      ? [index]
      : [],
  );
}
