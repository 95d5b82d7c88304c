// Read what you wrote: requests that name the block or snapshot that they know of are answered from data that has it,
// wait for it where they prefer to, and are told when it does not come.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../lane/support.ts';
import { readExposition, sampleValue } from '../support/exposition.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { makeSnapshot } from '../support/snapshot.ts';

interface Context {
  dir: string;
  gateway: TestGateway;
  /** Number of the snapshot that is served. */
  number: number;
}
const test = suite<Context>('routes/minimum');

const CALM = { name: 'calm_1_1', columns: [{ name: 'n', type: 'integer' }], rows: [[7]] } as const;
const BUSY = { name: 'busy_1_2', columns: [{ name: 'n', type: 'integer' }] } as const;
const QUERY = `/query?${new URLSearchParams({ statement: 'select n from busy_1_2' })}`;
const PATHS = [QUERY, '/tables', '/tables/1/1', '/tables/1/1.svg', `/receipt/1/0x${'00'.repeat(32)}`];

/** Block 100 + n of chain 1, and none of chain 5. */
async function publish(dir: string, n: number): Promise<string> {
  const { id } = await makeSnapshot(dir, [CALM, { ...BUSY, rows: [[n]] }], new Map([[1, 100 + n]]));
  return id;
}

test.before.each(async (context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'tablegate-minimum-'));
  context.number = Number((await publish(context.dir, 1)).split('-')[0]);
  context.gateway = await startTestGateway({
    data: context.dir,
    args: [
      ...['--chains', '5', '--max-waiting', '30', '--max-wait-ms', '300000'],
      ...['--metrics-port', '0', '--console', 'off', '--watch-every', '200ms'],
    ],
  });
});
test.after.each(async ({ dir, gateway }) => {
  await gateway.stop();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (
  { gateway }: Pick<Context, 'gateway'>,
  path: string,
  headers: Record<string, string>,
): Promise<Response> => fetch(gateway.url + path, { headers });

const scrape = async ({ metricsAddress }: TestGateway) =>
  readExposition(await (await fetch(metricsAddress ?? '')).text());
const waiting = async (gateway: TestGateway): Promise<number> =>
  sampleValue(await scrape(gateway), 'tablegate_waiting_requests');
const waits = async (gateway: TestGateway, end: string): Promise<number> =>
  sampleValue(await scrape(gateway), 'tablegate_waits_total', { end });

test('what is there is answered at once, and what is not is a 503 that says how far the data is', async (context) => {
  const { number } = context;
  for (const path of PATHS) {
    const plain = await ask(context, path, {});
    const body = await plain.text();
    for (const headers of [
      { 'tablegate-min-block': '1:101' },
      { 'tablegate-min-block': ' 1:0 , 1:100' },
      { 'tablegate-min-snapshot': String(number) },
      { 'tablegate-min-snapshot': plain.headers.get('tablegate-snapshot')?.split(';')[0] ?? '' },
      { 'tablegate-min-block': '1:101', 'tablegate-min-snapshot': '1', prefer: 'wait=100' },
    ]) {
      const answer = await ask(context, path, headers);
      assert.is(answer.status, plain.status, path);
      assert.is(await answer.text(), body);
      assert.is(answer.headers.get('preference-applied'), null, 'nothing was waited for');
    }
    for (const [headers, message] of [
      [
        { 'tablegate-min-block': '1:102' },
        'Block 102 of chain 1 is not shown yet: the last one here is 101.',
      ],
      [
        { 'tablegate-min-block': '1:1,1:102', prefer: 'wait=0' },
        'Block 102 of chain 1 is not shown yet: the last one here is 101.',
      ],
      [
        { 'tablegate-min-block': '5:1' },
        'Block 1 of chain 5 is not shown: the data here says no block of that chain (that of files never does).',
      ],
      [
        { 'tablegate-min-snapshot': String(number + 1), prefer: 'respond-async' },
        `Snapshot ${number + 1} is not shown yet: the one here is ${number}.`,
      ],
    ] as const) {
      const answer = await ask(context, path, headers);
      const error = (await answer.json()) as Record<string, string>;
      assert.is(answer.status, 503, path);
      assert.is(error['code'], 'not-ready');
      assert.is(error['message'], message);
      assert.is(answer.headers.get('retry-after'), '1');
      assert.match(answer.headers.get('tablegate-snapshot') ?? '', /blocks="1:101"$/);
    }
    assert.match(plain.headers.get('vary') ?? '', /Tablegate-Min-Block, Tablegate-Min-Snapshot/);
  }
  for (const path of ['/health', '/version'])
    assert.is((await ask(context, path, { 'tablegate-min-block': '1:9999' })).status, 200, path);
});

test('who waits is answered by the turn to the new snapshot, on every route and in a POST', async (context) => {
  const { gateway, dir } = context;
  const headers = { 'tablegate-min-block': '1:102', prefer: 'respond-async, Wait = 100; x=1' };
  const gets = PATHS.map((path) => ask(context, path, headers));
  // Larger than what a socket holds: it must be read while it waits.
  const filler = 'x'.repeat(200_000);
  const post = gateway.post({ statement: 'select n from busy_1_2', filler }, headers);
  // A client has a tenth of the room.
  await until(async () => (await waiting(gateway)) === 3 && (await waits(gateway, 'full')) === 3, 30_000);
  const id = await publish(dir, 2);
  const answers = await Promise.all([...gets, post]);
  const came = answers.filter(({ status }) => status !== 503);
  assert.is(came.length, 3);
  for (const answer of came) {
    assert.is(answer.headers.get('preference-applied'), 'wait=100');
    assert.ok(answer.headers.get('tablegate-snapshot')?.startsWith(`${id}; `), 'shown by the new one');
    await answer.text();
  }
  for (const answer of answers.filter(({ status }) => status === 503)) {
    assert.match(await answer.text(), 'Too many requests wait');
    assert.is(answer.headers.get('preference-applied'), null, 'it did not wait');
  }
  assert.is(await waits(gateway, 'came'), 3);
  assert.is(await waiting(gateway), 0);
  const again = await gateway.post({ statement: 'select n from busy_1_2', filler }, headers);
  assert.equal(await again.json(), [{ n: 2 }]);
});

test('a tag that still fits is a 304 only once the data is as new as asked for', async (context) => {
  const { dir } = context;
  const path = `/query?${new URLSearchParams({ statement: 'select n from calm_1_1' })}`;
  await (await ask(context, path, {})).text();
  const etag = (await ask(context, path, {})).headers.get('etag') ?? '';
  const headers = { 'if-none-match': etag, 'tablegate-min-block': '1:102' };
  assert.is((await ask(context, path, { 'if-none-match': etag })).status, 304);
  assert.is((await ask(context, path, headers)).status, 503);
  assert.is((await ask(context, path, { 'tablegate-min-block': '1:102' })).status, 503, 'nor from the cache');
  const later = ask(context, path, { ...headers, prefer: 'wait=100' });
  await publish(dir, 2);
  const answer = await later;
  // That table has rows of its own in each snapshot of the test's: another version, so another tag.
  assert.is(answer.status, 200);
  assert.match(answer.headers.get('tablegate-snapshot') ?? '', /blocks="1:102"$/);
  const newer = { ...headers, 'if-none-match': answer.headers.get('etag') ?? '' };
  assert.is((await ask(context, path, newer)).status, 304);
});

test('a time that is over is a 503, bounded by the setting whatever is preferred', async (context) => {
  const { dir, gateway } = context;
  const answer = await ask(context, QUERY, { 'tablegate-min-block': '1:999', prefer: 'wait=1' });
  assert.is(answer.status, 503);
  assert.is(answer.headers.get('preference-applied'), 'wait=1');
  assert.is(await waits(gateway, 'late'), 1);
  const brief = await startTestGateway({ data: dir, args: ['--max-wait-ms', '1000', '--console', 'off'] });
  const bounded = await ask({ gateway: brief }, QUERY, {
    'tablegate-min-block': '1:999',
    prefer: 'wait=3600',
  });
  assert.is(bounded.status, 503);
  assert.is(bounded.headers.get('preference-applied'), 'wait=1');
  await brief.stop();
});

test('values that are none are a 400 that names the header', async (context) => {
  for (const value of [
    '',
    '1',
    '1:',
    ':1',
    '1:2:3',
    'x:1',
    '1:-5',
    '1:1.5',
    '1:101,',
    `1:${'9'.repeat(16)}`,
  ]) {
    const answer = await ask(context, QUERY, { 'tablegate-min-block': value });
    const error = (await answer.json()) as Record<string, string>;
    assert.is(answer.status, 400, value);
    assert.is(error['code'], 'bad-parameter', value);
    assert.match(error['message'] ?? '', /^Tablegate-Min-Block must be CHAIN_ID:BLOCK/);
  }
  const many = await ask(context, QUERY, { 'tablegate-min-block': Array(17).fill('1:1').join(',') });
  assert.is(many.status, 400);
  const chain = await ask(context, QUERY, { 'tablegate-min-block': '77:1', prefer: 'wait=100' });
  assert.is(chain.status, 400);
  assert.is(((await chain.json()) as Record<string, string>)['code'], 'bad-chain');
  for (const value of ['', 'x', '-1', '1,2', '000001-zz', '1.5']) {
    const answer = await ask(context, QUERY, { 'tablegate-min-snapshot': value });
    assert.is(answer.status, 400, value);
    assert.match(await answer.text(), 'Tablegate-Min-Snapshot must be the number or the id');
  }
  for (const prefer of ['wait', 'wait=', 'wait=soon', 'wait=-1', 'wait=1.5', 'await=9']) {
    const answer = await ask(context, QUERY, { 'tablegate-min-block': '1:999', prefer });
    assert.is(answer.status, 503, 'a preference that is none counts as not there');
    assert.is(answer.headers.get('preference-applied'), null);
  }
});

test('who leaves gives its place back, and a gateway that stops lets go of all', async (context) => {
  const { gateway } = context;
  const headers = { 'tablegate-min-block': '1:999', prefer: 'wait=300' };
  const controller = new AbortController();
  const left = fetch(gateway.url + QUERY, { headers, signal: controller.signal });
  left.catch(() => {});
  await until(async () => (await waiting(gateway)) === 1, 30_000);
  controller.abort();
  await until(async () => (await waits(gateway, 'left')) === 1, 30_000);
  assert.is(await waiting(gateway), 0);
  const held = ask(context, QUERY, headers);
  await until(async () => (await waiting(gateway)) === 1, 30_000);
  const stopped = gateway.stop();
  const answer = await held;
  assert.is(answer.status, 503);
  assert.is(answer.headers.get('connection'), 'close');
  await stopped;
  assert.equal(
    gateway.seen.filter(({ type }) => type === 'bug'),
    [],
  );
  // For the suite's own end.
  context.gateway = await startTestGateway({ data: context.dir });
});

test.run();
