// What is told beside an error: what was likely meant, and where to look. Never in the message, which is the
// reference's, and never of what is not served.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

interface Told {
  readonly message: string;
  readonly code: string;
  readonly hint?: string;
}
const test = suite<{ gateway: TestGateway }>('routes/hints');
test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: TABLES, args: ['--base-path', '/a/b'] });
});
test.after(({ gateway }) => gateway?.stop());

async function told(answer: Response, status = 400): Promise<Told> {
  const body = await answer.text();
  assert.is(answer.status, status, body);
  return JSON.parse(body) as Told;
}
const at = ({ origin }: TestGateway): string => `${origin}/a/b`;
const ask = (gateway: TestGateway, statement: string): Promise<Response> =>
  fetch(`${at(gateway)}/query?${new URLSearchParams({ statement })}`);
const post = (gateway: TestGateway, body: unknown): Promise<Response> =>
  fetch(`${at(gateway)}/query`, { method: 'POST', body: JSON.stringify(body) });
const TABLE = `tokens_${CHAIN}_1`;

test('who looks for tables and columns as elsewhere is told where they are, for GET and POST', async ({
  gateway,
}) => {
  const any = '/a/b/tables/{chainId}/{tableId}';
  const one = `/a/b/tables/${CHAIN}/1`;
  for (const [statement, place] of [
    ['show tables', any],
    ['SHOW TABLES;', any],
    [`describe ${TABLE}`, one],
    [`desc "${TABLE}"`, one],
    [`pragma table_info(${TABLE})`, one],
    [`PRAGMA table_xinfo('${TABLE}')`, one],
    ['.tables', any],
    [`.schema ${TABLE}`, one],
    ['\\d', any],
    [`\\d ${TABLE}`, one],
    ['select * from sqlite_master', any],
    ['select name from SQLITE_SCHEMA', any],
    ['select * from information_schema.tables', any],
    [`select * from pragma_table_info('${TABLE}')`, one],
  ] as const) {
    const hint = `GET /a/b/tables lists the tables, GET ${place} the columns of one.`;
    for (const answer of [await ask(gateway, statement), await post(gateway, { statement })]) {
      const { message, hint: given } = await told(answer);
      assert.is(given, hint, statement);
      assert.match(message, /syntax error at position|no such table/, statement);
    }
  }
  for (const path of ['/tables', `/tables/${CHAIN}/1`])
    assert.is((await fetch(at(gateway) + path)).status, 200, path);
});

test('EXPLAIN points to the operation that explains, which is there', async ({ gateway }) => {
  for (const statement of ['explain select 1', 'EXPLAIN QUERY PLAN select 1'])
    assert.match((await told(await ask(gateway, statement))).hint ?? '', 'GET /a/b/explain?statement=');
  assert.is((await fetch(`${at(gateway)}/explain?statement=select+1`)).status, 200);
});

test('mistyped first words, tables and parameters are told what was meant', async ({ gateway }) => {
  const hintOf = async (statement: string): Promise<string | undefined> =>
    (await told(await ask(gateway, statement))).hint;
  assert.match((await hintOf('selct 1')) ?? '', 'Did you mean SELECT?');
  for (const [statement, clause] of [
    [`select * form ${TABLE}`, 'FROM'],
    [`select id fromm ${TABLE}`, 'FROM'],
    [`select * from ${TABLE} wher id = 1`, 'WHERE'],
    [`select * from ${TABLE} where id = 1 ordr by id`, 'ORDER'],
    [`select * from ${TABLE} where id = 1 limt 3`, 'LIMIT'],
  ] as const)
    assert.is(await hintOf(statement), `Did you mean ${clause}?`, statement);
  // Nothing is guessed where nothing is near, or where the parser says more itself.
  for (const statement of [
    `select * from ${TABLE} where ,`,
    'select 1 1',
    'select é é é',
    `select ${'a'.repeat(500)} b c`,
  ])
    assert.not.match((await hintOf(statement)) ?? '', 'Did you mean', statement);
  assert.is(await hintOf(`select id from ${TABLE} order by pict`), 'Did you mean picture?');
  assert.is(await hintOf('select * from tokens'), `Did you mean ${TABLE}?`);
  assert.is(await hintOf('select * from tokens_1_99999'), `Did you mean ${TABLE}?`);
  assert.match((await hintOf('select * from zzzzz')) ?? '', 'GET /a/b/tables lists the tables');
  for (const search of ['sql=select+1', 'q=x', 'Statement=select+1', 'statment=select+1'])
    assert.match(
      (await told(await fetch(`${at(gateway)}/query?${search}`))).hint ?? '',
      'the parameter is called "statement"',
      search,
    );
  assert.match((await told(await post(gateway, { sql: 'select 1' }))).hint ?? '', '"statement"');
  assert.is((await told(await fetch(`${at(gateway)}/query?other=1`))).hint, 'Give a statement.');
});

test('a path that is not there is told where the API is, and what was likely meant', async ({ gateway }) => {
  const start = 'The API is at /a/b; GET /a/b/docs describes it.';
  for (const [path, meant] of [
    ['/x', ''],
    ['/api/v1/query', ' Did you mean /a/b/query?'],
    ['/query?statement=select+1', ' Did you mean /a/b/query?'],
    ['/a/b/querry', ' Did you mean /a/b/query?'],
    ['/a/b/tables/1', ' Did you mean /a/b/tables?'],
    ['/a/b/%3Cscript%3E', ''],
    [`/${'x/'.repeat(5_000)}`, ''],
    [`/${'query'.repeat(5_000)}`, ''],
  ] as const) {
    const { code, hint, message } = await told(await fetch(gateway.origin + path), 404);
    assert.equal([code, hint], ['not-found', start + meant], path.slice(0, 40));
    assert.is(message, 'There is no such path; the operations are listed in the documentation.');
  }
});

test('the base path leads to the documentation', async ({ gateway }) => {
  for (const path of ['/a/b', '/a/b/']) {
    const answer = await fetch(gateway.origin + path, { redirect: 'manual' });
    assert.equal([answer.status, answer.headers.get('location')], [302, '/a/b/docs']);
    const places = (await answer.json()) as Record<string, string>;
    assert.is(places['query'], '/a/b/query');
    for (const place of Object.values(places)) {
      const there = await fetch(`${gateway.origin}${place}?statement=select+1`);
      assert.is(there.status, 200, place);
      await there.arrayBuffer();
    }
  }
  const page = await fetch(`${gateway.origin}/a/b`);
  assert.match(page.headers.get('content-type') ?? '', 'text/html');
  await page.arrayBuffer();
  assert.is((await fetch(`${gateway.origin}/a/b`, { method: 'POST' })).status, 405);
});

test('no hint tells of what is not served, or repeats what was sent', async ({ gateway }) => {
  for (const statement of [
    'select * from tablegate_table',
    'select * from tablegate_tables',
    'select * from sqlite_maste',
    'select * from sqlite_sequenc',
    `select tablegate_rowi from ${TABLE}`,
    `describe <img src=x onerror=alert(1)>_1_2`,
    `show ${'x'.repeat(20_000)}`,
    `select * from "${'t'.repeat(20_000)}"`,
  ]) {
    const { hint = '' } = await told(await ask(gateway, statement));
    assert.not.match(hint, /tablegate_|sqlite_|<|xxx|ttt/, statement.slice(0, 60));
    assert.ok(hint.length < 200, hint);
  }
});

test.run();
