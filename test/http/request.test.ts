// Targets, percent-encoding, query strings, bodies as JSON and entity tags: the pure parts of the edge.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { parseJson } from '../../src/http/body.ts';
import { entityTag, matchesTag } from '../../src/http/etag.ts';
import { decode, readParameters, readTarget } from '../../src/http/request.ts';
import { createRouter, type Route } from '../../src/http/router.ts';

function refused(code: string, run: () => unknown): void {
  assert.throws(run, (error: unknown) => error instanceof GatewayError && error.code === code);
}

test('a target is read in origin form and in the absolute form of proxies', () => {
  assert.equal(readTarget('/api/v1/query?a=1?2'), { path: '/api/v1/query', search: 'a=1?2' });
  assert.equal(readTarget('http://host:80/api/v1/health'), { path: '/api/v1/health', search: '' });
  assert.equal(readTarget('http://host'), { path: '/', search: '' });
  assert.equal(readTarget('*'), { path: '/', search: '' });
});

test('percent-encoding is decoded strictly', () => {
  assert.is(decode('a%20b%F0%9F%92%A9', 'x'), 'a b💩');
  for (const bad of ['%zz', '%4', '%', '%ff', '%c0%af', '%ed%a0%80', '%f4%90%80%80', 'a%e2%82'])
    refused('bad-parameter', () => decode(bad, 'x'));
});

test('in a query string + is a space, values keep their order, and what follows the first = is the value', () => {
  const found = readParameters('a=1+2&b=&c&a=%2B&&d=e=f&%61=x');
  assert.equal(found.get('a'), ['1 2', '+', 'x']);
  assert.equal(found.get('b'), ['']);
  assert.equal(found.get('c'), ['']);
  assert.equal(found.get('d'), ['e=f']);
  assert.is(found.size, 4);
});

test('whole numbers of a body keep every digit', () => {
  const json =
    '{"a":[9007199254740993,-9223372036854775808,12,1.5,1e3],"b":"1234567890123456789","c":1234567890123456.5}';
  const value = parseJson(Buffer.from(json));
  assert.equal(value, {
    a: [9007199254740993n, -9223372036854775808n, 12, 1.5, 1000],
    b: '1234567890123456789',
    c: 1234567890123456.5,
  });
  assert.equal(parseJson(Buffer.from('["\\"1234567890123456789", 1]')), ['"1234567890123456789', 1]);
});

test('a body that is empty, cut off or not UTF-8 is refused', () => {
  for (const bad of ['', '{', '{"a":', '[1,', "{'a':1}", '{"a":1} x'])
    refused('bad-body', () => parseJson(Buffer.from(bad)));
  refused('bad-body', () => parseJson(Uint8Array.of(0x22, 0xff, 0x22)));
});

test('a tag tells its parts apart, and If-None-Match is a list of weak or strong tags', () => {
  const tag = entityTag(['ab', 'c']);
  assert.is.not(tag, entityTag(['a', 'bc']));
  assert.is(tag, entityTag(['ab', 'c']));
  assert.ok(matchesTag(tag, tag));
  assert.ok(matchesTag(`"x", ${tag.slice(2)} , W/"y"`, tag));
  assert.not(matchesTag('*', tag));
  assert.not(matchesTag(undefined, tag));
  assert.not(matchesTag(tag.slice(3, -1), tag));
});

test('the router knows words and segments under the base path, and nothing near them', () => {
  const route = (word: string, segments: 0 | 2): Route => ({ word, segments, limited: false, handlers: {} });
  for (const base of ['', '/api/v1']) {
    const find = createRouter(base, [route('query', 0), route('tables', 2)]);
    assert.is(find(`${base}/query`)?.route.word, 'query');
    assert.equal(find(`${base}/tables/1/2`)?.segments, ['1', '2']);
    for (const path of [
      '',
      '/',
      '/query/',
      '//query',
      '/Query',
      '/query/1/2',
      '/tables',
      '/tables/',
      '/tables/1',
      '/tables/1/',
      '/tables//2',
      '/tables/1/2/',
      '/tables/1/2/3',
      '/constructor',
      '/__proto__',
    ])
      assert.is(find(base + path), undefined, base + path);
  }
  assert.is(createRouter('/api/v1', [route('query', 0)])('/query'), undefined);
  assert.is(createRouter('/api/v1', [route('query', 0)])('/api/v1query'), undefined);
});

test.run();
