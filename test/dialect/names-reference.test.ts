// Names of unaliased columns against the running reference: what it calls a column, we call it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { columnName, nameText, subqueryColumnName, uniqueNames } from '../../src/dialect/names.ts';
import { parse } from '../../src/dialect/parse.ts';
import { type ParamValue, readStatement } from '../../src/statement/statement.ts';
import { type Reference, referenceBinary, startReference } from '../support/reference.ts';
import { EXPRESSIONS } from './syntax-corpus.ts';

const available = referenceBinary() !== undefined;
const check = available ? test : test.skip;
let reference: Reference;

test.before(async () => {
  if (!available) return;
  reference = await startReference({
    seed: (database) => {
      database.exec(`create table t_31337_1 (id integer primary key, a int, b text, c text, d int, e text) strict;
        insert into t_31337_1 values (1, 5, 'x', null, 7, '{"x":1}');
        create table u_31337_2 (a int, b text, c text) strict;
        insert into u_31337_2 values (1, 'p', 'q');
        insert into registry(id, structure, controller, prefix, created_at, chain_id)
          values (1, 'x', '0x1', 't', 1, 31337), (2, 'x', '0x1', 'u', 1, 31337);`);
    },
  });
});
test.after(async () => {
  if (available) await reference.stop();
});

const theirNames = async (
  statement: string,
  params: readonly ParamValue[] = [],
): Promise<readonly string[] | undefined> => {
  const answer = await fetch(`${reference.url}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statement, params, format: 'table' }),
  });
  const body = (await answer.json()) as { columns?: { name: string }[] };
  return answer.status === 200 ? body.columns?.map((column) => column.name) : undefined;
};

/** Names of the result columns that need no schema: undefined for stars and plain columns. */
const ourNames = (statement: string, params: readonly ParamValue[] = []): readonly (string | undefined)[] => {
  const { shape, literals } = readStatement(statement, params, 35_000);
  const { select } = parse(shape, literals);
  if (select.first.type !== 'select') return [];
  return select.first.columns.map((column) => {
    if (column.type === 'star') return undefined;
    if (column.alias !== undefined) return column.alias.text;
    return column.expression.type === 'column'
      ? undefined
      : nameText(columnName(column.expression), literals);
  });
};

check('expressions are named as the reference names them', async () => {
  let compared = 0;
  for (const expression of EXPRESSIONS) {
    const tables = expression
      .replaceAll(/\b(from|FROM) (u|v)\b/g, '$1 u_31337_2 u')
      .replaceAll(/\bfrom t\b/g, 'from t_31337_1 t');
    const statement = `select ${tables} from t_31337_1 t limit 1`;
    const ours = ourNames(statement);
    const theirs = await theirNames(statement);
    if (theirs === undefined || ours.includes(undefined)) continue;
    assert.equal(ours, theirs, statement);
    compared++;
  }
  assert.ok(compared > 200, `only ${compared} were comparable`);
});

check('params are named as the literals that they stand for', async () => {
  const params = [1, -5, 'abc', true, false, null];
  const statement = 'select ?, ?, ?, ?, ?, ?, typeof(?), ? || a from t_31337_1 limit 1';
  const all = [...params, 'x', 7];
  assert.equal(ourNames(statement, all), await theirNames(statement, all));
  assert.equal(ourNames(statement, all).slice(0, 4), ['1', '-5', "'abc'", 'true']);
});

check('names of a subquery that come twice are numbered', async () => {
  const columns = ['a + 1', 'a', 'A', 't.A', 'b', "'x'", "'x'", '(a)', 'count(*)', 'ROWID', '(C)'];
  columns.push(
    'D collate nocase',
    '"e"',
    '"Nosuch"',
    '[E]',
    'true',
    'null',
    '-1',
    '(B || 1)',
    'b as Bee',
    "b 'text'",
  );
  const statement = `select * from (select ${columns.join(', ')} from t_31337_1 t)`;
  const theirs = await theirNames(statement);
  const { shape, literals } = readStatement(`select ${columns.join(', ')}`, [], 35_000);
  const { select } = parse(shape, literals);
  if (select.first.type !== 'select') throw new Error('no select');
  const names = select.first.columns.map((column, i) => {
    if (column.type !== 'expression') throw new Error('no expression');
    return subqueryColumnName(column.expression, column.alias, i + 1);
  });
  const unique = uniqueNames(names, literals);
  assert.equal(
    unique.names.map((name) => nameText(name, literals)),
    theirs,
  );
  // 'x' and 'x' are the same name only for these literals.
  assert.equal(unique.pins.length, 5);
});

check('a column keeps the spelling of its declaration: what the resolver must do', async () => {
  const names = await theirNames('select ID, "iD", (id), ((A)), t.B, rowid, oid from t_31337_1 t limit 1');
  assert.equal(names, ['id', 'id', 'id', 'a', 'b', 'id', 'id']);
  assert.equal(await theirNames('select rowid, oid from u_31337_2'), ['rowid', 'rowid']);
  assert.equal(await theirNames('select * from (select rowid, oid from t_31337_1) limit 1'), [
    'rowid',
    'oid',
  ]);
  assert.equal(await theirNames('select x, X from (select a as X from t_31337_1)'), ['X', 'X']);
  assert.equal(await theirNames('select "nosuch" from t_31337_1'), ['"nosuch"']);
  assert.equal(await theirNames('select +id, id collate nocase from t_31337_1'), [
    '+id',
    'id collate nocase',
  ]);
  assert.equal(await theirNames('select A from t_31337_1 union select B from u_31337_2'), ['a']);
});

test.run();
