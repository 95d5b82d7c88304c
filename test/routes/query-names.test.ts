// Names of answers: caches and entity tags go by them, so that two queries must never have one.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createQueryNames } from '../../src/routes/query-names.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Output, QueryJob } from '../../src/wire/protocol.ts';

const test = suite('query names');
const LIMITS = { deadlineMs: 1, maxRows: 1, maxBytes: 1 };
const OBJECTS: Output = { format: 'objects', extract: false, unwrap: false };
const OUTPUTS: readonly Output[] = [
  OBJECTS,
  { ...OBJECTS, extract: true },
  { ...OBJECTS, unwrap: true },
  { ...OBJECTS, extract: true, unwrap: true },
  { ...OBJECTS, format: 'table' },
  { ...OBJECTS, format: 'ndjson' },
];
const STATEMENTS: readonly (readonly [text: string, ...params: (bigint | boolean | string)[]])[] = [
  ...([
    ['select a from t where b = 1'],
    ['select a from t where b = 11'],
    ["select a from t where b = '1'"],
  ] as const),
  ...([
    ['select a from t where b = 1.0'],
    ['select a from t where b = 1 and c = 1'],
    ['select A from t where b = 1'],
  ] as const),
  ...([
    ["select a from t where b = 'x' and c = 'y'"],
    ["select a from t where b = 'x\n4 1:y' and c = ''"],
  ] as const),
  ...([
    ["select a from t where b = '' and c = 'xy'"],
    ["select a from t where b = 'xy' and c = ''"],
  ] as const),
  ...([
    ['select a from t where b = ?', 1n],
    ['select a from t where b = ?', true],
    ['select a from t where b = ?', '1'],
  ] as const),
];

function jobOf([text, ...params]: (typeof STATEMENTS)[number], output: Output): QueryJob {
  return { kind: 'query', ...readStatement(text, params, 35_000), output, limits: LIMITS };
}

test('differ by statement, literals, form of the answer and build', () => {
  const seen = new Map<string, string>();
  for (const build of ['one', 'other']) {
    const nameOf = createQueryNames(build);
    for (const statement of STATEMENTS)
      for (const output of OUTPUTS) {
        const name = nameOf(jobOf(statement, output), true);
        const what = JSON.stringify([build, statement.map(String), output]);
        // The integer 1 as a param is the very query that has it written.
        if (statement[1] === 1n)
          assert.is(name, nameOf(jobOf(['select a from t where b = 1'], output), true));
        else assert.is(seen.get(name), undefined, `${what} is named as ${seen.get(name)}`);
        seen.set(name, what);
      }
  }
});

test('are the same whether the shape came before or not', () => {
  const nameOf = createQueryNames('build');
  for (const statement of STATEMENTS) {
    const job = jobOf(statement, OBJECTS);
    const first = nameOf(job, false);
    for (const again of [true, true, false]) assert.is(nameOf(job, again), first);
  }
});

test.run();
