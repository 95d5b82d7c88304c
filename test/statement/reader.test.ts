// A statement of a known pattern is read as any other: shape, literals and errors are those of a reader that knows none.
import { randomInt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ParamValue } from '../../src/statement/param.ts';
import { createStatementReader } from '../../src/statement/reader.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { times } from '../support/ring.ts';

const test = suite('reader');
const MAX_BYTES = 35_000;
setFlagsFromString('--expose-gc');

/** The same in every run, but for `TEST_SEED=new`. */
const GIVEN = process.env['TEST_SEED'] ?? '771204';
const seed = GIVEN === 'new' ? randomInt(2 ** 31) : Number(GIVEN);
process.stdout.write(`seed ${seed}\n`);

/** Deterministic for a seed: a linear congruential generator (Numerical Recipes), its upper bits. */
let state = seed >>> 0;
function below(bound: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
}

function outcome(read: () => { readonly shape: string; readonly literals: unknown }): unknown {
  try {
    const { shape, literals } = read();
    return { shape, literals };
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    return { code, message, hint };
  }
}

type Reader = ReturnType<typeof createStatementReader>;

function same(reader: Reader, text: string, params: readonly ParamValue[] = []): void {
  const expected = outcome(() => readStatement(text, params, MAX_BYTES));
  assert.equal(
    outcome(() => reader(text, params)),
    expected,
    text,
  );
}

/** Where `#` stands, a literal; where `~` stands, whatever may stand between two tokens. */
const FORMS = [
  'select * from t_1_1 where id = #',
  'select a.b, #~as c from t_1_1 a where a.id =# and a.x<#~order by 1 limit #',
  'select #~from t where "a = 1"=# or [b = 2] = # -- = 3\n and c = #',
  "select json_object('name', name, #, x) from t where id in (#,#, #)",
  'select /* = 5 */ a from t where b=-# and c =~-~# group by #',
  'select a.# from t where a=#',
  'select a from t where a>#and b<#or c',
  'select a from t where b = # # union select x#, y # from t;',
  "with x as (select 'a' || # as b) select * from x where b = 'it''s' and c = #;  ;",
  'select a from t where é = # and b = "ü#"',
  'select count(*) from t',
  'select a from t where b between # and # and c < #',
  'select * from t.# where .# < a.~#',
  'select * from tt_1_1 order by a limit # offset #',
  '#',
];
const LITERALS = [
  ...['0', '1', '5', '42', '123456789012345678', '9223372036854775807', '9223372036854775808', '0x1F', '0x'],
  ...['1.5', '.5', '5.', '1e3', '1e', '2E-4', '1.e5', '00012', "'abc'", "''", "'it''s'", "'a=1'", "'é'"],
  ...[
    "'😀'",
    "'not closed",
    "x'00ff'",
    "X'AB'",
    "x'0'",
    "x''",
    'null',
    '-1',
    '5and',
    "'a''",
    '1_000',
    '$5',
    '?',
  ],
];
const BETWEEN = ['', ' ', '  ', '\n', '/* x */', '-- y\n'];

function written(form: string): string {
  return form
    .replace(/#/g, () => LITERALS[below(LITERALS.length)] as string)
    .replace(/~/g, () => BETWEEN[below(BETWEEN.length)] as string);
}

test('reads what is of a known pattern as what is of none', () => {
  const reader = createStatementReader(MAX_BYTES);
  for (let round = 0; round < times(40_000, 400_000); round++)
    same(reader, written(FORMS[below(FORMS.length)] as string));
});

test('reads every literal in every place of a pattern that has another one there', () => {
  for (const form of FORMS)
    for (const first of LITERALS) {
      const reader = createStatementReader(MAX_BYTES);
      const text = (literal: string): string => form.replace(/#/g, literal).replace(/~/g, ' ');
      for (let time = 0; time < 3; time++) same(reader, text(first));
      for (const other of LITERALS) same(reader, text(other));
    }
});

test('takes no point of a number for one of a name', () => {
  for (const [first, second] of [
    ['select * from t where x < ..5', 'select * from t where x < .5e3'],
    ["select a.'a' from t", 'select a.1e-3 from t'],
    ['select a..5 from t', 'select a.5.0 from t'],
    ["select a, .'x' from t", 'select a, .5 from t'],
  ] as const) {
    const reader = createStatementReader(MAX_BYTES);
    for (let time = 0; time < 3; time++) same(reader, first);
    same(reader, second);
    same(reader, first);
  }
});

test('keeps shapes and patterns without the texts that they came from', () => {
  const gc = runInNewContext('gc') as () => void;
  const reader = createStatementReader(MAX_BYTES);
  const heap = (): number => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  const fill = (times: number, text: (at: number) => string): number => {
    const before = heap();
    const shapes = Array.from({ length: times }, (_, at) => [reader(text(at), []), reader(text(at), [])]);
    assert.is(shapes.length, times);
    shapes.length = 0;
    return (heap() - before) / 1e6;
  };
  const long = 'x'.repeat(30_000);
  const comments = fill(2_000, (at) => `select column_${at} from table_name /*${long}*/`);
  assert.ok(comments < 20, `${comments} MB for shapes of texts with long comments`);
  const literals = fill(5_000, (at) => `select c_${at} from tables where a = '${long.slice(0, 3_900)}'`);
  assert.ok(literals < 20, `${literals} MB for patterns of texts with long literals`);
});

test('says whether a shape came before, whatever its literals are', () => {
  const reader = createStatementReader(MAX_BYTES);
  const again = (text: string): boolean => reader(text, []).again;
  assert.not(again('select a from t where id = 1'));
  assert.ok(again('select a from t where id = 2'));
  assert.ok(again('select a from t where id = 3'));
  assert.ok(again('select  a from t where id = 4'));
  assert.not(again("select a from t where id = 'x'"));
});

test('takes params, which are no part of a pattern', () => {
  const reader = createStatementReader(MAX_BYTES);
  for (let time = 0; time < 3; time++) {
    same(reader, 'select a from t where id = ?', [5n]);
    same(reader, 'select a from t where id = ?', ['x']);
    same(reader, 'select a from t where id = ?');
    same(reader, 'select a from t where id = 5');
  }
});

test('compares with a few patterns and short ones only', () => {
  const reader = createStatementReader(MAX_BYTES);
  for (let time = 0; time < 3; time++)
    for (let other = 0; other < 100; other++)
      same(reader, `select a from t where a = 1 and c${other} = ${time}`);
  const long = (literal: number): string =>
    `select a from t where b = 1${' or b = 2'.repeat(2_000)} or b = ${literal}`;
  for (let time = 0; time < 3; time++) same(reader, long(time));
  for (let time = 0; time < 3; time++) same(reader, `${long(1).repeat(2)}`);
});

test.run();
