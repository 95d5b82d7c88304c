// The nasty values that functions and operators are tried with, in every place of an argument: one row each, in
// the column of its kind, so that `i`, `t`, `b` are typed columns and coalesce(i, t, b) is of any kind.

const INTEGERS = [
  '0',
  '1',
  '-1',
  '2',
  '5',
  '65',
  '-3',
  '127',
  '55296',
  '1114112',
  '2147483647',
  '-2147483648',
  '4294967297',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775807 - 1',
];
const TEXTS = [
  `''`,
  `' '`,
  `'0'`,
  `'-0'`,
  `'1'`,
  `'0.5'`,
  `'-1.5'`,
  `'2.5e0'`,
  `'1.005'`,
  `'1e3'`,
  `'1e300'`,
  `'-1e-300'`,
  `'123456789.987654321'`,
  `'9223372036854775807'`,
  `'9223372036854775808'`,
  `'-9223372036854775809'`,
  `'12345678901234567890'`,
  `' 12 '`,
  `'+7'`,
  `'.5'`,
  `'5.'`,
  `'5 apples'`,
  `'0x10'`,
  `'inf'`,
  `'a'`,
  `'A'`,
  `'abc'`,
  `'ABC  '`,
  `'  aXbXc'`,
  `'é'`,
  `'Éa'`,
  `'日本語'`,
  `'😀b'`,
  `'a%_c'`,
  `'[a-c]*'`,
  `'it''s "q"'`,
  `'a' || char(0) || 'b'`,
  `char(0)`,
  `'tab' || char(9, 10, 13, 27, 127)`,
  `'{"a":[1,2.5,"x"]}'`,
];
/** The last ones are no UTF-8. */
const BLOBS = [`x''`, `x'00'`, `x'61'`, `x'616263'`, `x'3132'`, `x'c3a9'`, `x'ff'`, `x'e282'`, `x'6100ff'`];
const NO_TEXTS = 3;

export const VALUES: readonly { readonly kind: Kind; readonly sql: string }[] = [
  ...INTEGERS.map((sql) => ({ kind: 'i' as const, sql })),
  ...TEXTS.map((sql) => ({ kind: 't' as const, sql })),
  ...BLOBS.map((sql) => ({ kind: 'b' as const, sql })),
];

/** How an argument is written: a column, an expression of any kind, or one that gives numbers of both kinds. */
export type Kind = 'i' | 't' | 'b' | 'any' | 'number';
export const KINDS: readonly Kind[] = ['i', 't', 'b', 'any', 'number'];

export function argument(kind: Kind, table: string): string {
  if (kind === 'any') return `coalesce(${table}.i, ${table}.t, ${table}.b)`;
  if (kind === 'number') return `(${table}.t + 0)`;
  return `${table}.${kind}`;
}

/**
 * Which rows have a value there; one of them is NULL throughout.
 * @param texts without blobs whose bytes are no text: the engine's texts cannot hold them
 */
export function present(kind: Kind, table: string, texts: boolean): string {
  const last = texts ? VALUES.length - NO_TEXTS : VALUES.length;
  if (kind === 'any') return `${table}.id <= ${last}`;
  if (kind === 'b') return `(${table}.b is not null or ${table}.id = 0) and ${table}.id <= ${last}`;
  return `(${table}.${kind === 'number' ? 't' : kind} is not null or ${table}.id = 0)`;
}

/** @param name of the table */
export function valuesScript(name: string): string {
  const rows = VALUES.map(({ kind, sql }, index) => {
    const cell = (column: Kind): string => (column === kind ? sql : 'null');
    return `(${index + 1}, ${cell('i')}, ${cell('t')}, ${cell('b')})`;
  });
  return `create table ${name}(id integer primary key, i integer, t text, b blob) strict;
    insert into ${name} values (0, null, null, null), ${rows.join(', ')};`;
}

/** All ways to give kinds to so many arguments; of three, every pair of kinds in every two places. */
export function kindsOf(count: number): readonly (readonly Kind[])[] {
  if (count === 0) return [[]];
  if (count < 3) return kindsOf(count - 1).flatMap((before) => KINDS.map((kind) => [...before, kind]));
  return KINDS.flatMap((x, i) => KINDS.map((y, j) => [x, y, KINDS[(i + j) % KINDS.length] as Kind]));
}
