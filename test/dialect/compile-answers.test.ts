// What compiled statements answer, beside SQLite itself on the same data. The reference has its own suite in
// test/differential; this one is quick and goes into corners.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEngines } from './compile-engines.ts';
import { STATEMENTS } from './compile-statements.ts';

const engines = await openEngines();
test.after(() => engines.close());

for (const [category, statements] of Object.entries(STATEMENTS)) {
  test(`${category}: rows, order and refusals are SQLite's`, async () => {
    const wrong: string[] = [];
    for (const statement of statements) {
      const expected = engines.sqlite(statement);
      const actual = await engines.ours(statement);
      const same =
        'elsewhere' in actual ||
        ('error' in expected
          ? 'error' in actual && !actual.error.startsWith('engine: ')
          : 'rows' in actual &&
            'rows' in expected &&
            JSON.stringify(actual.rows) === JSON.stringify(expected.rows));
      if (!same)
        wrong.push(`${statement}\n  SQLite ${JSON.stringify(expected)}\n  ours   ${JSON.stringify(actual)}`);
    }
    assert.is(wrong.length, 0, wrong.join('\n'));
  });
}

test('of equal rows of a compound the one stays that SQLite 3.39 keeps', async () => {
  const rows = async (statement: string): Promise<unknown> => {
    const answer = await engines.ours(statement);
    return 'rows' in answer ? answer.rows.flat() : answer;
  };
  assert.equal(await rows("select 'a' collate nocase union select 'A'"), ['t:A']);
  assert.equal(await rows("select name from nc intersect select 'ALICE'"), ['t:Alice']);
  assert.equal(await rows("select name from nc intersect select 'ALICE' order by 1"), ['t:alice']);
});

test.run();
