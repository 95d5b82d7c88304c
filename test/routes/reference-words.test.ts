// What is said of what is wrong, side by side with the real reference over one database: `message` to the letter,
// since clients match on it. What helps people beyond that is in `hint`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { open } from '../support/raw-http.ts';
import { type Reference, referenceBinary, startReference } from '../support/reference.ts';
import { WRONG_STATEMENTS } from './wrong-statements.ts';

const CHAIN = 31337;
const T = `t_${CHAIN}_1`;
const SEED = `
  create table ${T} (id integer primary key, name text, score int, data blob) strict;
  insert into ${T} values (1, 'a', 5, x'00'), (2, 'b', 6, null);
  create table u_${CHAIN}_2 (id integer primary key, name text, other text) strict;
  insert into registry(id, structure, controller, prefix, created_at, chain_id) values
    (1, 's', '0xC', 't', 1700000000, ${CHAIN}), (2, 's', '0xC', 'u', 1700000000, ${CHAIN});
`;

const test = suite<{ reference: Reference; gateway: TestGateway; data: string }>('routes/reference-words');

test.before(async (context) => {
  context.reference = await startReference({ seed: (database) => database.exec(SEED) });
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-words-'));
  runImport(context.reference.databasePath, context.data);
  context.gateway = await startTestGateway({ data: context.data });
});
test.after(async ({ gateway, reference, data }) => {
  await gateway?.stop();
  await reference?.stop();
  if (data !== undefined) rmSync(data, { recursive: true, force: true });
});

interface Refusal {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
}

async function refusal(answer: Response): Promise<Refusal> {
  const text = await answer.text();
  assert.not.ok(answer.ok, text);
  return JSON.parse(text) as Refusal;
}

/** Both refuse it in the same words. */
async function sameWords(
  context: Readonly<Record<'gateway' | 'reference', { readonly url: string }>>,
  path: string,
  init?: RequestInit,
): Promise<Refusal> {
  const theirs = await refusal(await fetch(`${context.reference.url}${path}`, init));
  const answer = await fetch(`${context.gateway.url}${path}`, init);
  const status = answer.status;
  const ours = await refusal(answer);
  assert.is(ours.message, theirs.message, `${path} ${String(init?.body ?? '')}`);
  assert.is(status, 400, path);
  assert.match(ours.code ?? '', /^[a-z-]+$/);
  return ours;
}

const statement = (text: string, more = ''): string => `/query?statement=${encodeURIComponent(text)}${more}`;
const post = (body: string | Uint8Array, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});

test('a statement that both refuse is refused in the same words', async (context) => {
  assert.ok(WRONG_STATEMENTS.length > 200);
  for (const text of WRONG_STATEMENTS) await sameWords(context, statement(text));
});

test('a place is counted in bytes, and is the same in a body', async (context) => {
  for (const text of [
    "select 'é💩', x y z from t",
    '\n\tselect\r\nid x  y',
    `select id from ${T} where name = 'é' x`,
  ]) {
    const { message } = await sameWords(context, statement(text));
    assert.is(
      (await sameWords(context, '/query', post(JSON.stringify({ statement: text })))).message,
      message,
    );
  }
});

test('no statement, a blank one and one that is too long', async (context) => {
  for (const path of ['/query', '/query?statement=', statement('   '), statement('\n\t '), statement(';')])
    await sameWords(context, path);
  for (const text of [`select '${'x'.repeat(36_000)}' from ${T}`, `select '${'é'.repeat(18_000)}' from ${T}`])
    await sameWords(context, '/query', post(JSON.stringify({ statement: text })));
});

test('format, extract and unwrap', async (context) => {
  for (const more of [
    'format=x',
    'format=TABLE',
    'extract=x',
    'unwrap=yes',
    'extract=yes&unwrap=no',
    'format=table&extract=2',
    'extract=%22',
  ])
    await sameWords(context, statement(`select id from ${T}`, `&${more}`));
  // The reference says it with a 500.
  for (const more of ['extract=true', 'extract=1&unwrap=t'])
    await sameWords(context, statement(`select id, name, score from ${T}`, `&${more}`));
});

test('params', async (context) => {
  const one = statement(`select ? as a from ${T}`);
  for (const more of [
    '',
    '&params=x',
    "&params='a",
    '&params=%7B%7D',
    '&params=',
    '&params=1.5.1',
    '&params=1e999',
  ])
    await sameWords(context, one + more);
  for (const params of ['[]', '[[1]]', '[{"a":1}]', '[1,[2]]', '[{}]'])
    await sameWords(
      context,
      '/query',
      post(`{"statement":"select ? as a, ? as b from ${T}","params":${params}}`),
    );
});

test('a param is a value wherever it stands, never a name, also where the same text was one before', async (context) => {
  const quoted = await context.gateway.query(`select id from "${T}" where id = 1`);
  assert.is(quoted.status, 200);
  assert.is((await context.gateway.query(`select id as 'a' from '${T}' where id = 1`)).status, 200);
  for (const [text, params] of [
    ['select id from ?', [`'${T}'`]],
    [`select id as ? from ? where id = 1`, ["'a'", `'${T}'`]],
    [`select id from ${T} where name collate ?`, ["'nocase'"]],
    [`select id ? from ${T}`, ["'a'"]],
    [`select id from ${T} join ?`, ["'u'"]],
    [`select id from ${T}, ?`, ["'u'"]],
  ] as const) {
    const more = params.map((value) => `&params=${encodeURIComponent(value)}`).join('');
    assert.match((await sameWords(context, statement(text, more))).message, "near '?'");
  }
});

test('bodies that are not what they should be', async (context) => {
  const bodies = [
    ...['', '   ', '{', '[', '"abc', '{"a', '{"a":1\n', 'tru', 'nul', '-', '1.', '1e', '1e+'],
    ...[
      '{a}',
      "{'a':1}",
      '{"a" 1}',
      '{"a":}',
      '{"a":1,}',
      '{"a":1 2}',
      '[1,]',
      '[1 2]',
      'trux',
      '{"a":nulx}',
    ],
    ...[
      '{"a":"\u0001"}',
      '{"a":"\\q"}',
      '{"a":"\\u12"}',
      '{"a":"\\u12g4"}',
      '-a',
      '1.a',
      '1ea',
      '{"a":01}',
      '{"a":1.}',
    ],
    ...[
      '<html>',
      'statement=select',
      '{"statement":"a" "b"}',
      '{"a":\u00e9}',

      '{"a":\u007f}',
      '\u0007',
      '}',
      ']',
      ',',
      '[}',
      '{]',
      '[[[{"a":[}]]]',
    ],
    ...['[]', '1', 'true', '"abc"', '[{"statement":"x"}]'],
    ...[
      '{"statement":1}',
      '{"statement":true}',
      '{"statement":["a"]}',
      '{"statement":{"a":1}}',
      '{"statement":null}',
      '{}',
    ],
    ...[
      '{"extract":"true"}',
      '{"unwrap":1}',
      '{"extract":[]}',
      '{"format":1}',
      '{"params":1}',
      '{"params":{}}',
      '{"params":"a"}',
      '{"params":true}',
    ],
  ];
  for (const body of bodies) await sameWords(context, '/query', post(body));
});

test('a body that is not UTF-8, or compressed, is no JSON', async (context) => {
  for (const bytes of [[0xff], [0x1f, 0x8b, 8, 0], [0xc3], [0x22, 0x5c, 0xff]])
    await sameWords(context, '/query', post(Uint8Array.from(bytes)));
});

test('a body is read as JSON whatever its Content-Type says', async ({ gateway, reference }) => {
  const body = JSON.stringify({ statement: `select id from ${T} where id = 1` });
  for (const type of [
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'nonsense',
    'application/json; charset=latin1',
  ])
    for (const { url } of [gateway, reference]) {
      const answer = await fetch(`${url}/query`, post(body, type));
      assert.is(await answer.text(), '[{"id":1}]', type);
    }
  // As a browser's fetch() of a string, and with no type at all.
  assert.is(await (await fetch(`${gateway.url}/query`, { method: 'POST', body })).text(), '[{"id":1}]');
  const bare = await open(gateway.port);
  bare.write(
    `POST /api/v1/query HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  assert.match(await bare.until(() => bare.closed), '[{"id":1}]');
});

test('chains and table ids', async (context) => {
  for (const chain of ['x', '', '1e3', '99999999999999999999999'].filter((text) => text !== ''))
    await sameWords(context, `/tables/${chain}/1`);
  for (const path of [
    '/tables/5/1',
    '/tables/-1/1',
    '/tables/0/1',
    `/receipt/5/0x${'ab'.repeat(32)}`,
    `/receipt/x/0x${'ab'.repeat(32)}`,
  ])
    await sameWords(context, path);
  for (const id of ['x', '-1', '1e', '1.5', '0x1']) await sameWords(context, `/tables/${CHAIN}/${id}`);
});

test('a receipt of what is no hash is 404, as of a hash that is not known', async (context) => {
  for (const hash of ['0x', '0x00', 'x', 'zz'.repeat(32), `0x${'ab'.repeat(40)}`, `0x${'ab'.repeat(32)}`])
    for (const { url } of [context.gateway, context.reference]) {
      const answer = await fetch(`${url}/receipt/${CHAIN}/${hash}`);
      assert.is(answer.status, 404, hash);
      assert.is(await answer.text(), '', hash);
    }
  for (const hash of ['0xzz', '0Xzz', '0x0', '0xabc', `0x${'ab'.repeat(32)}0`, `0x${'ab'.repeat(32)}%20`])
    assert.is((await sameWords(context, `/receipt/${CHAIN}/${hash}`)).code, 'bad-hash');
});

test('what was meant is in the hint', async ({ gateway }) => {
  const cases: readonly (readonly [string, string, string])[] = [
    [`select * from tt_${CHAIN}_1`, 'unknown-table', `Did you mean ${T}?`],
    [`select nmae from ${T}`, 'unknown-column', 'Did you mean name?'],
    [`select x.scor from ${T} x`, 'unknown-column', 'Did you mean score?'],
    [`select lenght(name) from ${T}`, 'unknown-function', 'Did you mean length?'],
    [
      `select name from ${T} a join u_${CHAIN}_2 b`,
      'ambiguous-column',
      'Write its table before it, as in t.name.',
    ],
    [`select id from ${T} where name = 'a`, 'statement-syntax', 'The text is not closed (character 39).'],
    [`select case 1 from ${T}`, 'statement-syntax', 'Expected WHEN.'],
    [`insert into ${T} values (1)`, 'statement-not-a-read', 'Only SELECT statements are answered.'],
  ];
  for (const [text, code, hint] of cases) {
    const answer = await refusal(await gateway.query(text));
    assert.equal([answer.code, answer.hint], [code, hint], text);
  }
  const far = await refusal(await gateway.query(`select zzzzzzzz from ${T}`));
  assert.is(far.hint, undefined);
});

if (referenceBinary() === undefined) {
  process.stdout.write('SKIPPED: no reference for this machine\n');
  if (process.env['CI'] !== undefined) throw new Error('the reference must not be missing under CI');
}
test.run();
