// JSON that a statement puts together of its own texts and of integers, as `'{"a":' || x || '}'`: it is valid whatever the
// integers are, and what stands at a path is known without writing and reading it in each row.
import type { Context } from '../context.ts';
import { computed } from '../operators/computed.ts';
import { known } from '../operators/known.ts';
import { pinnedText } from '../operators/literal.ts';
import { join, partsOf, sql, type Value } from '../value.ts';

/** Texts of so few characters are never nested too deep for SQLite, which takes 1,000 levels (json1.html section 3). */
const MOST_CHARACTERS = 1000;

/**
 * The integer at a path of such a text.
 * @param path of plain names and numbers
 * @returns undefined where the text is put together of anything else, or is none of JSON, or has no integer of a row there
 */
export function integerAt(x: Value, path: string, ctx: Context): Value | undefined {
  const parts = partsOf(x);
  if (parts.length < 2) return undefined;
  let text = '';
  let names = 0;
  for (const [index, part] of parts.entries()) {
    const own = pinnedText(part, ctx);
    if (own !== undefined) text += own;
    else if (part.kind === 'integer') {
      text += `"${nameOf(index)}"`;
      names += 1;
    } else return undefined;
  }
  // The texts themselves may show the same, also where they meet.
  if (text.split(NAME).length - 1 !== names) return undefined;
  const found = member(parseStrictly(text), path);
  const index = parts.findIndex((_, index) => nameOf(index) === found);
  const integer = parts[index];
  if (integer === undefined) return undefined;
  // Whatever else is computed may fail, and then all of it does.
  if (parts.some((part) => part !== integer && !part.simple)) return undefined;
  const others = parts.filter((part) => part !== integer && !part.notNull);
  const whenPresent = others.map((part) => sql`${part.sql} IS NOT NULL`);
  const isAlone = others.length === 0;
  const value = isAlone ? integer.sql : sql`CASE WHEN ${join(whenPresent, ' AND ')} THEN ${integer.sql} END`;
  // Not the integer's own affinity: what comes of JSON has none.
  return { ...computed('integer', value, isAlone && integer.notNull), known: (pin) => known(integer, pin) };
}

/**
 * Stands for the integer of a part, as a string of JSON: next to a digit or a sign, or within a string, where a number would
 * be something else, that is no JSON.
 */
const nameOf = (index: number): string => `${NAME}${index}`;
const NAME = 'integer of part ';

/** Undefined where names repeat or have escapes, which SQLite's versions read each in its own way. */
function parseStrictly(text: string): unknown {
  if (text.length > MOST_CHARACTERS || text.includes('\\')) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return stringsIn(parsed) === text.split('"').length >> 1 ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Names and texts. NaN where a name is an integer's. */
function stringsIn(json: unknown): number {
  if (typeof json === 'string') return 1;
  if (typeof json !== 'object' || json === null) return 0;
  let strings = 0;
  for (const [name, value] of Object.entries(json)) {
    if (name.startsWith(NAME)) return Number.NaN;
    strings += (Array.isArray(json) ? 0 : 1) + stringsIn(value);
  }
  return strings;
}

function member(json: unknown, path: string): unknown {
  let at = json;
  for (const [, name, index] of path.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) !== (index !== undefined))
      return undefined;
    const key = index === undefined ? name! : Number(index);
    at = Object.hasOwn(at, key) ? (at as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return at;
}
