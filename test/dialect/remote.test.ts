// Statements over tables that live in Trino: what is refused and by which words, what of a client's text reaches the
// SQL, and what the whitelist at the end stops. What is emitted stands in test/golden/trino, and that it answers as
// SQLite does is test/long/remote-answers.test.ts's to show.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { FUNCTION_NAMES } from '../../src/dialect/function-names.ts';
import type { Plan } from '../../src/dialect/plan.ts';
import { createRemoteCompiler, remoteSql } from '../../src/dialect/remote.ts';
import { checkRemote } from '../../src/dialect/remote-gate.ts';
import type { Schema, SchemaColumn, SchemaTable } from '../../src/dialect/schema.ts';
import { createPlanner } from '../../src/snapshot/planner.ts';
import { type ParamValue, readStatement } from '../../src/statement/statement.ts';

const column = (name: string, kind: 'integer' | 'real' | 'text' | 'blob'): SchemaColumn => ({
  name,
  kind,
  affinity: kind,
  notNull: false,
  collation: 'binary',
});
const TABLE: SchemaTable = {
  name: 'events_1_7',
  columns: [
    column('id', 'integer'),
    column('name', 'text'),
    column('price', 'real'),
    column('data', 'blob'),
    column('odd "name', 'text'),
  ],
  rowid: '_rowid',
  rows: 0,
  unique: [],
  columnar: false,
  version: '1',
  create: ['create table events_1_7(id integer, name text, price real, data blob, "odd ""name" text) strict'],
};
const LOCAL: SchemaTable = {
  ...TABLE,
  name: 'here_1_8',
  create: ['create table here_1_8(id integer) strict'],
};
/** Such as another system's, without a number of its rows. */
const FOREIGN: SchemaTable = {
  ...TABLE,
  name: 'foreign_1_9',
  rowid: undefined,
  create: TABLE.create.map((text) => text.replace('events_1_7', 'foreign_1_9')),
};

const schema: Schema = {
  tables: new Map([TABLE, LOCAL, FOREIGN].map((table) => [table.name, table])),
  blocks: new Map(),
  planner: createPlanner(),
};
const compile = createRemoteCompiler(schema, ({ name }) =>
  name === LOCAL.name ? undefined : { catalog: 'lake', schema: 's000001', table: name },
);

function planned(
  statement: string,
  params: readonly ParamValue[] = [],
): { readonly plan: Plan; readonly sql: string } {
  const { shape, literals } = readStatement(statement, params, 35_000);
  const plan = compile(shape, literals);
  return { plan, sql: remoteSql(plan, literals) };
}

function refusal(statement: string): GatewayError {
  try {
    const { sql } = planned(statement);
    throw new Error(`not refused: ${statement}\n${sql}`);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

test('what Trino has no exact words for is refused by its name, and where the table lives is said', () => {
  assert.match(planned('select abs(id) from events_1_7').sql, /abs\(t0\."id"\)/);
  const refused: Readonly<Record<string, RegExp>> = {
    'select random() from events_1_7': /^function random:/,
    'select exp(price) from events_1_7': /^function exp:/,
    'select ln(id) from events_1_7': /^function ln:/,
    'select pow(price, 2) from events_1_7': /^function pow:/,
    'select stddev(price) from events_1_7': /^function stddev/,
    'select median(price) from events_1_7': /^function median:/,
    "select json_extract(name, '$.a') from events_1_7": /^JSON that is not known to be valid:/,
    "select price || '' from events_1_7": /^real as text:/,
    'select cast(data as text) from events_1_7': /^blob as text:/,
    'select id from events_1_7 where name = id': /^text compared as a number:/,
    'select id from events_1_7 where name like name': /^LIKE with such a pattern:/,
    'select date(name) from events_1_7': /^date of what is no ISO date:/,
    'select max(name collate nocase) from events_1_7': /^min\(\) or max\(\) by a collation:/,
    'select * from events_1_7, json_each(name)': /^table function json_each:/,
    'with recursive n(x) as (select 1 union all select x + 1 from n) select x from n, events_1_7':
      /^WITH RECURSIVE:/,
  };
  for (const [statement, message] of Object.entries(refused)) {
    const { code, message: text } = refusal(statement);
    assert.is(code, 'unsupported', statement);
    assert.match(text, message);
    assert.match(text, /: the table lives in the distributed engine$/);
  }
});

test('whichever function is called, it is compiled, or refused by a code of its own', () => {
  let taken = 0;
  for (const name of FUNCTION_NAMES)
    for (const args of ['', 'id', 'name', 'price, id', "name, 'a'", "'%Y', id", 'name, 1, 2']) {
      try {
        planned(`select ${name}(${args}) from events_1_7`);
        taken++;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        assert.ok(
          ['unsupported', 'unknown-function', 'statement-syntax', 'run-failed'].includes(error.code),
          `${name}(${args}): ${error.code}`,
        );
      }
    }
  assert.ok(taken > 60, `only ${taken}`);
});

test('a name that is none is what it is anywhere else', () => {
  assert.is(refusal('select nope from events_1_7').code, 'unknown-column');
  assert.is(refusal('select nope(1) from events_1_7').code, 'unknown-function');
  assert.is(refusal('select id from nope_1_1').code, 'unknown-table');
  assert.is(refusal('select id from events_1_7 group by').code, 'statement-syntax');
});

test('a statement that reads a table of the gateway too is refused, and says which', () => {
  const { code, message } = refusal('select e.id from events_1_7 e join here_1_8 h on e.id = h.id');
  assert.is(code, 'unsupported');
  assert.match(message, /^table here_1_8 is not in the distributed engine/);
});

test('rows have an order where the statement leaves it open: by rowid, or by all columns', () => {
  assert.match(planned('select name from events_1_7').sql, /ORDER BY t0\."_rowid"$/);
  assert.match(planned('select name from events_1_7 limit 5').sql, /ORDER BY t0\."_rowid" LIMIT 5$/);
  assert.match(
    planned('select id, name from events_1_7 order by name desc').sql,
    /ORDER BY t0\."name" DESC NULLS LAST, t0\."_rowid"$/,
  );
  // Rows that are equal by it are the same.
  assert.match(
    planned('select name from events_1_7 order by name desc').sql,
    /ORDER BY t0\."name" DESC NULLS LAST$/,
  );
  assert.match(
    planned('select name from foreign_1_9 order by length(name)').sql,
    / ASC NULLS FIRST, t0\."id" ASC NULLS FIRST, t0\."name" ASC NULLS FIRST, .*"odd ""name" ASC NULLS FIRST$/,
  );
});

test('integers leave as texts, a number that is one in some rows as a pair, and all are sorted as what they are', () => {
  const { plan, sql } = planned(
    'select id as i, coalesce(price, 0), name, price, data from events_1_7 order by i',
  );
  assert.equal(
    plan.columns.map(({ kind }) => kind),
    ['integer', 'any', 'text', 'real', 'blob'],
  );
  assert.match(sql, /^SELECT CAST\(t0\."id" AS VARCHAR\) AS c0, ROW\(/);
  assert.match(sql, /ORDER BY t0\."id" ASC NULLS FIRST, t0\."_rowid"$/);
});

test('a real of which nothing is known is NULL where it is NaN, as SQLite has it', () => {
  assert.match(
    planned('select id from events_1_7 where price is null').sql,
    /WHERE \(CASE WHEN NOT is_nan\(t0\."price"\) THEN t0\."price" END IS NULL\)/,
  );
});

test('the first row of a SELECT with LIMIT is that of its own order', () => {
  const first = (limit: string): string =>
    planned(
      `select (select name from events_1_7 order by price limit ${limit}) from foreign_1_9 order by id limit 1`,
    ).sql;
  assert.match(first('5'), /"_rowid" LIMIT 1\) AS c0/);
  assert.match(first('5 offset 3'), /"_rowid" OFFSET 3 LIMIT 1\) AS c0/);
  assert.match(first('0'), /"_rowid" LIMIT 0\) AS c0/);
  assert.match(first('-1'), /"_rowid" LIMIT 1\) AS c0/);
});

test("the time of now is the cluster's, and such an answer is not kept", () => {
  const { plan, sql } = planned("select date('now', '-7 days') as day, id from events_1_7");
  assert.not(plan.deterministic);
  assert.match(sql, /CAST\(current_timestamp AT TIME ZONE 'UTC' AS TIMESTAMP\)/);
});

/** Words that no rule writes. */
const MARK = 'zqmarkqz';

test('nothing that a client writes reaches the SQL but values, between quotes of ours', () => {
  const hostile = [
    `select id as "${MARK}" from events_1_7`,
    `select id as '${MARK}' from events_1_7`,
    `select id as [${MARK}; drop table x] from events_1_7`,
    `select e.id from events_1_7 as ${MARK}, events_1_7 as e`,
    `select "${MARK}".id from events_1_7 as "${MARK}"`,
    `with ${MARK}(a${MARK}) as (select id from events_1_7) select a${MARK} from ${MARK}`,
    `select id /* ${MARK} */ from events_1_7 -- ${MARK}`,
    `select id, row_number() over ${MARK} from events_1_7 window ${MARK} as (order by id)`,
    `select x.${MARK} from (select id as ${MARK} from events_1_7) as x`,
    `select id from events_1_7 order by (select 1 as ${MARK})`,
  ];
  for (const statement of hostile) assert.not.match(planned(statement).sql, new RegExp(MARK, 'i'));
  const quoted = [
    `select '${MARK}''; drop table x; --' from events_1_7`,
    `select "${MARK}'' or 1=1" from events_1_7`,
    `select id from events_1_7 where name like '%${MARK}''%'`,
    `select replace(name, '${MARK}''', '\\') from events_1_7`,
    `select group_concat(name, '''${MARK}\\') from events_1_7`,
    `select printf('%d ${MARK}'' ', id) from events_1_7`,
    `select id from events_1_7 where name glob '${MARK}''*[a-z]'`,
  ];
  for (const statement of quoted) {
    const { sql } = planned(statement);
    assert.match(sql, new RegExp(MARK));
    assert.not.match(sql.replaceAll(/'(?:[^']|'')*'/g, "''"), new RegExp(MARK));
  }
  const { sql } = planned('select id from events_1_7 where name = ?', [`${MARK}' or '1'='1`]);
  assert.ok(sql.includes(`= '${MARK}'' or ''1''=''1')`), sql);
});

test('a name of a column that has quotes in it stays one name', () => {
  assert.match(planned('select "odd ""name" from events_1_7').sql, /^SELECT t0\."odd ""name" AS c0/);
});

test('the whitelist knows what the rules write, and stops everything else', () => {
  const names = new Set(['"lake"."s000001"."events_1_7"', '"id"']);
  const check = (text: string): string | undefined => checkRemote(text, names);
  assert.is(check('SELECT t0."id" AS c0 FROM "lake"."s000001"."events_1_7" AS t0 LIMIT 5'), undefined);
  assert.is(check("SELECT '\u{1f600}' AS c0"), undefined);
  assert.is(check(`SELECT abs(t0."id") AS c0 FROM (VALUES ('it''s', 1.5e0)) AS r0(c0)`), undefined);
  const refused: Readonly<Record<string, RegExp>> = {
    'DROP TABLE t0': /no SELECT/,
    'INSERT INTO t0 SELECT 1': /no SELECT/,
    'SELECT 1; SELECT 2': /the sign ;/,
    'SELECT 1 -- x': /a comment/,
    'SELECT 1 /* x */': /a comment/,
    'SELECT t0."other" AS c0': /a name/,
    'SELECT 1 FROM "system"."runtime"."nodes" AS t0': /a name/,
    'SELECT 1 FROM "lake"."s000001"."other" AS t0': /a name/,
    'SELECT 1 FROM system.runtime.nodes AS t0': /the word system/,
    'SELECT current_user AS c0': /the word current_user/,
    'SELECT now() AS c0': /the word now/,
    'SELECT random() AS c0': /the word random/,
    'SELECT * FROM TABLE(query())': /the word TABLE/,
    'SELECT struct_pack(f0 := 1)': /the (?:word struct_pack|sign :)/,
    [`SELECT ${'('.repeat(500)}1${')'.repeat(500)}`]: /so many parts/,
    "SELECT '\ud800'": /no Unicode/,
    'SELECT (1': /a parenthesis/,
    'SELECT 1)': /a parenthesis/,
    "SELECT 'it": /the sign '/,
    'SELECT "id': /the sign "/,
    'SELECT {1}': /the sign {/,
    'SELECT U&"id"': /the (?:word U|sign &)/,
  };
  for (const [text, what] of Object.entries(refused)) assert.match(check(text) ?? 'let through', what, text);
});

test.run();
