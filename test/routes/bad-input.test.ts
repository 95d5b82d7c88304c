// Every kind of bad input that the project promises to take: a status, a code, a message for people, a process
// that is still up, and a next request that is answered. Against a whole gateway.
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

const test = suite<{ gateway: TestGateway }>('routes/bad-input');

test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: TABLES });
});
test.after(({ gateway }) => gateway.stop());

const GOOD = `select id from tokens_${CHAIN}_1 where id = 1`;

/** The answer is this error, in words, and the gateway answers the next request. */
async function refused(
  gateway: TestGateway,
  answer: Response,
  status: number,
  codes: string | readonly string[],
  what: string,
): Promise<string> {
  const body = await answer.text();
  assert.is(answer.status, status, `${what}: ${body}`);
  assert.is(answer.headers.get('access-control-allow-origin'), '*', what);
  assert.is(answer.headers.get('content-type'), 'application/json', what);
  const { message, code, hint = '' } = JSON.parse(body) as { message: string; code: string; hint?: string };
  assert.ok([codes].flat().includes(code), `${what}: ${code}: ${message}`);
  assert.ok(message.length >= 15, `${what}: ${message}`);
  assert.not.match(`${message} ${hint}`, /node_modules|\.duckdb|\/tmp\/|snapshots|at .*:\d+:\d+/, what);
  const next = await gateway.query(GOOD);
  assert.is(await next.text(), '[{"id":1}]', `after ${what}`);
  return `${message} ${hint}`;
}

test('the statement that shows that the gateway answers is answered', async ({ gateway }) => {
  const answer = await gateway.query(GOOD);
  assert.is(answer.status, 200);
  assert.is(await answer.text(), '[{"id":1}]');
});

test('no, empty, blank and comment-only statements', async ({ gateway }) => {
  await refused(gateway, await fetch(`${gateway.url}/query`), 400, 'statement-missing', 'no statement');
  await refused(
    gateway,
    await fetch(`${gateway.url}/query?Statement=x`),
    400,
    'statement-missing',
    'other name',
  );
  for (const statement of [
    '',
    ' ',
    '\t\r\n',
    '-- nothing',
    '/* nothing */',
    ';',
    ' ; ; ',
    '-- a\n/* b */ ;',
  ]) {
    await refused(
      gateway,
      await gateway.query(statement),
      400,
      'statement-missing',
      JSON.stringify(statement),
    );
    await refused(
      gateway,
      await gateway.post({ statement }),
      400,
      'statement-missing',
      JSON.stringify(statement),
    );
  }
});

test('doubled statements', async ({ gateway }) => {
  for (const statement of [`${GOOD};${GOOD}`, `${GOOD}; drop table tokens_${CHAIN}_1`, `${GOOD};;x`])
    await refused(gateway, await gateway.query(statement), 400, 'statement-not-one', statement);
  assert.is((await gateway.query(`${GOOD} ; -- end`)).status, 200, 'one with a semicolon at its end is one');
});

test('a statement of 35,000 bytes is answered, also where each byte is percent-encoded; one more is not', async ({
  gateway,
}) => {
  for (const filler of ['x', '€', "'"]) {
    const start = `${GOOD} --`;
    const fillers = filler.repeat(Math.floor((35_000 - start.length) / Buffer.byteLength(filler)));
    const exact = start + fillers + 'x'.repeat(35_000 - Buffer.byteLength(start + fillers));
    assert.is(Buffer.byteLength(exact), 35_000);
    const everyByte = Array.from(Buffer.from(exact), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(
      '',
    );
    const encoded = await fetch(`${gateway.url}/query?statement=${everyByte}`);
    assert.is(await encoded.text(), '[{"id":1}]');
    assert.is((await gateway.post({ statement: exact })).status, 200);
    const over = `${exact}x`;
    await refused(gateway, await gateway.query(over), 400, 'statement-too-long', 'GET of 35,001 bytes');
    const message = await refused(
      gateway,
      await gateway.post({ statement: over }),
      400,
      'statement-too-long',
      'POST',
    );
    assert.match(message, '35000');
  }
});

test('writes, DDL and everything else that is no read', async ({ gateway }) => {
  const table = `tokens_${CHAIN}_1`;
  for (const statement of [
    `insert into ${table} values (9, 'x', 1, null)`,
    `update ${table} set level = 1`,
    `delete from ${table}`,
    `with x as (select 1) delete from ${table}`,
    `replace into ${table} values (1)`,
    'create table a(b)',
    `drop table ${table}`,
    `alter table ${table} add x`,
    `truncate ${table}`,
    'create view v as select 1',
    'create macro m() as 1',
    'PRAGMA database_list',
    'pragma version',
    "attach '/etc/passwd' as x",
    'detach main',
    `copy ${table} to '/tmp/tablegate-stolen.csv'`,
    `copy ${table} from '/etc/passwd'`,
    'set memory_limit = 1',
    'set variable x = 1',
    'reset memory_limit',
    `explain select * from ${table}`,
    `explain analyze select * from ${table}`,
    'call pragma_version()',
    'install httpfs',
    'load httpfs',
    "export database '/tmp/x'",
    "import database '/tmp/x'",
    'checkpoint',
    'vacuum',
    'analyze',
    'begin',
    'commit',
    'prepare a as select 1',
    'execute a',
    'show tables',
    `describe ${table}`,
    `summarize ${table}`,
    `from ${table}`,
    `table ${table}`,
    'use main',
    'grant all on x to y',
    'x',
    '1',
    "'select 1'",
  ])
    await refused(
      gateway,
      await gateway.query(statement),
      400,
      ['statement-not-a-read', 'statement-syntax', 'unsupported'],
      statement,
    );
  assert.is(await (await gateway.query(`select count(*) as n from ${table}`)).text(), '[{"n":3}]');
});

test("files, settings and the engine's inside by SELECT", async ({ gateway }) => {
  for (const statement of [
    "select * from read_text('/etc/passwd')",
    "select * from read_blob('/etc/passwd')",
    "select * from read_csv('/etc/passwd')",
    "select * from read_csv_auto('/etc/passwd')",
    "select * from read_json('/etc/passwd')",
    "select * from read_parquet('x.parquet')",
    "select * from parquet_metadata('x.parquet')",
    "select * from glob('/*')",
    "select * from 'file.csv'",
    "select * from '/etc/passwd'",
    'select * from "/etc/passwd"',
    'select * from "file.parquet"',
    'select * from duckdb_settings()',
    'select * from duckdb_settings',
    'select * from duckdb_databases()',
    'select * from duckdb_tables',
    'select * from pragma_version()',
    'select * from pragma_database_list',
    'select * from information_schema.tables',
    'select * from pg_catalog.pg_tables',
    'select * from sqlite_master',
    'select * from sqlite_schema',
    'select * from sqlite_temp_master',
    'select * from tablegate.tables',
    'select * from "tablegate"."snapshot"',
    `select * from main.tokens_${CHAIN}_9`,
    "select getenv('HOME') as x",
    "select current_setting('memory_limit') as x",
    "select getvariable('x')",
    "select load_extension('x')",
    "select readfile('/etc/passwd')",
    "select writefile('/tmp/x', 'y')",
    "select * from query('select 1')",
    "select * from query_table('tablegate.tables')",
    "select * from sniff_csv('/etc/passwd')",
    "select * from enable_logging(storage:='file')",
    "select * from force_checkpoint('system')",
    'select * from duckdb_logs()',
    "select * from pragma_table_info('x')",
    'select sqlite_version()',
    'select txid_current()',
    "select nextval('x')",
  ]) {
    const answer = await gateway.query(statement);
    await refused(
      gateway,
      answer,
      400,
      ['unknown-table', 'unknown-function', 'statement-syntax', 'unsupported', 'unknown-column'],
      statement,
    );
  }
});

test('unknown tables, columns and functions are named in the message', async ({ gateway }) => {
  const table = `tokens_${CHAIN}_1`;
  const cases = [
    [`select * from nowhere_${CHAIN}_77`, 'unknown-table', `nowhere_${CHAIN}_77`],
    [`select colour from ${table}`, 'unknown-column', 'colour'],
    [`select t.colour from ${table} t`, 'unknown-column', 'colour'],
    [`select frobnicate(id) from ${table}`, 'unknown-function', 'frobnicate'],
  ] as const;
  for (const [statement, code, name] of cases)
    assert.match(await refused(gateway, await gateway.query(statement), 400, code, statement), name);
});

test('broken percent-encoding, invalid UTF-8 and NUL bytes', async ({ gateway }) => {
  for (const bad of [
    '%',
    '%4',
    '%zz',
    '%%20',
    '%ff',
    '%c0%af',
    '%ed%a0%80',
    '%F0%9F%92',
    'select%20%27%80%27',
  ]) {
    for (const search of [
      `statement=${bad}`,
      `statement=select%201&format=${bad}`,
      `${bad}=1&statement=select%201`,
    ])
      await refused(gateway, await fetch(`${gateway.url}/query?${search}`), 400, 'bad-parameter', search);
  }
  await refused(gateway, await fetch(`${gateway.url}/tables/${CHAIN}/%zz`), 400, 'bad-parameter', 'table id');
  await refused(gateway, await fetch(`${gateway.url}/tables/%ff/1`), 400, 'bad-parameter', 'chain id');
  await refused(gateway, await fetch(`${gateway.url}/receipt/${CHAIN}/%c0%af`), 400, 'bad-parameter', 'hash');
  for (const statement of ['select 1\0', "select 'a\0b'", '\0', `${GOOD}\0; drop table x`]) {
    await refused(
      gateway,
      await gateway.query(statement),
      400,
      'statement-syntax',
      JSON.stringify(statement),
    );
    await refused(
      gateway,
      await gateway.post({ statement }),
      400,
      'statement-syntax',
      JSON.stringify(statement),
    );
  }
  await refused(
    gateway,
    await gateway.post({ statement: `${GOOD} and name = ?`, params: ['a\0b'] }),
    400,
    'wrong-params',
    'NUL param',
  );
  for (const half of ['"\\ud83d"', '"\\udc00x"'])
    await refused(gateway, await gateway.post(`{"statement":${half}}`), 400, 'statement-syntax', half);
});

test('POST bodies that are empty, null, an array, cut off or no JSON', async ({ gateway }) => {
  for (const body of [
    '',
    'null',
    '[]',
    '[{}]',
    '1',
    '"select 1"',
    'true',
    '{',
    '{"statement":"select 1"',
    '{"statement":',
    'statement=select',
    "{'statement':'select 1'}",
    `${JSON.stringify({ statement: GOOD })} x`,
  ])
    await refused(gateway, await gateway.post(body), 400, 'bad-body', JSON.stringify(body));
  await refused(
    gateway,
    await gateway.post(Uint8Array.of(0x7b, 0xff, 0x7d)),
    400,
    'bad-body',
    'bytes that are not UTF-8',
  );
  await refused(gateway, await gateway.post('{}'), 400, 'statement-missing', '{}');
});

test('POST bodies with members of a wrong type, which are named', async ({ gateway }) => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['statement', 1],
    ['statement', ['select 1']],
    ['statement', { a: 1 }],
    ['statement', true],
    ['format', 1],
    ['format', ['table']],
    ['extract', 'true'],
    ['extract', 1],
    ['unwrap', 'yes'],
    ['unwrap', {}],
    ['params', {}],
    ['params', 'x'],
    ['params', 1],
  ];
  for (const [name, value] of cases) {
    const body = { statement: GOOD, [name]: value };
    const message = await refused(gateway, await gateway.post(body), 400, 'bad-body', JSON.stringify(body));
    assert.match(message, `Query.${name} of type`);
  }
  for (const params of [[[1]], [{}], [1, [2]]])
    await refused(
      gateway,
      await gateway.post({ statement: GOOD, params }),
      400,
      'wrong-params',
      JSON.stringify(params),
    );
});

test('POST bodies that are too large, compressed or in another encoding', async ({ gateway }) => {
  const large = JSON.stringify({ statement: GOOD, filler: 'x'.repeat(300_000) });
  await refused(gateway, await gateway.post(large), 413, 'body-too-large', 'a large body');
  const body = JSON.stringify({ statement: GOOD });
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await refused(gateway, await gateway.post(gzipSync(body), gzip), 400, 'bad-body', 'gzip');
  const wide = { 'content-type': 'application/json; charset=utf-16' };
  await refused(
    gateway,
    await gateway.post(Buffer.from(`\ufeff${body}`, 'utf16le'), wide),
    400,
    'bad-body',
    'UTF-16',
  );
});

test('a POST that ends in the middle of its body', async ({ gateway }) => {
  await new Promise<void>((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(
        'POST /api/v1/query HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"st',
      );
      setTimeout(() => socket.destroy(), 50);
    });
    socket.on('close', () => resolve());
  });
  assert.is((await gateway.query(GOOD)).status, 200);
});

test('unknown formats and bad booleans', async ({ gateway }) => {
  for (const format of ['x', 'Table', 'OBJECTS', 'json', 'objects ', 'constructor']) {
    assert.match(
      await refused(gateway, await gateway.query(GOOD, { format }), 400, 'bad-parameter', format),
      'format',
    );
    await refused(
      gateway,
      await gateway.post({ statement: GOOD, format }),
      400,
      'bad-parameter',
      `POST ${format}`,
    );
  }
  await refused(
    gateway,
    await gateway.post({ statement: GOOD, format: '' }),
    400,
    'bad-parameter',
    'POST of an empty format',
  );
  for (const value of ['yes', 'no', 'tRue', '2', '-1', 'on', ' true', 'null'])
    for (const name of ['extract', 'unwrap'])
      assert.match(
        await refused(gateway, await gateway.query(GOOD, { [name]: value }), 400, 'bad-parameter', value),
        name,
      );
});

test('params that are too few, too many or malformed', async ({ gateway }) => {
  const one = `select id from tokens_${CHAIN}_1 where id = ?`;
  await refused(gateway, await gateway.query(one), 400, 'wrong-params', 'none given');
  await refused(
    gateway,
    await gateway.post({ statement: one, params: [] }),
    400,
    'wrong-params',
    'none given',
  );
  for (const params of [
    'abc',
    '',
    "'a",
    "'a'b'",
    '1; drop table x',
    '0x10',
    ' 1',
    '--',
    '1e',
    'NaN',
    'Infinity',
    "x'00'",
  ])
    await refused(gateway, await gateway.query(one, { params }), 400, 'wrong-params', params);
  for (const [params, status] of [
    ['1', 200],
    ['-1', 200],
    ['1.5', 200],
    ["'a''b'", 200],
    ['"it\'s"', 200],
    ['NULL', 200],
    ['true', 200],
  ] as const)
    assert.is((await gateway.query(one, { params })).status, status, params);
});

test('extract of more than one column', async ({ gateway }) => {
  const statement = `select id, name from tokens_${CHAIN}_1`;
  await refused(gateway, await gateway.query(statement, { extract: 'true' }), 400, 'extract-columns', 'GET');
  await refused(
    gateway,
    await gateway.post({ statement, extract: true, unwrap: true }),
    400,
    'extract-columns',
    'POST',
  );
});

test('chain ids and table ids that are none', async ({ gateway }) => {
  const at = (path: string): Promise<Response> => fetch(`${gateway.url}/tables/${path}`);
  for (const chain of [
    'x',
    '-1',
    '1e3',
    String(2 ** 40),
    '1',
    '0',
    '31337.0',
    '0x7a69',
    '+31337',
    '%2031337',
    '9'.repeat(400),
  ])
    await refused(gateway, await at(`${chain}/1`), 400, 'bad-chain', chain);
  for (const table of ['-1', 'x', '1e3', '0x1', '1.0', '+1', '%201', "1'--", '1%2F2'])
    await refused(gateway, await at(`${CHAIN}/${table}`), 400, 'bad-table-id', table);
  for (const table of ['99', '0', String(2n ** 70n), String(2n ** 64n + 1n), '9'.repeat(3000)]) {
    const answer = await at(`${CHAIN}/${table}`);
    assert.is(answer.status, 404, table);
    assert.is(await answer.text(), '');
  }
  // Leading zeros count for nothing, as in the reference.
  for (const table of ['1', '01', '0001']) {
    const answer = await at(`${CHAIN}/${table}`);
    assert.is(answer.status, 200, table);
    assert.match(((await answer.json()) as { external_url: string }).external_url, /\/tables\/31337\/1$/);
  }
});

test('transaction hashes that are none', async ({ gateway }) => {
  const at = (hash: string): Promise<Response> => fetch(`${gateway.url}/receipt/${CHAIN}/${hash}`);
  for (const hash of ['x', '0x', "'--", `0x${'a'.repeat(66)}`]) {
    const answer = await at(hash);
    assert.equal([answer.status, await answer.text()], [404, ''], hash);
  }
  for (const hash of ['0xabc', '0xzz', `0x${'g'.repeat(64)}`, `0x${'a'.repeat(63)}`, `0x${'a'.repeat(65)}`])
    await refused(gateway, await at(hash), 400, 'bad-hash', hash);
  await refused(
    gateway,
    await fetch(`${gateway.url}/receipt/1/0x${'a'.repeat(64)}`),
    400,
    'bad-chain',
    'chain',
  );
});

test('a statement that is nested deep, wide or long to translate is refused in bounded time', async ({
  gateway,
}) => {
  const started = Date.now();
  for (const statement of [
    `select ${'('.repeat(2000)}1${')'.repeat(2000)}`,
    `select ${'(select '.repeat(200)}1${')'.repeat(200)}`,
    `select ${'- '.repeat(5000)}1`,
    `select ${'not '.repeat(5000)}1`,
    `select 1 ${'union all select 1 '.repeat(1600)}`,
    `select ${'case when 1 then '.repeat(500)}1${' end'.repeat(500)}`,
    `select * from ${Array.from({ length: 100 }, (_, i) => `tokens_${CHAIN}_1 t${i}`).join(',')}`,
  ])
    await refused(
      gateway,
      await gateway.query(statement),
      400,
      [
        'statement-too-complex',
        'statement-syntax',
        'limit-time',
        'limit-memory',
        'limit-rows',
        'unsupported',
      ],
      statement.slice(0, 40),
    );
  assert.ok(Date.now() - started < 60_000);
});

test.run();
