// Requests whose end two parties may see in different places: each is refused and its connection closed, and
// what hides behind it is never answered. The requests are written as the tricks are known (RFC 9112 section 11.2).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { exchange, type RawAnswer } from '../support/raw-http.ts';
import { TABLES } from '../support/tables.ts';

const test = suite<{ gateway: TestGateway }>('wire/smuggling');
test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: TABLES });
});
test.after(({ gateway }) => gateway.stop());

const PATH = '/api/v1/query';
const BODY = '{"statement":"select 1 as a"}';
const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
/** Behind each trick: an answer to it would show that it went through. */
const HIDDEN = 'GET /api/v1/query?statement=select%20666 HTTP/1.1\r\nHost: h\r\n\r\n';

const post = (headers: readonly string[], body: string): string =>
  `POST ${PATH} HTTP/1.1\r\nHost: h\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
const length = (bytes: number | string): string => `Content-Length: ${bytes}`;

const REFUSED: Readonly<Record<string, string>> = {
  'a length and chunks': post([length(BODY.length), 'Transfer-Encoding: chunked'], CHUNKED),
  'chunks and a length': post(['Transfer-Encoding: chunked', length(3)], CHUNKED),
  'two lengths': post([length(BODY.length), length(0)], BODY),
  'two equal lengths': post([length(BODY.length), length(BODY.length)], BODY),
  'a list of lengths': post([length(`${BODY.length}, ${BODY.length}`)], BODY),
  'a length with a sign': post([length(`+${BODY.length}`)], BODY),
  'a negative length': post([length(-1)], BODY),
  'a length in hexadecimal': post([length('0x1d')], BODY),
  'a length past 64 bits': post([length('18446744073709551645')], BODY),
  'an empty length': post(['Content-Length:'], BODY),
  'an unknown coding': post(['Transfer-Encoding: xchunked'], CHUNKED),
  'chunked not last': post(['Transfer-Encoding: chunked, identity'], CHUNKED),
  'a quoted coding': post(['Transfer-Encoding: "chunked"'], CHUNKED),
  'a coding with a vertical tab': post(['Transfer-Encoding: chunked\x0b'], CHUNKED),
  'a coding with a NUL': post(['Transfer-Encoding: chunked\0'], CHUNKED),
  'a space before the colon': post(['Transfer-Encoding : chunked'], CHUNKED),
  'a tab before the colon': post(['Content-Length\t: 29'], BODY),
  'a folded header': post(['X-Folded: a', ' b', length(BODY.length)], BODY),
  'a folded coding': post(['Transfer-Encoding:', ' chunked'], CHUNKED),
  'a first header that is folded': `POST ${PATH} HTTP/1.1\r\n Host: h\r\n${length(3)}\r\n\r\nabc`,
  'a header without a colon': post(['Nonsense', length(BODY.length)], BODY),
  'a header without a name': post([': value', length(BODY.length)], BODY),
  'a NUL in a header': post(['X-Nul: a\0b', length(BODY.length)], BODY),
  'a bare CR in a header': post(['X-Cr: a\rb', length(BODY.length)], BODY),
  'bare LFs': `POST ${PATH} HTTP/1.1\nHost: h\nContent-Length: 29\n\n${BODY}`,
  'a bare LF among CRLFs': `POST ${PATH} HTTP/1.1\r\nHost: h\nContent-Length: 29\r\n\r\n${BODY}`,
  'a chunk size that is none': post(['Transfer-Encoding: chunked'], `xyz\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk size with a sign': post(['Transfer-Encoding: chunked'], `-1d\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk size with 0x': post(['Transfer-Encoding: chunked'], `0x1d\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk size past 64 bits': post(
    ['Transfer-Encoding: chunked'],
    `fffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`,
  ),
  'a chunk longer than its size': post(['Transfer-Encoding: chunked'], `3\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk size ended by LF': post(['Transfer-Encoding: chunked'], `1d\n${BODY}\r\n0\r\n\r\n`),
  'a chunk extension ended by LF': post(['Transfer-Encoding: chunked'], `1d;a=b\n${BODY}\r\n0\r\n\r\n`),
  'no host': `GET ${PATH}?statement=select+1 HTTP/1.1\r\n\r\n`,
  'two hosts': `GET ${PATH}?statement=select+1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
  'a space in the target': `GET ${PATH}?statement=select 1 HTTP/1.1\r\nHost: h\r\n\r\n`,
  'a control character in the target': `GET ${PATH}?statement=\x01 HTTP/1.1\r\nHost: h\r\n\r\n`,
  'a version that is none': `GET ${PATH}?statement=select+1 HTTP/9.9\r\nHost: h\r\n\r\n`,
  'HTTP/0.9': `GET ${PATH}?statement=select+1\r\n\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a TLS hello': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an unknown method': `FROB ${PATH} HTTP/1.1\r\nHost: h\r\n\r\n`,
};

function assertOurs(answer: RawAnswer, what: string): void {
  assert.is(answer.headers['connection'], 'close', what);
  assert.is(answer.headers['access-control-allow-origin'], '*', what);
  assert.type(JSON.parse(answer.body).code, 'string', what);
}

test('a request whose end can be seen in two places is refused, and the connection closed', async ({
  gateway,
}) => {
  for (const [what, bytes] of Object.entries(REFUSED)) {
    const answers = await exchange(gateway.port, bytes + HIDDEN);
    assert.is(answers.length, 1, `${what}: ${JSON.stringify(answers)}`);
    const [answer] = answers as [RawAnswer];
    assert.is(answer.status, 400, `${what}: ${JSON.stringify(answer)}`);
    assertOurs(answer, what);
  }
});

test('what is framed well is answered, and the next request on the connection too', async ({ gateway }) => {
  const next = 'GET /api/v1/query?statement=select+2+as+b HTTP/1.1\r\nHost: h\r\n\r\n';
  const fine: Readonly<Record<string, string>> = {
    'a length': post([length(BODY.length)], BODY),
    chunks: post(['Transfer-Encoding: chunked'], CHUNKED),
    'chunks with an extension and a trailer': post(
      ['Transfer-Encoding: Chunked'],
      `1d;name=value\r\n${BODY}\r\n0\r\nX-Trailer: t\r\n\r\n`,
    ),
    'a host with a port, and odd but valid headers': post(
      ['X-Empty:', 'X-Tab:\ta\t', length(BODY.length)],
      BODY,
    ),
    'an absolute target': post([length(BODY.length)], BODY).replace(PATH, `http://other.example${PATH}`),
    'empty lines before it': `\r\n\r\n${post([length(BODY.length)], BODY)}`,
  };
  for (const [what, bytes] of Object.entries(fine)) {
    const answers = await exchange(gateway.port, bytes + next, 2);
    assert.equal(
      answers.map(({ status, body }) => [status, body]),
      [
        [200, '[{"a":1}]'],
        [200, '[{"b":2}]'],
      ],
      what,
    );
  }
});

test('the body of a GET is no request', async ({ gateway }) => {
  const get = (body: string): string =>
    `GET /api/v1/query?statement=select+1+as+a HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await exchange(gateway.port, get(HIDDEN) + get(''), 2);
  assert.equal(
    answers.map(({ body }) => body),
    ['[{"a":1}]', '[{"a":1}]'],
  );
});

test('nobody is turned to another protocol', async ({ gateway }) => {
  const get = (headers: string): string =>
    `GET /api/v1/query?statement=select+1+as+a HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;
  for (const headers of [
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
    'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n',
  ]) {
    const [answer] = await exchange(gateway.port, get(headers), 1);
    assert.equal([answer?.status, answer?.body], [200, '[{"a":1}]']);
  }
  // No tunnel: the connection is closed without a word, or refused.
  const tunnel = await exchange(gateway.port, `CONNECT example.org:443 HTTP/1.1\r\nHost: h\r\n\r\n${HIDDEN}`);
  assert.ok(tunnel.every(({ status }) => status >= 400));
});

test('an expectation is met or refused', async ({ gateway }) => {
  const met = await exchange(gateway.port, post(['Expect: 100-continue', length(BODY.length)], BODY), 1);
  assert.equal([met[0]?.status, met[0]?.body], [200, '[{"a":1}]']);
  const [refused] = await exchange(gateway.port, post(['Expect: miracles', length(BODY.length)], BODY), 1);
  assert.is(refused?.status, 417);
});

test('a head of very many lines is refused', async ({ gateway }) => {
  const head = (lines: number): string =>
    `GET /api/v1/query?statement=select+1+as+a HTTP/1.1\r\nHost: h\r\n${'a:\r\n'.repeat(lines)}\r\n`;
  assert.is((await exchange(gateway.port, head(100), 1))[0]?.status, 200);
  assert.is((await exchange(gateway.port, head(20_000), 1))[0]?.status, 431);
  const [huge] = await exchange(
    gateway.port,
    `GET / HTTP/1.1\r\nHost: h\r\nX-Huge: ${'x'.repeat(1_000_000)}\r\n\r\n`,
    1,
  );
  assert.is(huge?.status, 431);
  assertOurs(huge as RawAnswer, 'a huge header');
});

test.run();
