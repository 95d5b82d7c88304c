// Table metadata, receipts and refusals of the edge side by side with the real reference, over one database:
// status and body, member by member and in order. SQL is test/differential's matter.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { type Reference, referenceBinary, startReference } from '../support/reference.ts';

const CHAIN = 31337;
const HASH = 'ab'.repeat(32);
const SEED = `
  create table a_${CHAIN}_0 (a integer) strict;
  create table a_${CHAIN}_1 (id integer primary key, name text not null unique default 'it''s', n int check (n > 0 and n <> 5), b blob, primary_key text) strict;
  create table "b_c_${CHAIN}_2" (x text, y integer, unique(x, y), check (length(x) < 10)) strict;
  create table c_${CHAIN}_3 (id integer primary key autoincrement, j text default '{}', k integer not null default -1) strict;
  create table d_${CHAIN}_4 (x text, y integer, primary key (x, y)) strict;
  create table e_${CHAIN}_5 (n integer generated always as (1) stored, m int) strict;
  insert into registry(id, structure, controller, prefix, created_at, chain_id) values
    (0, 's', '0xC', 'a', 1, ${CHAIN}), (1, 's', '0xC', 'a', 1700000000, ${CHAIN}), (2, 's', '0xC', 'b_c', 1700000001, ${CHAIN}),
    (3, 's', '0xC', 'c', 1700000002, ${CHAIN}), (4, 's', '0xC', 'd', 0, ${CHAIN}), (5, 's', '0xC', 'e', 5, ${CHAIN});
  insert into system_txn_receipts(chain_id, block_number, index_in_block, txn_hash, error, table_id, error_event_idx, table_ids) values
    (${CHAIN}, 10, 0, '0x${HASH}', null, 1, null, '1,2'),
    (${CHAIN}, 10, 1, '0x${'01'.repeat(32)}', 'boom', null, 0, null),
    (${CHAIN}, 10, 2, '0x${'02'.repeat(32)}', 'boom "x" <é>', 2, 7, '2'),
    (${CHAIN}, 10, 3, '0x${'03'.repeat(32)}', null, null, null, '5');
`;

const test = suite<{ reference: Reference; gateway: TestGateway; data: string }>('routes/reference');

test.before(async (context) => {
  context.reference = await startReference({
    externalUriPrefix: 'https://tables.example',
    animationRendererUri: 'https://render.example/anim',
    metadataRendererUri: 'https://render.example/meta/',
    seed: (database) => database.exec(SEED),
  });
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-side-'));
  runImport(context.reference.databasePath, context.data);
  context.gateway = await startTestGateway({
    data: context.data,
    args: [
      '--external-uri-prefix',
      'https://tables.example',
      '--animation-renderer-uri',
      'https://render.example/anim',
      '--metadata-renderer-uri',
      'https://render.example/meta/',
    ],
  });
});
test.after(async ({ gateway, reference, data }) => {
  await gateway?.stop();
  await reference?.stop();
  if (data !== undefined) rmSync(data, { recursive: true, force: true });
});

/** Both must have the same body: text where it is 200, emptiness where it is not. */
const SAME: readonly string[] = [
  ...[0, 1, 2, 3, 4].map((id) => `/tables/${CHAIN}/${id}`),
  `/tables/${CHAIN}/01`,
  `/tables/0${CHAIN}/1`,
  `/tables/${CHAIN}/99`,
  `/tables/${CHAIN}/x`,
  `/tables/${CHAIN}/-1`,
  `/tables/${CHAIN}/0x1`,
  `/tables/${CHAIN}/1.5`,
  '/tables/1/1',
  '/tables/x/1',
  '/tables/-1/1',
  '/tables/1e3/1',
  `/tables/${2 ** 40}/1`,
  ...[`0x${HASH}`, HASH, `0X${HASH.toUpperCase()}`].map((hash) => `/receipt/${CHAIN}/${hash}`),
  ...['01', '02', '03', '04'].map((pair) => `/receipt/${CHAIN}/0x${pair.repeat(32)}`),
  `/receipt/${CHAIN}/0xabc`,
  `/receipt/${CHAIN}/0xzz`,
  `/receipt/1/0x${HASH}`,
  '/health',
  '/query',
  '/query?statement=',
  '/query?statement=%20',
  `/query?statement=select+a+from+a_${CHAIN}_0&format=x`,
  `/query?statement=select+a+from+a_${CHAIN}_0&format=Table`,
  `/query?statement=select+a+from+a_${CHAIN}_0&extract=tRue`,
  `/query?statement=select+a+from+a_${CHAIN}_0&unwrap=yes`,
  `/query?statement=select+a+from+a_${CHAIN}_0&unwrap=T`,
  `/query?statement=select+a+from+a_${CHAIN}_0&extract=1`,
  `/query?statement=select+a+from+a_${CHAIN}_0&format=&extract=&unwrap=`,
  `/query?statement=select+a+from+a_${CHAIN}_0&format=table&unwrap=1`,
];

for (const path of SAME)
  test(`the same as the reference: ${path.slice(0, 70)}`, async ({ gateway, reference }) => {
    const [ours, theirs] = await Promise.all([fetch(gateway.url + path), fetch(reference.url + path)]);
    assert.is(ours.status, theirs.status, path);
    const [our, their] = [await ours.text(), (await theirs.text()).trimEnd()];
    // By value and order of members: the reference writes < as \\u003c.
    if (ours.status === 200 && our !== '')
      assert.is(JSON.stringify(JSON.parse(our)), JSON.stringify(JSON.parse(their)));
    else if (their === '') assert.is(our, '');
    else assert.ok((JSON.parse(our) as { message: string }).message.length > 0);
    for (const name of ['access-control-allow-origin', 'trace-id'])
      assert.is(ours.headers.has(name), theirs.headers.has(name), name);
  });

test('POST answers the same, and refuses the same', async ({ gateway, reference }) => {
  const statement = `select a from a_${CHAIN}_0`;
  for (const body of [
    { statement },
    { statement, format: 'table' },
    { statement, unwrap: true },
    { STATEMENT: statement, Format: 'table' },
    { statement, format: null, params: null, extract: null },
    { statement, unknown: 1 },
    { statement: 1 },
    { statement, params: {} },
    { statement, params: [[1]] },
    { statement, extract: 'true' },
    [],
    '',
    {},
  ]) {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const [ours, theirs] = await Promise.all([
      fetch(`${gateway.url}/query`, init),
      fetch(`${reference.url}/query`, init),
    ]);
    const [our, their] = [await ours.text(), await theirs.text()];
    assert.is(ours.status, theirs.status, JSON.stringify(body));
    if (ours.status === 200) assert.is(our, their);
  }
});

if (referenceBinary() === undefined) {
  process.stdout.write('SKIPPED: no reference for this machine\n');
  if (process.env['CI'] !== undefined) throw new Error('the reference must not be missing under CI');
}
test.run();
