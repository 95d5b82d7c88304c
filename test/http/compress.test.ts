// Compressed bodies: who gets which, that they are the same bytes, and that parts are taken as they are read.

import { randomBytes } from 'node:crypto';
import * as zlib from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../src/http/answer.ts';
import { createCompress } from '../../src/http/compress.ts';

const JSON_HEADERS = ['Content-Type', 'application/json', 'ETag', 'W/"a"'];
const BODY = JSON.stringify(Array.from({ length: 2000 }, (_, i) => ({ id: i, name: `name ${i % 7}` })));
const answer = (more: Partial<Answer> = {}): Answer => ({
  status: 200,
  headers: JSON_HEADERS,
  body: Buffer.from(BODY),
  ...more,
});
const compress = createCompress({ minBytes: 1000, cacheBytes: 1_000_000 });
const headers =
  (accepted: string | undefined) =>
  (name: string): string | undefined =>
    name === 'accept-encoding' ? accepted : undefined;
const coded = async (given: Answer, accepted: string | undefined, withBody = true): Promise<Answer> =>
  compress(given, { header: headers(accepted), withBody });
function header({ headers: list }: Answer, name: string): string | undefined {
  const at = list.indexOf(name);
  return at < 0 ? undefined : list[at + 1];
}

test('chooses the coding by quality values, and none where none is asked for', async () => {
  const cases: Readonly<Record<string, string | undefined>> = {
    gzip: 'gzip',
    br: 'br',
    'gzip, deflate, br': 'br',
    'gzip;q=0.5, identity': undefined,
    'gzip;q=0.5, identity;q=0.1': 'gzip',
    'br;q=0.5, gzip;q=0.8': 'gzip',
    'br;q=0, gzip;q=0.1': 'gzip',
    'gzip;q=0': undefined,
    identity: undefined,
    deflate: undefined,
    '': undefined,
    'X-GZIP': 'gzip',
    // Of Node.js 22.15 on.
    '*': 'createZstdCompress' in zlib ? 'zstd' : 'br',
    '*;q=0': undefined,
    '*/*': undefined,
  };
  for (const [accepted, coding] of Object.entries(cases))
    assert.is(header(await coded(answer(), accepted), 'Content-Encoding'), coding, accepted);
  assert.is(header(await coded(answer(), undefined), 'Content-Encoding'), undefined);
});

test('compresses to the same text, under the same weak tag, and says that the coding was chosen', async () => {
  const gzip = await coded(answer(), 'gzip');
  assert.is(zlib.gunzipSync(gzip.body as Uint8Array).toString(), BODY);
  const br = await coded(answer({ body: BODY }), 'br');
  assert.is(zlib.brotliDecompressSync(br.body as Uint8Array).toString(), BODY);
  for (const each of [gzip, br, await coded(answer(), undefined)]) {
    assert.is(header(each, 'ETag'), 'W/"a"');
    assert.is(header(each, 'Vary'), 'Accept-Encoding');
  }
  const varied = await coded(answer({ headers: ['Vary', 'Accept', ...JSON_HEADERS] }), 'gzip');
  assert.equal(
    varied.headers.filter((name) => name === 'Vary'),
    ['Vary'],
  );
  assert.is(header(varied, 'Vary'), 'Accept, Accept-Encoding');
});

test('compresses what is kept once for each coding, and keeps apart what has another tag', async () => {
  const tagged = (tag: string): Answer => answer({ headers: ['Content-Type', 'text/csv', 'ETag', tag] });
  const first = await coded(tagged('W/"x"'), 'gzip');
  assert.is((await coded(tagged('W/"x"'), 'gzip')).body, first.body);
  assert.is.not((await coded(tagged('W/"y"'), 'gzip')).body, first.body);
  assert.is(header(await coded(tagged('W/"x"'), 'br'), 'Content-Encoding'), 'br');
  const untagged = answer({ headers: ['Content-Type', 'text/csv'] });
  assert.is.not((await coded(untagged, 'gzip')).body, (await coded(untagged, 'gzip')).body);
});

test('leaves alone what is small, no success, compressed already or of a kind that does not shrink', async () => {
  const alone: Answer[] = [
    answer({ body: 'x'.repeat(999) }),
    answer({ status: 400 }),
    answer({ headers: ['Content-Type', 'application/vnd.apache.parquet'] }),
    answer({ headers: ['Content-Type', 'image/png'] }),
    answer({ headers: [...JSON_HEADERS, 'Content-Encoding', 'br'] }),
    answer({ headers: [] }),
  ];
  for (const each of alone) assert.is(await coded(each, 'gzip'), each);
  const off = createCompress({ minBytes: 0, cacheBytes: 1 });
  const given = answer();
  assert.is(off(given, { header: headers('gzip'), withBody: true }), given);
});

test('compresses parts as they come and are taken, and leaves the rest when its reader leaves', async () => {
  let made = 0;
  let left = false;
  async function* rest(): AsyncGenerator<Uint8Array> {
    try {
      for (; made < 2000; made++) yield randomBytes(10_000);
    } finally {
      left = true;
    }
  }
  const streamed = await coded(answer({ body: 'first', rest: rest() }), 'gzip');
  assert.is(header(streamed, 'Content-Encoding'), 'gzip');
  assert.is(streamed.body, '');
  let taken = 0;
  for await (const part of streamed.rest ?? []) {
    taken += part.byteLength;
    if (taken > 100_000) break;
  }
  assert.ok(made < 60, `${made} parts were made for a reader of a hundredth`);
  for (let tries = 0; !left && tries < 100; tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(left, 'the parts were left');
});

test('gives the whole of an answer in parts, and its failure half-way', async () => {
  const parts = async (given: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> => {
    const all: Uint8Array[] = [];
    for await (const part of given ?? []) all.push(part);
    return Buffer.concat(all);
  };
  async function* whole(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 50; i++) yield Buffer.from(`part ${i} ${'-'.repeat(5000)}\n`);
  }
  const expected = `first${(await parts(whole())).toString()}`;
  for (const [coding, decode] of [
    ['gzip', zlib.gunzipSync],
    ['br', zlib.brotliDecompressSync],
  ] as const) {
    const streamed = await coded(answer({ body: 'first', rest: whole() }), coding);
    assert.is(decode(await parts(streamed.rest)).toString(), expected);
  }
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a part');
    throw new Error('half-way');
  }
  const failing = await coded(answer({ body: 'first', rest: broken() }), 'gzip');
  let message = '';
  await parts(failing.rest).catch((error: Error) => {
    message = error.message;
  });
  assert.is(message, 'half-way');
});

test('leaves parts that nobody has begun to read, and compresses none for HEAD', async () => {
  let left = 0;
  const rest = (): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: Buffer.from('x') }),
      return: async () => {
        left += 1;
        return { done: true, value: undefined };
      },
    }),
  });
  const streamed = await coded(answer({ body: 'first', rest: rest() }), 'gzip');
  await streamed.rest?.[Symbol.asyncIterator]().return?.();
  assert.is(left, 1);
  const given = rest();
  const head = await coded(answer({ body: 'first', rest: given }), 'gzip', false);
  assert.is(header(head, 'Content-Encoding'), 'gzip');
  assert.is(head.rest, given);
});

test('sends answers as they are while too many wait to be compressed', async () => {
  const many = Array.from({ length: 100 }, (_, i) =>
    coded(answer({ headers: ['Content-Type', 'text/csv', 'ETag', `W/"many ${i}"`] }), 'br'),
  );
  const codings = (await Promise.all(many)).map((each) => header(each, 'Content-Encoding'));
  assert.ok(codings.includes('br'));
  assert.ok(codings.includes(undefined));
});

test.run();
