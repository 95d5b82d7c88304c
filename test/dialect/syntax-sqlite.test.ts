// The parser against SQLite's: random expressions without parentheses mean the same when written with
// parentheses around everything that we take for an operand, and random token soups are statements to both or
// to neither. A failure prints its seed: run again with SEED=....
import { DatabaseSync } from '@photostructure/sqlite';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { parse } from '../../src/dialect/parse.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { explicit } from './syntax-explicit.ts';

const seed = Number(process.env['SEED'] ?? 20_260_101);
const RUNS = Number(process.env['RUNS'] ?? 3000);

const database = new DatabaseSync(':memory:');
database.exec("create table t(a, b, c); insert into t values (1, 2.5, 'x'); create table u(a, d)");
test.after(() => database.close());

const parsed = (statement: string) => {
  const { shape, literals } = readStatement(statement, [], 35_000);
  return { ...parse(shape, literals), literals };
};

/** What SQLite answers, as text; its errors about values are part of the answer. */
const answer = (statement: string): string => {
  try {
    return JSON.stringify(database.prepare(statement).all());
  } catch (error) {
    return `error: ${(error as Error).message}`;
  }
};

const OPERANDS = [
  '0',
  '1',
  '2',
  '-3',
  "'x'",
  "'1'",
  "''",
  'null',
  'a',
  'b',
  'c',
  'true',
  '2.5',
  'abs(a)',
  'case a when 1 then 2 end',
];
const BETWEEN_OPERANDS = [
  '=',
  '==',
  '<>',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '&',
  '|',
  '<<',
  '>>',
  '||',
  'and',
  'or',
  'is',
  'is not',
  'is distinct from',
  'is not distinct from',
  'like',
  'not like',
  'glob',
  'not glob',
  'collate nocase =',
  'isnull =',
  'notnull and',
  'not null or',
  'in (1, 2) =',
  'not in (1) +',
  'between 0 and',
];
const BEFORE = ['', '', '', '', '-', '+', '~', 'not', 'not not', '- -', 'not -', '- not'];
const AFTER = [
  '',
  '',
  '',
  '',
  '',
  ' collate nocase',
  ' isnull',
  ' notnull',
  ' not null',
  ' in (1,2)',
  ' not in ()',
  ' is null',
  ' between 1 and 2',
  " like 'x' escape '!'",
];

const term = fc.tuple(fc.constantFrom(...BEFORE), fc.constantFrom(...OPERANDS), fc.constantFrom(...AFTER));
const expressions = fc
  .tuple(term, fc.array(fc.tuple(fc.constantFrom(...BETWEEN_OPERANDS), term), { maxLength: 6 }))
  .map(([first, rest]) => {
    const text = ([before, operand, after]: [string, string, string]): string =>
      `${before} ${operand}${after}`;
    return rest.reduce((sofar, [operator, next]) => `${sofar} ${operator} ${text(next)}`, text(first));
  });

test('operators bind as in SQLite', () => {
  let compared = 0;
  fc.assert(
    fc.property(expressions, (expression) => {
      const statement = `select ${expression} as x from t`;
      const theirs = answer(statement);
      // A malformed one (BETWEEN without its AND) must be malformed to both.
      if (/syntax error/.test(theirs)) {
        assert.throws(
          () => parsed(statement),
          (e: unknown) => e instanceof GatewayError,
        );
        return;
      }
      const { select, literals } = parsed(statement);
      if (select.first.type !== 'select') throw new Error('no select');
      const [column] = select.first.columns;
      if (column?.type !== 'expression') throw new Error('no expression');
      assert.is(answer(`select ${explicit(column.expression, literals)} as x from t`), theirs, expression);
      compared++;
    }),
    { seed, numRuns: RUNS },
  );
  assert.ok(compared > RUNS / 3, `only ${compared} were comparable`);
});

const SOUP = [
  'select',
  'from',
  'where',
  'a',
  'b',
  't',
  'u',
  '1',
  "'x'",
  '"a"',
  '[b]',
  ',',
  '(',
  ')',
  '*',
  '.',
  '=',
  '-',
  'and',
  'or',
  'not',
  'in',
  'is',
  'null',
  'as',
  'join',
  'left',
  'on',
  'using',
  'natural',
  'cross',
  'group',
  'by',
  'having',
  'order',
  'desc',
  'nulls',
  'first',
  'limit',
  'offset',
  'union',
  'all',
  'except',
  'values',
  'with',
  'recursive',
  'case',
  'when',
  'then',
  'else',
  'end',
  'cast',
  'between',
  'like',
  'escape',
  'collate',
  'nocase',
  'exists',
  'distinct',
  'filter',
  'over',
  'partition',
  'rows',
  'key',
  'end',
  'row',
  'current',
  'isnull',
  'glob',
  'replace',
  'count',
  '||',
  '->',
  'materialized',
  'indexed',
  'inner',
  'full',
  'outer',
  'no',
  'if',
  'true',
];

const SEEDS = [
  'select a , b from t where a = 1 order by a desc limit 1 offset 2',
  'select t . a x , u . * from t left join u on t . a = u . a',
  'select a from t natural join u join t as x using ( a )',
  'with x as ( select 1 ) select * from x union all values ( 1 )',
  'select count ( a ) filter ( where b ) over ( partition by a order by b rows current row ) from t',
  'select case a when 1 then 2 else 3 end as y , cast ( a as text ) from t',
  'select a between 1 and 2 , a not in ( 1 , 2 ) , a is not null , a like 1 escape 2 from t',
  'select ( select a from u limit 1 ) , exists ( select 1 ) , z . a collate nocase from ( t join u ) , ( t ) as z',
  'select count ( * ) over w from t group by a , b having count ( * ) > 1 window w as ( order by a )',
  'select a from t where ( a , b ) in ( values ( 1 , 2 ) ) order by a nulls first , b',
];

/** A statement with tokens dropped, doubled, swapped or replaced. */
const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(
      fc.tuple(fc.nat(60), fc.constantFrom('drop', 'insert', 'replace', 'swap'), fc.constantFrom(...SOUP)),
      { minLength: 0, maxLength: 3 },
    ),
  )
  .map(([text, edits]) => {
    const tokens = text.split(' ');
    for (const [place, edit, token] of edits) {
      const at = place % tokens.length;
      if (edit === 'drop') tokens.splice(at, 1);
      else if (edit === 'insert') tokens.splice(at, 0, token);
      else if (edit === 'replace') tokens[at] = token;
      else tokens.splice(at, 2, ...tokens.slice(at, at + 2).reverse());
    }
    return tokens.join(' ');
  });

/** Whether SQLite takes a statement; undefined where it refuses it for another reason than its grammar. */
const takes = (statement: string): boolean | undefined => {
  const got = answer(statement);
  if (!got.startsWith('error:')) return true;
  return SYNTAX.test(got) ? false : undefined;
};
const SYNTAX = /syntax error|incomplete input|unknown join type|NATURAL join may not|clause should come/;

test('a statement is one to us where it is one to SQLite', () => {
  let taken = 0;
  fc.assert(
    fc.property(mutated, (statement) => {
      let error: GatewayError | undefined;
      try {
        parsed(statement);
      } catch (e) {
        if (!(e instanceof GatewayError)) throw e;
        error = e;
      }
      // Reads only, and no hints for indexes that are not there: SQLite takes more.
      if (error !== undefined && error.code !== 'statement-syntax') return;
      const theirs = takes(statement);
      if (theirs === undefined) return;
      if (theirs) taken++;
      assert.is(
        error === undefined,
        theirs,
        `${statement}: ${error?.message ?? 'taken'} / ${answer(statement)}`,
      );
    }),
    { seed, numRuns: RUNS },
  );
  assert.ok(taken > RUNS / 50, `SQLite took only ${taken}`);
});

test.run();
