// The listing of tables and the pictures of tables over HTTP, by a whole gateway with hostile names and values.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TestTable } from '../support/snapshot.ts';
import { CHAIN, EMPTY, RECEIPTS, TOKENS } from '../support/tables.ts';

const OTHER = 5;
/** Ids whose order as texts is not their order as numbers, one past 64 bits. */
const IDS = ['1', '2', '9', '10', '100', '340282366920938463463374607431768211456'];
const many: readonly TestTable[] = IDS.map((id) => ({
  name: `other_${OTHER}_${id}`,
  columns: [{ name: 'a', type: 'integer' }],
  rows: [[Number(id.slice(0, 3))]],
}));
const BAD = `<script>alert(1)</script>"'&`;
const HOSTILE: TestTable = {
  name: `hostile_${CHAIN}_66`,
  columns: [
    { name: BAD, type: 'text', constraints: [`check("${BAD}")`] },
    { name: 'bytes', type: 'blob' },
    { name: 'big', type: 'integer' },
  ],
  tableConstraints: [BAD],
  rows: [
    [BAD, new Uint8Array([0, 255, 16]), 9_007_199_254_740_993n],
    [null, null, null],
    ['x'.repeat(1_000_000), new Uint8Array(100_000), -9_223_372_036_854_775_807n],
  ],
};

const test = suite<{ gateway: TestGateway }>('routes/tables');
test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: [TOKENS, EMPTY, RECEIPTS, HOSTILE, ...many] });
});
test.after(({ gateway }) => gateway?.stop());

interface Listing {
  readonly snapshot: string;
  readonly chains: readonly number[];
  readonly total: number;
  readonly tables: readonly { readonly name: string; readonly [member: string]: unknown }[];
  readonly next?: string;
}

async function list(gateway: TestGateway, search: string): Promise<Listing> {
  const answer = await fetch(`${gateway.url}/tables${search}`);
  assert.is(answer.status, 200, search);
  return (await answer.json()) as Listing;
}
const names = ({ tables }: Listing): string[] => tables.map(({ name }) => name);

test('every user table is listed by chain and id, with its counts and its address', async ({ gateway }) => {
  const all = await list(gateway, '');
  assert.equal(
    names(all),
    [...many, TOKENS, EMPTY, HOSTILE].map(({ name }) => name),
  );
  assert.is(all.total, 9);
  assert.is(all.next, undefined);
  assert.match(all.snapshot, /^\d{6}-/);
  assert.equal(all.chains, [OTHER, CHAIN]);
  assert.equal(all.tables[6], {
    name: TOKENS.name,
    chain_id: CHAIN,
    table_id: '1',
    prefix: 'tokens',
    created_at: 1_700_000_000,
    row_count: 3,
    column_count: 4,
    url: `${gateway.url}/tables/${CHAIN}/1`,
  });
});

test('tables are found by chain and by part of the name in any case', async ({ gateway }) => {
  assert.equal(names(await list(gateway, `?chain=${CHAIN}&search=TOK`)), [TOKENS.name]);
  assert.is((await list(gateway, `?chain=${OTHER}`)).total, IDS.length);
  assert.is((await list(gateway, '?chain=&search=&limit=&after=')).total, 9);
  for (const nothing of [
    '%',
    '_%25',
    `' or 1=1 --`,
    `');drop table tokens_${CHAIN}_1;--`,
    '\\',
    '"',
    BAD,
    '日本',
  ])
    assert.equal(names(await list(gateway, `?search=${encodeURIComponent(nothing)}`)), [], nothing);
});

test('pages follow each other without a gap or a double, also past 64 bits', async ({ gateway }) => {
  const all = names(await list(gateway, ''));
  for (const limit of [1, 2, 4, 8, 9, 1000]) {
    const seen: string[] = [];
    let after = '';
    do {
      const page: Listing = await list(gateway, `?limit=${limit}${after}`);
      assert.is(page.total, 9);
      assert.ok(page.tables.length <= limit);
      seen.push(...names(page));
      after = page.next === undefined ? '' : `&after=${page.next}`;
    } while (after !== '');
    assert.equal(seen, all, `limit ${limit}`);
  }
  assert.equal(names(await list(gateway, '?after=5/0000011&limit=1')), [`other_${OTHER}_100`]);
  assert.equal(names(await list(gateway, `?after=999999999/1`)), []);
});

test('bad values of the listing are 400 with a message that names them', async ({ gateway }) => {
  const bad: readonly (readonly [string, string])[] = [
    ['chain=x', 'bad-chain'],
    ['chain=-1', 'bad-chain'],
    ['chain=1e3', 'bad-chain'],
    ['chain=77', 'bad-chain'],
    ['limit=0', 'bad-parameter'],
    ['limit=1001', 'bad-parameter'],
    ['limit=x', 'bad-parameter'],
    ['limit=1.5', 'bad-parameter'],
    ['limit=99999999999999999999', 'bad-parameter'],
    [`search=${'x'.repeat(101)}`, 'bad-parameter'],
    ['search=a%00b', 'bad-parameter'],
    ['search=%ff', 'bad-parameter'],
    ['search=%zz', 'bad-parameter'],
    ['after=1', 'bad-parameter'],
    ['after=1/x', 'bad-parameter'],
    ['after=1/2/3', 'bad-parameter'],
    [`after=1/${'9'.repeat(79)}`, 'bad-parameter'],
    [`after=1/' or 1=1`, 'bad-parameter'],
    ['after=9999999999999999/1', 'bad-parameter'],
  ];
  for (const [search, code] of bad) {
    const answer = await fetch(`${gateway.url}/tables?${search}`);
    assert.is(answer.status, 400, search);
    assert.is(((await answer.json()) as { code: string }).code, code, search);
  }
});

test('the listing and the pictures have a tag each and are answered 304 to whoever has it', async ({
  gateway,
}) => {
  const paths = [
    '/tables',
    '/tables?limit=1',
    `/tables/${CHAIN}/1.svg`,
    `/tables/${CHAIN}/1.html`,
    `/tables/${CHAIN}/2.svg`,
  ];
  const tags = new Set<string>();
  for (const path of paths) {
    const etag = (await fetch(gateway.url + path)).headers.get('etag') ?? '';
    assert.match(etag, /^W\/"/);
    tags.add(etag);
    const again = await fetch(gateway.url + path, { headers: { 'if-none-match': etag } });
    assert.is(again.status, 304);
    assert.is(await again.text(), '');
    const head = await fetch(gateway.url + path, { method: 'HEAD' });
    assert.is(head.headers.get('etag'), etag);
  }
  assert.is(tags.size, paths.length);
});

test('a description points to its pictures, and they are there', async ({ gateway }) => {
  const description = (await (await fetch(`${gateway.url}/tables/${CHAIN}/1`)).json()) as {
    readonly image: string;
    readonly animation_url: string;
  };
  for (const [address, type] of [
    [description.image, 'image/svg+xml; charset=utf-8'],
    [description.animation_url, 'text/html; charset=utf-8'],
  ] as const) {
    const answer = await fetch(address);
    assert.is(answer.status, 200);
    assert.is(answer.headers.get('content-type'), type);
    assert.is(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'none';.*sandbox$/);
    assert.is(answer.headers.get('cache-control'), 'public, max-age=60');
    const text = await answer.text();
    for (const part of [TOKENS.name, '3 rows', 'ada', '0x00ff', '9007199254740993', 'NULL'])
      assert.ok(text.includes(part), part);
  }
});

test('hostile values and huge cells stay harmless and small in both pictures', async ({ gateway }) => {
  for (const ending of ['svg', 'html']) {
    const answer = await fetch(`${gateway.url}/tables/${CHAIN}/66.${ending}`);
    const text = await answer.text();
    assert.is(answer.status, 200);
    assert.not.match(text, '<script');
    assert.match(text, '&lt;script&gt;');
    assert.match(text, '9007199254740993');
    assert.ok(text.length < 20_000);
  }
});

test('an empty table has pictures; an unknown table, chain or id has none', async ({ gateway }) => {
  for (const ending of ['svg', 'html']) {
    assert.match(await (await fetch(`${gateway.url}/tables/${CHAIN}/2.${ending}`)).text(), 'no rows yet');
    const missing = await fetch(`${gateway.url}/tables/${CHAIN}/99.${ending}`);
    assert.is(missing.status, 404);
    assert.is(await missing.text(), '');
    for (const path of [
      `/77/1.${ending}`,
      `/${CHAIN}/x.${ending}`,
      `/${CHAIN}/-1.${ending}`,
      `/${CHAIN}/.${ending}`,
    ])
      assert.is((await fetch(`${gateway.url}/tables${path}`)).status, 400, path);
  }
  for (const path of ['1.png', '1.svg.html', '1.SVG', '1.'])
    assert.is((await fetch(`${gateway.url}/tables/${CHAIN}/${path}`)).status, 400, path);
});

test('the listing and the pictures cost a token of the rate limit each', async () => {
  const gateway = await startTestGateway({
    tables: [TOKENS],
    args: ['--rate-limit', '1', '--rate-burst', '3'],
  });
  try {
    const paths = ['/tables', `/tables/${CHAIN}/1.svg`, `/tables/${CHAIN}/1.html`, `/tables/${CHAIN}/1.svg`];
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await fetch(gateway.url + path)).status);
    assert.equal(statuses, [200, 200, 200, 429]);
  } finally {
    await gateway.stop();
  }
});

test.run();
