// What a function takes its arguments for, where that decides how they are written for SQLite.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Name } from './ast.ts';
import type { Operand } from './canonical-writer.ts';
import { SUBSTRINGS } from './function-kinds.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** LIKE and GLOB as functions. */
const MATCHERS = words('like glob');
const TEXT_FUNCTIONS = words('concat concat_ws hex instr length lower ltrim replace rtrim trim upper');
/** Of equal values, these have to be found before they become texts where they are DISTINCT. */
const TEXT_AGGREGATES = words('group_concat string_agg');
const JSON_VALUES = words('json_array json_group_array json_quote');
/** Every second argument is a value: of a name, or, behind the document, of a path. */
const JSON_PAIRS = words('json_group_object json_object');
const JSON_CHANGES = words('json_array_insert json_insert json_replace json_set');

export function operandOf({ text }: Name, distinct: boolean, index: number): Operand | undefined {
  const name = asciiLower(text);
  if (SUBSTRINGS.has(name)) return index === 0 ? 'text' : 'place';
  if (MATCHERS.has(name)) return 'like';
  if (TEXT_FUNCTIONS.has(name)) return 'text';
  if (distinct) return undefined;
  if (TEXT_AGGREGATES.has(name)) return 'text';
  if (JSON_VALUES.has(name)) return 'json';
  if (JSON_PAIRS.has(name)) return index % 2 === 1 ? 'json' : undefined;
  return JSON_CHANGES.has(name) && index > 0 && index % 2 === 0 ? 'json' : undefined;
}
