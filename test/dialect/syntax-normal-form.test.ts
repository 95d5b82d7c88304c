// The parser and the canonical text against the reference's own parser (npm @tableland/sqlparser, compiled to
// WebAssembly): what it takes, we take, and print back to the same text. It never frees memory and breaks on
// deep nesting, so it sees this corpus once and nothing else.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalSelect } from '../../src/dialect/canonical-text.ts';
import { nameText } from '../../src/dialect/names.ts';
import { parse } from '../../src/dialect/parse.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { EXPRESSIONS, STATEMENTS } from './syntax-corpus.ts';

interface Oracle {
  normalize(sql: string): Promise<{ statements: string[] }>;
}

// Its types are not where its manifest says, so the compiler is not asked to find them.
const name: string = '@tableland/sqlparser';
const { init } = (await import(name)) as { init(): Promise<void> };
await init();
const oracle = (globalThis as unknown as { sqlparser: Oracle }).sqlparser;

/** Where our text is meant to differ, with the reason. */
const DELIBERATE: ReadonlyMap<string, string> = new Map([
  // `--` starts a comment in SQLite: the reference then runs another statement than was asked.
  ['select - -1 from t', 'select - -1 from t'],
]);

const ours = (statement: string): string => {
  const { shape, literals } = readStatement(statement, [], 35_000);
  return nameText(canonicalSelect(parse(shape, literals).select), literals);
};

const statements = [
  ...EXPRESSIONS.map((expression) => `select ${expression} from t`),
  ...STATEMENTS,
  ...DELIBERATE.keys(),
];

test(`the canonical text of ${statements.length} statements is the reference's`, async () => {
  for (const statement of statements) {
    const [theirs] = (await oracle.normalize(statement)).statements;
    assert.is(ours(statement), DELIBERATE.get(statement) ?? theirs, statement);
  }
});

test('the canonical text is its own canonical text', () => {
  for (const statement of statements) {
    // The reference doubles OUTER each time, and breaks joins in parentheses.
    if (/outer join|join \(u join/.test(statement)) continue;
    const once = ours(statement);
    assert.is(ours(once), once, statement);
  }
});

test.run();
