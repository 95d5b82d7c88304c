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
      'An unknown `format` is 400 for POST as it is for GET. The reference writes an error and then the rows, with status 200.',
    example: `POST {"statement":"select id from _31337_17 order by id","format":"csv"}`,
    cases: [`POST {"statement":"select id from _31337_17 order by id","format":""}`],
  },
  {
    id: 'post-body',
    reason: 'A body is one JSON object. The reference reads the first value and leaves what follows.',
    example: `POST {"statement":"select id from _31337_17 order by id"} trailing`,
  },
  {
    id: 'receipt-hash',
    reason:
      'A transaction hash is 0x and 64 digits; anything else is 400. The reference looks for it and says 404.',
    example: `GET /receipt/31337/0x12`,
    cases: [`GET /receipt/31337/xyz`],
  },
];

export function differenceOf(judged: Judged): Difference | undefined {
  return DIFFERENCES.find(
    (difference) =>
      difference.example === judged.name ||
      difference.cases?.includes(judged.name) === true ||
      difference.rule?.(judged) === true,
  );
}
