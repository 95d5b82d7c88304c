// Every kind of answer that is not the reference's on purpose, with the reason and the cases of the written
// corpus that show it. The suite fails on a difference that is not here and on an entry that is none any
// more; docs/COMPATIBILITY.md has a section for each.
import type { Judged } from './run-cases.ts';

export interface Difference {
  /** Short and stable; the docs' heading carries it. */
  readonly id: string;
  readonly reason: string;
  /** A case of the corpus that shows it (see nameOf); the docs show it too. */
  readonly example: string;
  /** Further cases, by name. */
  readonly cases?: readonly string[];
  /** Whether a judged case is of this kind, where they cannot all be named: generated statements. */
  readonly rule?: (judged: Judged) => boolean;
}

const refusedAs = (judged: Judged, code: string): boolean =>
  judged.ours.status === 400 && judged.ours.body.includes(`"${code}"`);

/** Numbers in a body, however they are written. */
const NUMBERS = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** All else is the same, and each number by a part in 10^13. */
function differsInLastDigits({ ours, reference }: Judged): boolean {
  return isNear(ours.body, reference.body, 1e-13);
}

/** The same, where 3.39 wrote 15 digits. */
function differsInDigits({ ours, reference }: Judged): boolean {
  return /\d[.e]/.test(ours.body) && isNear(ours.body, reference.body, 1e-14);
}

function isNear(left: string, right: string, bound: number): boolean {
  if (left.replace(NUMBERS, '') !== right.replace(NUMBERS, '')) return false;
  const others = right.match(NUMBERS) ?? [];
  return (left.match(NUMBERS) ?? []).every((text, i) => {
    const [one, other] = [Number(text), Number(others[i])];
    return one === other || Math.abs(one - other) <= bound * Math.max(Math.abs(one), Math.abs(other));
  });
}

export const DIFFERENCES: readonly Difference[] = [
  {
    id: 'run-failed',
    reason:
      'A statement that fails while it runs is refused with 400. The reference answers 200 with the rows before the failure, so a cut-off result looks whole.',
    example: `select sum(i) from numbers_31337_15 where i in (9223372036854775807, 1)`,
    rule: (judged) => refusedAs(judged, 'run-failed') && judged.reference.status === 200,
    cases: [`select 'a' match 'a' from one_31337_16`],
  },
  {
    id: 'double-minus',
    reason:
      'The reference writes `- -5` without the blank before it hands the statement to SQLite, where `--` starts a comment: the rest of the statement is dropped.',
    example: `select x from one_31337_16 where x = 1 - -5`,
  },
  {
    id: 'reals-as-text',
    rule: (judged) => differsInDigits(judged),
    reason:
      'Where the columns of a result put a real into a text (`||`, CAST, LIKE, functions of texts and of JSON), 3.39 gives it 15 digits, and so does this gateway for columns of tables, arithmetic, aggregates and mathematical functions. Elsewhere, in conditions, subqueries, `quote` and DISTINCT aggregates, it has as many as it takes to read the same number again (SQLite since 3.43). `printf` computes with more digits, and puts commas into reals too.',
    example: `select printf('%.3f', i) as p from vals_31337_2 order by id`,
    cases: [
      `select printf('%.20f|%!.20f', '0.1', '0.1') as p from one_31337_16`,
      `select printf('%,d|%,d|%,.2f', -1234567, 123, '1234567.891') as p from one_31337_16`,
      `select quote(null), quote('it''s'), quote(x'00ff'), quote(5), quote('1.5' + 0), quote('1e20' + 0), quote('1.0' + 0), quote('1e-5' + 0), quote('0.1' + '0.2') from one_31337_16`,
      `select json_extract(j, '$.a') + 1 as p, json_extract(j, '$.a') || 'x' as c from json_31337_4 where json_valid(j) order by id`,
    ],
  },
  {
    id: 'sums-of-reals',
    rule: (judged) => /\b(sum|avg|total)\(/i.test(judged.name) && differsInLastDigits(judged),
    reason:
      'Sums, averages and totals of reals keep what each addition loses (Kahan and Babuska, SQLite since 3.43), so their last digits are right; 3.39 lets the errors add up.',
    example: `select sum('0.1') from big_31337_13`,
    cases: [
      `select total(i), avg(i) from vals_31337_2`,
      `select sum(amount / '3.0'), avg(amount / '7.0') from big_31337_13`,
    ],
  },
  {
    id: 'json-of-blobs',
    reason:
      "A blob that is JSON in SQLite's binary form may stand for it (since 3.45), and what JSON has no words for is written so that it can be read: an infinite number as 9e999, a NULL name of an object left out. 3.39 refuses the one and writes broken JSON for the other.",
    example: `select json_quote(x'00') from one_31337_16`,
    cases: [
      `select json_array(x'00') from one_31337_16`,
      `select json_array(9007199254740993, -9223372036854775808, true, '1e20' + 0, '1.0' + 0, '1e400' + 0) from one_31337_16`,
      `select json_group_object(k, value) from keys_31337_8`,
    ],
  },
  {
    id: 'json-paths',
    rule: (judged) => /json_(set|insert|replace)\(.*, '\$('|.*\[#\])/i.test(judged.name),
    reason:
      '`->` takes a negative number for a place from the end, json_set() may replace the whole document by a text and begin a list with `[#]` (SQLite since 3.47); 3.39 finds nothing for the first, gives a number for the second and leaves the third as it was.',
    example: `select id, j -> -1 from json_31337_4 where json_valid(j) order by id`,
    cases: [
      `select json_insert('{}', '$.a[#]', 1), json_set('{"a":[1]}', '$.a[#]', 2) from one_31337_16`,
      `select json_set('{"a":1}', '$.a', 2, '$.b', 'x', '$.c.d', 1), json_set('[1]', '$[0]', null, '$[#]', 5), json_set('{"a":1}', '$', 5), json_set('{}', '$.x.y', 1) from one_31337_16`,
    ],
  },
  {
    id: 'affinity-of-compounds',
    reason:
      'A column of a compound subquery has the affinity of none of its terms where these differ (SQLite since 3.41); 3.39 compares each term by its own.',
    example: `select y from (select x as y from one_31337_16 union all select '1' from one_31337_16) where y = '1'`,
  },
  {
    id: 'params-are-values',
    reason:
      'A param is a value and never part of the statement. The reference pastes its text in, so a quote in it ends the text: an injection.',
    example: `select id from vals_31337_2 where t = ? {"params":["'x' or 1=1 --'"]}`,
  },
  {
    id: 'engine-tables',
    reason:
      "SQLite's own tables and pragma functions, and the reference's list of migrations, show the server's inside and are not served.",
    example: `select name from sqlite_master limit 1`,
    cases: [
      `select name from sqlite_schema limit 1`,
      `select * from sqlite_sequence`,
      `select * from schema_migrations`,
      `select * from pragma_database_list`,
    ],
  },
  {
    id: 'json-lines-type',
    reason:
      'More than one unwrapped row is `application/jsonl+json`. The reference means to say so, but sets the header after the head is sent.',
    example: `select v from _31337_17 order by id {"extract":"true","unwrap":"true"}`,
    rule: (judged) => judged.why === 'type application/jsonl+json for application/json',
  },
  {
    id: 'post-format',
    reason:
      'An unknown `format` is 400 for POST as it is for GET, and one of this gateway is answered. The reference writes an error and then the rows, with status 200.',
    example: `POST {"statement":"select id from _31337_17 order by id","format":"xml"}`,
    cases: [
      `POST {"statement":"select id from _31337_17 order by id","format":"csv"}`,
      `POST {"statement":"select id from _31337_17 order by id","format":""}`,
    ],
  },
  {
    id: 'post-body',
    reason: 'A body is one JSON object. The reference reads the first value and leaves what follows.',
    example: `POST {"statement":"select id from _31337_17 order by id"} trailing`,
  },
];

export function differenceOf(judged: Judged): Difference | undefined {
  return (
    DIFFERENCES.find(
      ({ example, cases }) => example === judged.name || cases?.includes(judged.name) === true,
    ) ?? DIFFERENCES.find(({ rule }) => rule?.(judged) === true)
  );
}
