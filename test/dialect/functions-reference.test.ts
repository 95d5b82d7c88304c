// Every function and operator of the reference's allow-list with every kind of argument in every place, over a
// table of nasty values: the compiled form answers what the reference itself answers, bit by bit.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBesideReference } from './beside-reference.ts';
import { CALLS, type Call } from './functions-calls.ts';
import { argument, type Kind, kindsOf, present, valuesScript } from './functions-values.ts';

const TABLE = 'values_31337_1';
const beside = await openBesideReference(valuesScript(TABLE), 'values');
const { engines } = beside;
test.after(() => beside.close());

type Rows = readonly (readonly unknown[])[];

async function expected(statement: string): Promise<Rows | string> {
  const { status, text } = await beside.ask(statement);
  if (status !== 200) return `${status} ${text}`;
  return (JSON.parse(text) as { rows: Rows }).rows;
}

async function actual(statement: string): Promise<Rows | string> {
  const answer = await engines.ours(statement);
  if ('error' in answer) return answer.error;
  return answer.rows.map((row) =>
    row.map((cell) =>
      cell === 'null' ? null : cell.startsWith('i:') ? Number(cell.slice(2)) : cell.slice(2),
    ),
  );
}

const ALIASES = ['x', 'y', 'z'];
/** Of three arguments the last takes a few values only, so that a statement stays at some thousand rows. */
const FEW = 'z.id in (0, 1, 2, 3, 4, 7, 17, 25, 26, 32, 41, 42, 48, 58, 59, 61)';

function statementOf(call: Call, kinds: readonly Kind[]): string {
  const tables = kinds.map((_, i) => ALIASES[i] as string);
  const value = call.sql(...kinds.map((kind, i) => argument(kind, tables[i] as string)));
  const where = kinds.map((kind, i) => present(kind, tables[i] as string, call.texts === true));
  if (kinds.length === 3) where.push(FEW);
  // A part of the pairs in every run, all of them where time is of no matter: some minutes.
  if (process.env['TABLEGATE_ALL_PAIRS'] === undefined && kinds.length > 1)
    where.push(`(${tables.map((table) => `${table}.id`).join(' + ')}) % ${kinds.length === 2 ? 3 : 11} = 0`);
  const ids = tables.map((table) => `${table}.id`).join(', ');
  // quote() and typeof() tell what JSON does not: 1 from 1.0, a text from a blob, what follows a NUL.
  return `select ${ids}, typeof(${value}), quote(${value}), hex(${value}) from ${tables
    .map((table) => `${TABLE} ${table}`)
    .join(', ')} where ${where.join(' and ')} order by ${ids}`;
}

for (const call of CALLS) {
  test(`${call.name}: all kinds of arguments answer as in the reference`, async () => {
    const wrong: string[] = [];
    for (const kinds of call.kinds ?? kindsOf(call.sql.length)) {
      const statement = statementOf(call, kinds);
      const theirs = await expected(statement);
      const ours = await actual(statement);
      if (typeof theirs === 'string' || typeof ours === 'string') {
        wrong.push(`${statement}\n    ${String(theirs).slice(0, 200)}\n    ${String(ours).slice(0, 200)}`);
        continue;
      }
      if (theirs.length === 0) wrong.push(`${statement}\n    fails in the reference`);
      const differing = theirs.filter((row, i) => JSON.stringify(row) !== JSON.stringify(ours[i]));
      if (differing.length === 0 && ours.length === theirs.length) continue;
      const samples = theirs
        .flatMap((row, i) =>
          JSON.stringify(row) === JSON.stringify(ours[i])
            ? []
            : [`    ${JSON.stringify(row)} in the reference\n    ${JSON.stringify(ours[i])} here`],
        )
        .slice(0, 3);
      wrong.push(`${differing.length} of ${theirs.length}: ${statement}\n${samples.join('\n')}`);
    }
    assert.is(wrong.length, 0, wrong.join('\n'));
  });
}

test.run();
