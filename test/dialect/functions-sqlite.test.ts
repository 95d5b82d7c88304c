// Functions that the reference refuses, with every kind of argument in every place over the nasty values: the
// compiled form answers what SQLite (a newer one than the reference's) answers.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, openEngines } from './compile-engines.ts';
import { BEYOND, type Call } from './functions-calls.ts';
import { argument, type Kind, kindsOf, present, valuesScript } from './functions-values.ts';

const engines = await openEngines(valuesScript('v'));
test.after(() => engines.close());

function statementOf(call: Call, kinds: readonly Kind[]): string {
  const tables = kinds.map((_, i) => `x${i}`);
  const value = call.sql(...kinds.map((kind, i) => argument(kind, tables[i] as string)));
  const ids = tables.map((table) => `${table}.id`);
  const where = kinds.map((kind, i) => present(kind, tables[i] as string, true));
  if (kinds.length > 1) where.push(`(${ids.join(' + ')}) % ${kinds.length === 2 ? 3 : 11} = 0`);
  if (call.where !== undefined)
    where.push(call.where(...kinds.map((kind, i) => argument(kind, tables[i] as string))));
  const from = tables.map((table) => `v ${table}`).join(', ');
  return `select ${ids.join(', ')}, ${value} from ${from} where ${where.join(' and ')} order by ${ids.join(', ')}`;
}

/** Through its interface to JavaScript SQLite's texts end at the first NUL. */
function rowsOf(answer: Answer): readonly (readonly string[])[] {
  if ('error' in answer) return [];
  return answer.rows.map((row) =>
    row.map((cell) => (cell.startsWith('t:') ? (cell.split('\0')[0] as string) : cell)),
  );
}

function differences(statement: string, theirs: Answer, ours: Answer): readonly string[] {
  if ('error' in theirs || 'error' in ours)
    return [
      `${statement}\n    SQLite ${JSON.stringify(theirs).slice(0, 200)}\n    ours   ${JSON.stringify(ours).slice(0, 200)}`,
    ];
  const [a, b] = [rowsOf(theirs), rowsOf(ours)];
  const wrong = a.flatMap((row, i) =>
    JSON.stringify(row) === JSON.stringify(b[i])
      ? []
      : [`    ${JSON.stringify(row)} in SQLite\n    ${JSON.stringify(b[i])} here`],
  );
  if (a.length === 0) return [`${statement}\n    has no rows`];
  if (wrong.length === 0 && a.length === b.length) return [];
  return [`${wrong.length} of ${a.length}: ${statement}\n${wrong.slice(0, 3).join('\n')}`];
}

for (const call of BEYOND) {
  test(`${call.name}: all kinds of arguments answer as in SQLite`, async () => {
    const wrong: string[] = [];
    for (const kinds of call.kinds ?? kindsOf(call.sql.length)) {
      const statement = statementOf(call, kinds);
      wrong.push(...differences(statement, engines.sqlite(statement), await engines.ours(statement)));
    }
    assert.is(wrong.length, 0, wrong.join('\n'));
  });
}

test.run();
