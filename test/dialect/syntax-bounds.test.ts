// Bad input to the tokenizer and parser: whatever it is, it ends in a tree or in an error for the client, soon
// and without touching the end of the stack. Prints its seed on failure; run again with SEED=....
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { canonicalSelect } from '../../src/dialect/canonical-text.ts';
import { nameText } from '../../src/dialect/names.ts';
import { parse } from '../../src/dialect/parse.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { EXPRESSIONS, STATEMENTS } from './syntax-corpus.ts';

const seed = Number(process.env['SEED'] ?? 20_260_101);
const MAX_BYTES = 35_000;

/** 'tree', or the code of the error; walks the whole tree as later stages do, by recursion. */
const outcome = (statement: string): string => {
  try {
    const { shape, literals } = readStatement(statement, [], MAX_BYTES);
    nameText(canonicalSelect(parse(shape, literals).select), literals);
    return 'tree';
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
};

/** `unit` as often as it fits into the bytes that a statement may have. */
const filled = (start: string, unit: string, end: string): string =>
  start + unit.repeat(Math.floor((MAX_BYTES - start.length - end.length) / unit.length)) + end;
const nested = (start: string, open: string, middle: string, close: string): string => {
  const times = Math.floor((MAX_BYTES - start.length - middle.length) / (open.length + close.length));
  return start + open.repeat(times) + middle + close.repeat(times);
};

const TOO_COMPLEX: Readonly<Record<string, string>> = {
  parentheses: nested('select ', '(', '1', ')'),
  'open parentheses': filled('select ', '(', ''),
  calls: nested('select ', 'abs(', '1', ')'),
  'thirteen subqueries': `select ${'(select '.repeat(13)}1${')'.repeat(13)}`,
  'thirteen EXISTS': `select ${'exists(select '.repeat(13)}1${')'.repeat(13)}`,
  'thirteen INs': `select ${'1 in (select '.repeat(13)}1${')'.repeat(13)}`,
  subqueries: nested('select ', '(select ', '1', ')'),
  'subqueries in FROM': nested('select * from ', '(select * from ', 't', ')'),
  'EXISTS in EXISTS': nested('select ', 'exists(select ', '1', ')'),
  'common tables in common tables': nested('select ', '(with x as (select 1) select ', '1', ')'),
  CASE: nested('select ', 'case when 1 then ', '1', ' end'),
  'CASE in its condition': nested('select ', 'case when ', '1', ' then 1 end'),
  minuses: filled('select ', '- ', '1'),
  tildes: filled('select ', '~', '1'),
  NOT: filled('select ', 'not ', '1'),
  'mixed prefixes': filled('select ', 'not - ', '1'),
  additions: filled('select 1', '+1', ''),
  arrows: filled('select a', "->'b'", ' from t'),
  concatenations: filled("select 'a'", "||'a'", ''),
  comparisons: filled('select 1', '=1', ''),
  collations: filled('select a', ' collate nocase', ''),
  'IS NULL': filled('select a', ' isnull', ''),
  'BETWEEN in BETWEEN': filled('select a', ' between 1 and 2', ''),
  'IN in IN': nested('select a in ', '(a in ', '(1)', ')'),
  'UNION ALL': filled('select 1', ' union all select 1', ''),
  joins: filled('select 1 from t', ',t', ''),
  'joins in parentheses': nested('select * from ', '(t join ', 't', ')'),
  columns: filled('select 1', ',1', ''),
  arguments: filled('select max(1', ',1', ')'),
  'window in window': nested('select ', 'sum(a) over (order by ', '1', ')'),
  'FILTER in FILTER': nested('select ', 'count(*) filter (where ', '1', ')'),
  'ORDER BY in aggregates': nested('select ', 'count(a order by ', '1', ')'),
  'mixed AND and OR': nested('select ', '(1 and 1 or ', '1', ')'),
};

const WIDE: Readonly<Record<string, string>> = {
  'an IN list': filled('select a from t where a in (1', ',1', ')'),
  ORs: filled('select a from t where a', ' or a', ''),
  ANDs: filled('select a from t where a', ' and a', ''),
  'ORs of comparisons': filled('select a from t where a=1', ' or a=1', ''),
  VALUES: filled('values(1)', ',(1)', ''),
  WHENs: filled('select case a', ' when 1 then 2', ' end from t'),
  'GROUP BY': filled('select a from t group by a', ',a', ''),
  'ORDER BY': filled('select a from t order by a', ',a', ''),
  'common tables': filled('with x as (select 1)', ',x as (select 1)', ' select 1'),
  comments: filled('select 1 ', '/**/', ''),
  spaces: filled('select 1', ' ', ''),
  'one long name': filled('select ', 'a', ''),
  'one long text': filled("select '", 'a', "'"),
  'doubled quotes': filled("select '", "''", "'"),
  'one long blob': filled("select x'", '00', "'"),
  'one long number': filled('select ', '9', ''),
};

const BROKEN: Readonly<Record<string, string>> = {
  'an open text': filled("select '", "''", ''),
  'an open name': filled('select "', '""', ''),
  'an open bracket': filled('select [', 'a', ''),
  'an open comment': filled('select /*', '/*', ''),
  'open CASEs': filled('select ', 'case ', '').slice(0, 500),
  commas: filled('select ', ',', ''),
  dots: filled('select ', '.', ''),
  stars: filled('select ', '*', ''),
  operators: filled('select ', '||', ''),
  'a number that runs on': filled('select ', '1e', ''),
};

for (const [what, statement] of Object.entries(TOO_COMPLEX))
  test(`35,000 bytes of ${what} are too complex`, () => {
    assert.is(outcome(statement), 'statement-too-complex');
  });
for (const [what, statement] of Object.entries(WIDE))
  test(`35,000 bytes of ${what} are read`, () => {
    assert.is(outcome(statement), 'tree');
  });
for (const [what, statement] of Object.entries(BROKEN))
  test(`${what}: a syntax error`, () => {
    assert.is(outcome(statement), 'statement-syntax');
  });

test('what a sane statement needs is inside the bounds', () => {
  assert.is(outcome(`select ${'('.repeat(60)}1${')'.repeat(60)}`), 'tree');
  assert.is(outcome(`select ${'abs('.repeat(60)}1${')'.repeat(60)}`), 'tree');
  assert.is(outcome(`select ${'(select '.repeat(12)}1${')'.repeat(12)}`), 'tree');
  assert.is(outcome(`select a${"||'b'".repeat(200)} from t`), 'tree');
  assert.is(outcome(`select a${'+1'.repeat(200)} from t`), 'tree');
  assert.is(outcome(`select 1${' union all select 1'.repeat(499)}`), 'tree');
  assert.is(outcome(`select 1${',1'.repeat(1999)}`), 'tree');
});

const corpus = [...EXPRESSIONS.map((e) => `select ${e} from t`), ...STATEMENTS];
const CODES = new Set([
  'tree',
  'statement-syntax',
  'statement-missing',
  'statement-not-one',
  'statement-not-a-read',
  'statement-too-complex',
  'statement-too-long',
  'wrong-params',
  'unknown-table',
  'unknown-column',
  'unsupported',
]);
const ends = (statement: string): void => {
  assert.ok(CODES.has(outcome(statement)), statement);
};

test('any text ends in a tree or an error for the client', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), ends), { seed, numRuns: 2000 });
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => ends(`select ${text}`)),
    { seed, numRuns: 2000 },
  );
});

test('any statement of the corpus with characters changed, cut or repeated does too', () => {
  const edit = fc.tuple(fc.nat(400), fc.nat(30), fc.string({ unit: 'binary', maxLength: 3 }));
  fc.assert(
    fc.property(fc.constantFrom(...corpus), fc.array(edit, { minLength: 1, maxLength: 4 }), (text, edits) => {
      let mangled = text;
      for (const [place, length, insert] of edits) {
        const at = place % (mangled.length + 1);
        mangled = mangled.slice(0, at) + insert + mangled.slice(at + length);
      }
      ends(mangled);
      ends(mangled + mangled.slice(7));
    }),
    { seed, numRuns: 5000 },
  );
});

test('a shape read again is the same shape', () => {
  for (const statement of corpus) {
    const { shape, literals } = readStatement(statement, [], MAX_BYTES);
    const spaced = shape.replaceAll(/\?[irtbn]/g, ' ? ').replaceAll(' ', ' \n ');
    if (/["[`]/.test(statement)) continue;
    const params = literals.map((literal) =>
      literal.kind === 'integer' ? 1 : literal.kind === 'real' ? 1.5 : literal.kind === 'null' ? null : 'x',
    );
    assert.is(
      readStatement(spaced, params, MAX_BYTES).shape.replaceAll('?b', '?t'),
      shape.replaceAll('?b', '?t'),
    );
  }
});

test.run();
