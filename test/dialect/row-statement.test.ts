// The text that SQLite is given of a shape: small integers and names are a part of it, all else is bound. What it was for
// other literals is kept, and must never be taken for these.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fillStatement, type RowStatement, rowStatement } from '../../src/dialect/row-statement.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Literal } from '../../src/wire/protocol.ts';

const test = suite('row statement');
const COLUMNS = { columns: new Set(['a', 'b', 'c']), blobs: new Set<string>() };

function read(text: string): { readonly statement: RowStatement; readonly literals: readonly Literal[] } {
  const { shape, literals } = readStatement(text, [], 35_000);
  return { statement: rowStatement(shape, literals, () => COLUMNS), literals };
}

/** Each is filled as the first one's shape after the others were, and as a shape of its own. */
function filledAlike(texts: readonly string[]): void {
  const [first = ''] = texts;
  const { statement } = read(first);
  for (const text of [...texts, ...texts.toReversed(), ...texts]) {
    const own = read(text);
    assert.equal(fillStatement(statement, own.literals), fillStatement(own.statement, own.literals), text);
  }
}

test('is filled with the literals at hand, whichever were there before', () => {
  filledAlike(['select a from t where a = 1 and b = 5', 'select a from t where a = 5 and b = 1']);
  filledAlike([
    'select a from t where a = 0 and b = 1',
    'select a from t where a = 1 and b = 0',
    'select a from t where a = 7 and b = 8',
    'select a from t where a = 1 and b = 1',
    'select a from t where a = 99999999999999999999 and b = 1',
  ]);
  filledAlike([
    "select json_object('n', a, 'm', b) from t where c = 'x'",
    "select json_object('m', a, 'n', b) from t where c = 'x'",
    "select json_object('n', a, 'm', b) from t where c = 'n'",
    "select json_object('it''s', a, '', b) from t where c = ''",
  ]);
  filledAlike(["select a -> 'x' from t", "select a -> '1' from t", "select a -> '$.x' from t"]);
  filledAlike(['select 1.5, a from t', 'select 1.50, a from t', 'select 15e-1, a from t']);
});

test('tells params from what is written, where they show in names', () => {
  const shape = readStatement('select ?', [1n], 35_000).shape;
  const { statement } = read('select 1');
  assert.is(shape, readStatement('select 1', [], 35_000).shape);
  for (const value of [1n, true, 1n, true]) {
    const { literals } = readStatement('select ?', [value], 35_000);
    const own = rowStatement(shape, literals, () => COLUMNS);
    assert.equal(fillStatement(statement, literals), fillStatement(own, literals), String(value));
  }
});

test('keeps no text with long literals', () => {
  const long = (letter: string): string => `select '${letter.repeat(5_000)}' as a, b from t`;
  filledAlike([long('x'), long('y'), long('x')]);
});

test('is one text for all values that are bound', () => {
  const { statement, literals } = read('select a from t where a = 7 and b = 8');
  const other = read('select a from t where a = 9 and b = 10');
  assert.equal(fillStatement(statement, literals), {
    sql: 'select a from t where a=? and b=?',
    values: [7n, 8n],
  });
  assert.is(fillStatement(statement, literals).sql, fillStatement(statement, other.literals).sql);
});

test.run();
