// The gate alone, on trees of an engine without any lock: what it refuses, what it lets through, and that its
// lists are those of this engine.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { checkTree } from '../../src/dialect/gate.ts';
import { CALLABLE, REFUSED, TABLE_CALLABLE } from '../../src/dialect/gate-functions.ts';
import { type Engine, type EngineConnection, openEngine, textRows } from '../../src/worker/engine.ts';
import { ESCAPES } from '../../src/worker/escapes.ts';

let engine: Engine;
let connection: EngineConnection;
test.before(async () => {
  engine = await openEngine(':memory:', { threads: '1' });
  connection = await engine.connect();
});
test.after(() => {
  connection.close();
  engine.close();
});

async function treeOf(sql: string): Promise<unknown> {
  const rows = await textRows(
    connection,
    `SELECT json_serialize_sql('${sql.replaceAll("'", "''")}')::VARCHAR`,
  );
  return JSON.parse(rows[0]?.[0] ?? 'null');
}
/** The code of the refusal, or 'passed'. */
async function verdict(
  sql: string,
  tables: readonly string[] = ['items_1_1'],
  macros: readonly string[] = [],
): Promise<string> {
  try {
    checkTree(await treeOf(sql), tables, macros);
    return 'passed';
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

test('refuses every escape', async () => {
  for (const sql of ESCAPES) assert.is(await verdict(sql.replaceAll('$DB', '/x.duckdb')), 'unsupported', sql);
});

test('lets through what the emitter has reason to write', async () => {
  const reads = [
    'SELECT 1 AS c0',
    'SELECT t0."id" AS c0 FROM "items_1_1" AS t0 WHERE (t0."id" = CAST(5 AS BIGINT)) LIMIT 1',
    'SELECT i.id FROM main.items_1_1 i LEFT JOIN LATERAL (SELECT j.id FROM items_1_1 j WHERE j.id > i.id LIMIT 1) k ON true',
    'SELECT count(*) FILTER (WHERE id > 1), sum(DISTINCT id ORDER BY id) FROM items_1_1 GROUP BY id % 2 HAVING count(*) > 1 ORDER BY 1 DESC NULLS LAST',
    'SELECT row_number() OVER (PARTITION BY id ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM items_1_1',
    'WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT * FROM a, b',
    'WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 5) SELECT x FROM t',
    'SELECT 1 UNION SELECT 2 EXCEPT SELECT 3 INTERSECT (VALUES (1), (2))',
    'SELECT union_value(i := 1::BIGINT), CAST(1 AS UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)).t',
    'SELECT list_transform([1, 2], lambda x: x + 1), list_filter(range(3), lambda x: x > 1)[1], [1,2][1:2]',
    "SELECT CASE WHEN id IN (1, 2) THEN 'a' ELSE NULL END, id BETWEEN 1 AND 2, NOT id IS NULL, id IS DISTINCT FROM 3, COALESCE(id, 1) FROM items_1_1",
    "SELECT json_extract('{}', '$.a'), '{}'->>'$.a', json_type('[]'), 'a'::JSON, TRY_CAST('1' AS BIGINT), TRY(1/0)",
    'SELECT * FROM range(10) r(i), unnest([1, 2]) u(x), generate_series(1, 3) g(y)',
    'SELECT (SELECT max(id) FROM items_1_1), EXISTS (SELECT 1), 1 IN (SELECT id FROM items_1_1)',
    "SELECT 'a' COLLATE nocase = 'A', 'x' LIKE 'y' ESCAPE '!', 'x' ~ 'y', x'00'::BLOB, unhex('00'), '2000-01-01'::DATE - INTERVAL 1 DAY",
    'SELECT DISTINCT ON (id) id, t0.* EXCLUDE (id) FROM items_1_1 t0 ORDER BY id LIMIT 5 OFFSET 2',
    'SELECT a.id FROM items_1_1 a NATURAL JOIN items_1_1 b FULL JOIN items_1_1 c USING (id) SEMI JOIN items_1_1 d ON true',
    'FROM (SELECT 1 AS c0) LIMIT 1025',
  ];
  for (const sql of reads) assert.is(await verdict(sql), 'passed', sql);
});

test("lets the session's own macros through, and only those", async () => {
  assert.is(await verdict('SELECT tg_x(1)', [], ['tg_x']), 'passed');
  assert.is(await verdict('SELECT tg_x(1)', [], []), 'unsupported');
});

test('sees common tables only where SQL does', async () => {
  assert.is(await verdict('WITH a AS (SELECT 1) SELECT * FROM a', []), 'passed');
  assert.is(await verdict('SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a', []), 'unsupported');
  assert.is(await verdict('WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b', []), 'unsupported');
  assert.is(await verdict('WITH a AS (SELECT * FROM a) SELECT * FROM a', []), 'unsupported');
  assert.is(await verdict('WITH a AS (SELECT 1) SELECT * FROM main.a', []), 'unsupported');
  assert.is(
    await verdict('WITH a AS (SELECT 1) SELECT (SELECT count(*) FROM a), * FROM (SELECT * FROM a)', []),
    'passed',
  );
});

test('bounds depth, joins, lists, SELECTs, columns and lambdas', async () => {
  const nested = (count: number): string => `SELECT ${'('.repeat(count)}1${' + 1)'.repeat(count)}`;
  assert.is(await verdict(nested(100)), 'passed');
  const tooMany: string[] = [
    `SELECT 1 FROM ${Array.from({ length: 80 }, (_, i) => `items_1_1 a${i}`).join(', ')}`,
    `SELECT 1 WHERE 1 IN (${Array.from({ length: 10_001 }, (_, i) => i).join(', ')})`,
    `SELECT ${Array.from({ length: 2_001 }, () => '1').join(', ')}`,
    Array.from({ length: 700 }, () => 'SELECT 1').join(' UNION ALL '),
    `SELECT 1 WHERE ${Array.from({ length: 3_000 }, (_, i) => `${i} = 1`).join(' OR ')}`,
    `SELECT ${Array.from({ length: 70 }, () => 'list_transform([1], lambda x: x)').join(', ')}`,
  ];
  for (const sql of tooMany) assert.is(await verdict(sql), 'statement-too-complex', sql.slice(0, 80));
});

test('fails closed on a tree that it does not know', async () => {
  const good = JSON.stringify(await treeOf('SELECT id FROM items_1_1'));
  checkTree(JSON.parse(good), ['items_1_1']);
  const strange = [
    good.replace('"SELECT_NODE"', '"NEW_NODE"'),
    good.replace('"qualify":null', '"qualify":null,"new_clause":1'),
    good.replace('"COLUMN_REF"', '"NEW_REF"'),
    good.replace('"BASE_TABLE"', '"NEW_TABLE"'),
    good.replace('"error":false', '"error":true'),
    'null',
    '[]',
    '{"error":false,"statements":[]}',
    '{"error":false,"statements":[{}]}',
  ];
  for (const text of strange)
    assert.throws(
      () => checkTree(JSON.parse(text), ['items_1_1']),
      (error: unknown) => error instanceof GatewayError,
      text.slice(0, 100),
    );
});

test('has every function of this engine on exactly one side', async () => {
  const names = new Set(
    (await textRows(connection, 'SELECT DISTINCT function_name FROM duckdb_functions()')).map(
      ([name]) => name ?? '',
    ),
  );
  const classified = new Set([...CALLABLE, ...TABLE_CALLABLE, ...REFUSED]);
  assert.equal(
    [...names].filter((name) => !classified.has(name)),
    [],
    'not classified',
  );
  assert.equal(
    [...classified].filter((name) => !names.has(name)),
    [],
    'gone from the engine',
  );
  assert.equal(
    [...CALLABLE, ...TABLE_CALLABLE].filter((name) => REFUSED.has(name)),
    [],
    'on both sides',
  );
});

test.run();
