// The JSON functions in JavaScript, by the names under which the SQL calls them (json1.html).

import type { Collation } from '../../value.ts';
import type { EngineFunction } from './engine-function.ts';
import { type Change, edit, editJson, type Mode, patch, remove } from './json-edit.ts';
import { arrowPath, count, lookUp } from './json-path.ts';
import { eachRows, treeRows } from './json-rows.ts';
import { isJson, jsonStart, typeAt, validStart } from './json-scan.ts';
import { minify, quoteText, sqlValue, valueJson } from './json-text.ts';
import { MAX_INTEGER, MIN_INTEGER, type SqlValue } from './number-text.ts';
import { collationKey } from './order.ts';
import { bound } from './text.ts';

const strict = { takesNull: false } as const;
const nullable = { takesNull: true } as const;

/** Where a path leads to in JSON that must be well formed even where the path is NULL; -1: nowhere. */
function find(text: string, path: string | null): number {
  const root = jsonStart(text);
  return path === null ? -1 : lookUp(text, root, path);
}

function extract(text: string | null, path: string | null): SqlValue {
  if (text === null) return null;
  const at = find(text, path);
  return at < 0 ? null : sqlValue(text, at);
}

/** As json_array() would write the extracted SQL value: numbers in SQLite's form, not as they stood. */
function extractJson(text: string | null, path: string | null): string | null {
  if (text === null) return null;
  const at = find(text, path);
  if (at < 0) return null;
  const container = text[at] === '{' || text[at] === '[';
  return container ? minify(text, at) : valueJson(sqlValue(text, at), false);
}

const short = (path: string | null): string | null => (path === null ? null : arrowPath(path));

/** A JSON array or object in the form in which SQLite writes it. */
function looksLikeJson(text: string): boolean {
  if (text[0] !== '{' && text[0] !== '[') return false;
  const start = validStart(text);
  return start === 0 && minify(text, 0) === text;
}

/** Several paths: an array of what they lead to, null where that is nothing. */
function extractMany(text: string | null, ...paths: (string | null)[]): string | null {
  if (text === null) return null;
  const root = jsonStart(text);
  const parts = paths.map((path) => {
    const at = path === null ? -1 : lookUp(text, root, path);
    return at < 0 ? 'null' : minify(text, at);
  });
  return `[${parts.join(',')}]`;
}

function arrow(text: string | null, path: string | null): string | null {
  if (text === null) return null;
  const at = find(text, short(path));
  return at < 0 ? null : minify(text, at);
}

function type(text: string | null, path: string | null): string | null {
  if (text === null) return null;
  const at = find(text, path);
  return at < 0 ? null : typeAt(text, at);
}

function arrayLength(text: string | null, path: string | null): bigint | null {
  if (text === null) return null;
  const at = find(text, path);
  if (at < 0) return null;
  return text[at] === '[' ? BigInt(count(text, at)) : 0n;
}

/** @param flags for each value a `j` where it is JSON, else a `-` */
const editing =
  <T>(mode: Mode, apply: (text: string, mode: Mode, changes: readonly Change[]) => T) =>
  (flags: string, text: string | null, ...rest: SqlValue[]): T | null => {
    if (text === null) return null;
    const changes = [];
    for (let i = 0; i < rest.length; i += 2) {
      const path = rest[i] as string | null;
      // A NULL path leads nowhere.
      if (path !== null) changes.push({ path, value: rest[i + 1]!, json: flags[i / 2] === 'j' });
    }
    return apply(text, mode, changes);
  };

function removing(text: string | null, ...paths: (string | null)[]): string | null {
  if (text === null) return null;
  const known = paths.filter((path) => path !== null);
  return known.length < paths.length ? null : remove(text, known);
}

/** Equal for values that SQLite takes as equal: a real that is a whole number equals the integer. */
function distinctKey(value: Exclude<SqlValue, null>, collation: Collation): string {
  if (typeof value === 'string') return `t${collationKey(value, collation)}`;
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`;
  if (typeof value === 'number' && Number.isInteger(value)) {
    const whole = BigInt(value);
    if (whole >= MIN_INTEGER && whole <= MAX_INTEGER) return `n${whole}`;
  }
  return `n${value}`;
}

/** Items of a JSON list of texts, joined by commas, without those whose key (same place in `keys`) came before. */
function joinDistinct(list: string, keys: string): string | null {
  bound(list.length + keys.length);
  const texts = JSON.parse(list) as readonly string[];
  const marks = JSON.parse(keys) as readonly string[];
  const seen = new Set<string>();
  const kept = texts.filter((_, i) => !seen.has(marks[i]!) && seen.add(marks[i]!));
  return kept.length === 0 ? null : kept.join(',');
}

export const JSON_FUNCTIONS: readonly EngineFunction[] = [
  {
    ...strict,
    name: 'tg_json',
    args: ['text'],
    returns: 'text',
    run: (text: string) => minify(text, jsonStart(text)),
  },
  { ...strict, name: 'tg_json_valid', args: ['text'], returns: 'boolean', run: isJson },
  { ...nullable, name: 'tg_json_extract', args: ['text', 'text'], returns: 'any', run: extract },
  {
    ...nullable,
    name: 'tg_json_extract_many',
    args: ['text'],
    rest: 'text',
    returns: 'text',
    run: extractMany,
  },
  { ...nullable, name: 'tg_json_extract_json', args: ['text', 'text'], returns: 'text', run: extractJson },
  { ...nullable, name: 'tg_json_arrow', args: ['text', 'text'], returns: 'text', run: arrow },
  {
    ...nullable,
    name: 'tg_json_arrow_value',
    args: ['text', 'text'],
    returns: 'any',
    run: (text: string | null, path: string | null) => extract(text, short(path)),
  },
  { ...nullable, name: 'tg_json_type', args: ['text', 'text'], returns: 'text', run: type },
  { ...nullable, name: 'tg_json_array_length', args: ['text', 'text'], returns: 'integer', run: arrayLength },
  ...(['insert', 'replace', 'set'] as const).flatMap((mode): readonly EngineFunction[] => {
    const call = { ...nullable, args: ['text', 'text'], rest: 'any' } as const;
    return [
      { ...call, name: `tg_json_${mode}`, returns: 'any', run: editing(mode, edit) },
      { ...call, name: `tg_json_${mode}_json`, returns: 'text', run: editing(mode, editJson) },
    ];
  }),
  { ...nullable, name: 'tg_json_remove', args: ['text'], rest: 'text', returns: 'text', run: removing },
  { ...strict, name: 'tg_json_patch', args: ['text', 'text'], returns: 'text', run: patch },
  { ...strict, name: 'tg_json_quote', args: ['text'], returns: 'text', run: quoteText },
  {
    ...nullable,
    name: 'tg_json_value',
    args: ['any'],
    returns: 'text',
    run: (value: SqlValue) => valueJson(value, false),
  },
  {
    ...nullable,
    name: 'tg_json_embed',
    args: ['any'],
    returns: 'text',
    run: (value: SqlValue) => valueJson(value, typeof value === 'string' && looksLikeJson(value)),
  },
  { ...strict, name: 'tg_json_each', args: ['text', 'text'], returns: 'text', run: eachRows },
  { ...strict, name: 'tg_json_tree', args: ['text', 'text'], returns: 'text', run: treeRows },
  { ...strict, name: 'tg_distinct_key', args: ['any', 'text'], returns: 'text', run: distinctKey },
  { ...strict, name: 'tg_join_distinct', args: ['text', 'text'], returns: 'text', run: joinDistinct },
];
