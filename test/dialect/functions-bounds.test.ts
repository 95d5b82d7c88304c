// What a stranger may ask of one function call: text without end, patterns that take for ever, JSON without
// bottom. Each ends in a clear refusal or a right answer, in bounded steps, and leaves the engine usable.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { glob, like } from '../../src/dialect/functions/runtime/pattern.ts';
import { repeatedSum } from '../../src/dialect/functions/runtime/repeated-sum.ts';
import { openEngines } from './compile-engines.ts';

const engines = await openEngines(
  'create table dual(x integer primary key) strict; insert into dual values (1), (2), (3);',
);
test.after(() => engines.close());

/** SQLite refuses the most of these too: its own bound is 1,000,000,000 bytes (limits.html section 1). */
const TOO_BIG = [
  `select printf('%1000000000d', 1)`,
  `select printf('%.1000000000d', 1)`,
  `select printf('%,0100000000d', 1)`,
  `select printf('%.1000000000f', 1)`,
  `select printf('%*d', 2000000000, 1)`,
  `select printf('%.999999999c', 'x')`,
  `select printf('%60000000d%60000000d', 1, 1)`,
  `select zeroblob(1000000000)`,
  `select length(printf('%1000000000s', x)) from dual`,
  `with recursive t(n, x) as (select 0, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' union all select n + 1, replace(x, 'a', x) from t where n < 6) select length(x) from t`,
  `select replace(replace(replace(printf('%1000s', ''), ' ', printf('%1000s', '')), ' ', printf('%1000s', '')), ' ', 'ab') is null`,
];
for (const statement of TOO_BIG) {
  test(`too big is refused: ${statement.slice(0, 70)}`, async () => {
    assert.equal(await engines.ours(statement), { error: 'run-failed' });
    assert.ok('rows' in (await engines.ours('select count(*) from dual')));
  });
}

test('JSON nested deeper than SQLite reads is malformed, and no call overflows the stack', async () => {
  const deep = (depth: number): string =>
    `replace(printf('%${depth}s', ''), ' ', '[') || replace(printf('%${depth}s', ''), ' ', ']')`;
  for (const name of ['json', 'json_type', 'json_array_length'])
    assert.equal(await engines.ours(`select ${name}(${deep(100_000)})`), { error: 'run-failed' }, name);
  assert.equal(await engines.ours(`select count(*) from json_tree(${deep(100_000)})`), {
    error: 'run-failed',
  });
  const valid = await engines.ours(`select json_valid(${deep(100_000)}), json_valid(${deep(1900)})`);
  assert.equal('rows' in valid ? valid.rows : valid, [['i:0', 'i:1']]);
  for (const call of [
    "json_set(j, '$[0]', 1)",
    "json_remove(j, '$[0]')",
    'json_patch(j, \'{"a":1}\')',
    'json(j)',
  ]) {
    const answer = await engines.ours(`select length(${call}) > 0 from (select ${deep(1900)} as j)`);
    assert.equal('rows' in answer ? answer.rows : answer, [['i:1']], call);
  }
  const tree = await engines.ours(`select count(*), max(length(fullkey)) from json_tree(${deep(1900)})`);
  assert.equal('rows' in tree ? tree.rows : tree, [['i:1900', 'i:5698']]);
});

test('a pattern of many wildcards takes steps by the product of lengths, and too many are refused', async () => {
  const text = 'a'.repeat(20_000);
  assert.is(like(text, '%a%a%a%a%a%a%a%b', undefined), false);
  assert.is(glob(text, '*a*a*a*a*a*a*a*b'), false);
  assert.throws(() => like('a'.repeat(100_000), `%${'a'.repeat(10_000)}b`, undefined), /too complex/);
  const answer = await engines.ours(
    `select t like '%a%a%a%a%a%a%a%a%b', t glob '*a*a*a*a*a*a*a*a*b', t like '%a%a%' from (select replace(printf('%5000s', ''), ' ', 'a') as t)`,
  );
  assert.equal('rows' in answer ? answer.rows : answer, [['i:0', 'i:0', 'i:1']]);
});

test('a constant that fails does so only where a row asks for it', async () => {
  for (const call of [
    `substr('bad' -> '$', 1, 1)`,
    `length('bad' -> '$')`,
    `('bad' -> '$') like '%x'`,
    `json('bad')`,
  ]) {
    const none = await engines.ours(`select ${call} from dual where x > 9`);
    assert.equal('rows' in none ? none.rows : none, [], call);
    assert.equal(await engines.ours(`select ${call} from dual`), { error: 'run-failed' });
  }
});

test('adding one real very often takes few steps', () => {
  assert.is(repeatedSum(0.1, 10), 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1 + 0.1);
  assert.is(repeatedSum(1, 1e15), 1e15);
  assert.is(repeatedSum(1e308, 1e15), Number.POSITIVE_INFINITY);
});

test('repeated addition rounds as a loop does', () => {
  for (const x of [0.1, -0.1, 1 / 3, 2 ** 53 - 1, 2 ** 53 + 2, 1e-300, 5e-324, 123456.789, -7.77e-5])
    for (const count of [1, 2, 3, 67, 1000, 99_999]) {
      let sum = 0;
      for (let i = 0; i < count; i++) sum += x;
      assert.is(repeatedSum(x, count), sum, `${count} times ${x}`);
    }
});

test.run();
