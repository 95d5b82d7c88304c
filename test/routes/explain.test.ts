// What /explain says of a statement is what /query then does with it: the same engine for the same reason, the same
// tables, the same refusals. And nothing of the statement runs.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEEP, HEAVY, LONG } from '../gate/attacks.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TestTable } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';
import { WRONG_STATEMENTS } from './wrong-statements.ts';

interface Explanation {
  readonly engine: string;
  readonly reason: string;
  readonly why: string;
  readonly rows_visited: number | null;
  readonly columns: readonly string[];
  readonly tables: readonly { readonly name: string; readonly version: string }[];
  readonly cache: string;
  readonly etag?: string;
  readonly sqlite?: {
    readonly sql: string;
    readonly values: readonly string[];
    readonly plan: readonly { readonly depth: number; readonly detail: string }[];
  };
  readonly duckdb?: { readonly sql: string };
}

const BIG: TestTable = {
  name: `big_${CHAIN}_5`,
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'n', type: 'integer' },
    { name: 'word', type: 'text' },
  ],
  select: "select i, i % 100, 'word ' || i from range(1, 20001) t(i)",
};
const ITEMS: TestTable = {
  name: 'items_1_1',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ],
  select: "select i, 'item ' || i from range(1, 20001) t(i)",
};
const TOKENS = `tokens_${CHAIN}_1`;

const test = suite<{ gateway: TestGateway }>('routes/explain');
test.before(async (context) => {
  context.gateway = await startTestGateway({
    tables: [...TABLES, BIG, ITEMS],
    args: ['--row-visits', '10000'],
  });
});
test.after(({ gateway }) => gateway.stop());

function get({ url }: TestGateway, statement: string, more: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/explain?${new URLSearchParams({ statement, ...more })}`);
}

async function explained(gateway: TestGateway, statement: string): Promise<Explanation> {
  const answer = await get(gateway, statement);
  const text = await answer.text();
  assert.is(answer.status, 200, `${statement}: ${text}`);
  return JSON.parse(text) as Explanation;
}

/** How /query ran it, out of Server-Timing. */
async function ran(gateway: TestGateway, statement: string): Promise<string> {
  const answer = await gateway.query(statement);
  await answer.arrayBuffer();
  assert.is(answer.status, 200, statement);
  return /desc="(\w+: [\w-]+)"/.exec(answer.headers.get('server-timing') ?? '')?.[1] ?? '';
}

test('names the engine that then runs it, and the reason', async ({ gateway }) => {
  for (const [statement, expected] of [
    [`select * from ${TOKENS} where id = 1`, 'rows: visits'],
    [`select id from big_${CHAIN}_5 limit 10`, 'rows: page'],
    [`select n, count(*) from big_${CHAIN}_5 group by n`, 'scan: visits'],
    [`select word, printf('%e', n) as p from big_${CHAIN}_5 where n + 0 = 7`, 'long: not-native'],
    [
      'with recursive c(i) as (select 1 union all select i + 1 from c where i < 9) select * from c',
      'long: recursive',
    ],
    [
      `select 1 from ${Array.from({ length: 17 }, (_, i) => `${TOKENS} t${i}`).join(', ')} where t0.id = -1`,
      'long: tables',
    ],
  ] as const) {
    const { engine, reason, why, sqlite } = await explained(gateway, statement);
    assert.is(`${engine}: ${reason}`, expected, statement);
    assert.ok(why.length > 5, why);
    assert.ok(sqlite !== undefined && sqlite.sql.length > 0, statement);
    assert.is(await ran(gateway, statement), expected, statement);
  }
});

test('says what SQLite and DuckDB are given, and how many rows are visited', async ({ gateway }) => {
  const one = await explained(
    gateway,
    `select id, name as "Name <b>" from ${TOKENS} where id = 7 and name = 'it''s'`,
  );
  assert.equal(one.columns, ['id', 'Name <b>']);
  assert.is(one.rows_visited, 1);
  assert.equal(one.sqlite?.values, ['7', "'it''s'"]);
  assert.match(one.sqlite?.sql ?? '', /where id\s?=\s?\? and name\s?=\s?\?/i);
  assert.match(one.sqlite?.plan[0]?.detail ?? '', /^SEARCH tokens_31337_1 USING /);
  assert.is(one.duckdb, undefined);

  const many = await explained(
    gateway,
    `select n, count(*) as c from big_${CHAIN}_5 where id > 5 group by n`,
  );
  assert.is(many.rows_visited, 20_000);
  assert.match(many.duckdb?.sql ?? '', /^SELECT [\s\S]*big_31337_5[\s\S]*GROUP BY/);
  assert.ok(many.sqlite?.plan.some(({ detail }) => detail.includes('USE TEMP B-TREE FOR GROUP BY')));

  const nested = await explained(
    gateway,
    `select (select max(n) from big_${CHAIN}_5 b where b.n = t.id) from ${TOKENS} t`,
  );
  assert.equal(
    nested.sqlite?.plan.map(({ depth }) => depth),
    [0, 0, 1],
  );
});

test('params, format, extract and unwrap are those of /query', async ({ gateway }) => {
  const body = { statement: `select name from ${TOKENS} where id = ?`, params: [2], extract: true };
  const answer = await fetch(`${gateway.url}/explain`, { method: 'POST', body: JSON.stringify(body) });
  assert.is(answer.status, 200);
  assert.equal(((await answer.json()) as Explanation).sqlite?.values, ['2']);
  assert.is((await get(gateway, 'select 1', { format: 'nope' })).status, 400);
  assert.is((await get(gateway, 'select 1', { extract: 'nope' })).status, 400);
});

test('says whether the answer is kept, by which tables and under which ETag', async ({ gateway }) => {
  const statement = `select name, level from ${TOKENS} where level > 2`;
  const before = await explained(gateway, statement);
  assert.is(before.cache, 'miss');
  assert.equal(
    before.tables.map(({ name }) => name),
    [TOKENS],
  );
  assert.match(before.tables[0]?.version ?? '', /^\d{6}-/);
  // It ran nothing, so there is nothing to keep.
  assert.is((await explained(gateway, statement)).cache, 'miss');
  const answer = await gateway.query(statement);
  await answer.text();
  const after = await explained(gateway, statement);
  assert.is(after.cache, 'hit');
  assert.is(after.etag, answer.headers.get('etag'));
  const never = await explained(gateway, 'select random() as r');
  assert.is(never.cache, 'never');
  assert.is(never.etag, undefined);
});

test('refuses what /query refuses, in the same words', async ({ gateway }) => {
  for (const statement of WRONG_STATEMENTS) {
    const [asked, other] = await Promise.all([gateway.query(statement), get(gateway, statement)]);
    const [text, otherText] = [await asked.text(), await other.text()];
    // Only a row tells of what is wrong with its values.
    if (asked.status === 400 && other.status === 200) assert.match(text, /"run-failed"/, statement);
    else if (asked.status !== 200) assert.is(otherText, text, statement);
    else assert.is(other.status, 200, statement);
  }
});

test('runs nothing of statements that would run for long or take much memory', async ({ gateway }) => {
  let ends = 0;
  for (const [name, statement] of Object.entries({ ...LONG, ...HEAVY, ...DEEP })) {
    const answer = await get(gateway, statement);
    const text = await answer.text();
    assert.ok([200, 400].includes(answer.status), `${name}: ${answer.status} ${text.slice(0, 300)}`);
    // Some are long to plan already: that is within the bounds of a statement.
    if (!(name in DEEP)) assert.not.match(text, /"limit-/, name);
    assert.not.match(text, /node_modules|\/tmp\//, name);
    assert.ok(text.length < 4 * 1024 * 1024, `${name}: ${text.length} bytes`);
    const ended = gateway.seen.filter((event) => event.type === 'lane-ended' && event.lane !== 'long').length;
    // On a slow machine that may also be longer than a row lane has for a statement.
    if (!(name in DEEP)) assert.is(ended, ends, name);
    ends = ended;
  }
});

test('counts as a job of its own, and no run of it makes a statement trusted', async ({ gateway }) => {
  const from = gateway.seen.length;
  await explained(gateway, `select id from ${TOKENS} where id = 1`);
  const runs = gateway.seen.slice(from).flatMap((event) => (event.type === 'run' ? [event.job] : []));
  assert.equal(runs, ['explain']);
});

test.run();
