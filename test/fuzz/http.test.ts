// Raw bytes at the socket: requests with bytes changed, and parameters and headers of every kind. Each is
// answered as HTTP, or its connection closed; the next client is answered as ever.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange, open, readAnswers } from '../support/raw-http.ts';
import { campaign, SEED } from './campaign.ts';
import { startTarget, type Target } from './target.ts';

const test = suite<{ target: Target }>('fuzz/http');
test.before(async (context) => {
  context.target = await startTarget();
});
test.after(({ target }) => target.stop());

const BODY = '{"statement":"select ? as a","params":[1],"format":"objects","extract":false}';
const REQUESTS: readonly string[] = [
  'GET /api/v1/query?statement=select%201%20as%20a&params=1&format=table HTTP/1.1\r\nHost: h\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nIf-None-Match: W/"a"\r\n\r\n',
  `POST /api/v1/query HTTP/1.1\r\nHost: h\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  `POST /api/v1/query HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n${BODY.length.toString(16)};x=y\r\n${BODY}\r\n0\r\nTrailer: x\r\n\r\n`,
  'GET /api/v1/tables/31337/2 HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\n\r\nGET /api/v1/health HTTP/1.1\r\nHost: h\r\n\r\n',
  'GET /api/v1/tables?chain=31337&search=a&limit=2&after=1 HTTP/1.0\r\n\r\n',
  `GET /api/v1/receipt/31337/0x${'1'.repeat(64)} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 1.2.3.4\r\nTraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n`,
  'OPTIONS /api/v1/query HTTP/1.1\r\nHost: h\r\nOrigin: http://a\r\nAccess-Control-Request-Method: POST\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'GET http://h/api/v1/version HTTP/1.1\r\nHost: h\r\nX-Request-Id: abc\r\nApi-Key: k\r\n\r\n',
];
const PIECES: readonly string[] = [
  ...[
    '\r\n',
    '\r',
    '\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '%',
    '%00',
    '%ff',
    '%zz',
    '&',
    '=',
    '?',
    '#',
    '/',
    '//',
    '/../',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Host: x\r\n',
    'Connection: close\r\n',
    'Expect: x\r\n',
    '0\r\n\r\n',
  ],
  ...[
    'GET',
    'POST',
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/2',
    'é',
    '\xff\xfe',
    '{',
    '}',
    '[',
    '"',
    '\\u0000',
    '1e999',
    '-1',
    '99999999999999999999',
  ],
  ...[
    'statement',
    'params',
    'format',
    'extract',
    'unwrap',
    'x'.repeat(5000),
    '%41'.repeat(3000),
    'a:\r\n'.repeat(400),
  ],
];

const mutated: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...REQUESTS),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 6 }),
        fc.oneof(
          fc.constantFrom(...PIECES),
          fc.string({ unit: 'binary-ascii', maxLength: 4 }),
          fc.constant(''),
        ),
      ),
      { maxLength: 5 },
    ),
    fc.nat({ max: 3 }),
  )
  .map(([request, changes, more]) => {
    let bytes = request;
    for (const [first, remove, insert] of changes) {
      const at = first % (bytes.length + 1);
      bytes = bytes.slice(0, at) + insert + bytes.slice(at + remove);
    }
    return bytes.repeat(more === 3 ? 2 : 1);
  });

/** Long enough for an answer that is on its way; a request that is not whole gets none for seconds. */
const LISTEN_MS = 250;
const GOOD =
  'GET /api/v1/query?statement=select%20id%20from%20rigs_31337_11%20limit%201 HTTP/1.1\r\nHost: h\r\n\r\n';

let sends = 0;

/** @returns what is wrong, or undefined */
async function send(target: Target, bytes: string): Promise<string | undefined> {
  const connection = await open(target.gateway.port);
  const before = performance.now();
  connection.write(bytes);
  const text = await connection.until(() => false, LISTEN_MS).catch(() => connection.text);
  const closed = connection.closed;
  connection.destroy();
  const ms = closed ? performance.now() - before : 0;
  if (text !== '' && !/^HTTP\/1\.1 \d{3} /.test(text)) return `no HTTP: ${text.slice(0, 200)}`;
  for (const answer of readAnswers(text)) {
    const type = answer.headers['content-type'] ?? '';
    const body = Buffer.from(answer.body, 'latin1').toString('utf8');
    const isCoded = answer.headers['content-encoding'] !== undefined;
    const fault = target.judge(bytes, { status: answer.status, type, body: isCoded ? '' : body, ms });
    if (fault !== undefined) return fault;
  }
  sends += 1;
  if (sends % 50 > 0) return undefined;
  const [good] = await exchange(target.gateway.port, GOOD, 1);
  return good?.status === 200 ? undefined : `the next client got ${JSON.stringify(good)}`;
}

test(`requests with bytes changed (seed ${SEED})`, async ({ target }) => {
  const failures = await campaign(target, mutated, (bytes) => send(target, bytes), 30);
  assert.equal([...failures, ...target.aftermath()], []);
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '',
    '1',
    'true',
    'TRUE',
    'f',
    'objects',
    'table',
    'csv',
    'null',
    "'a'",
    '"a"',
    '-1',
    '1e5',
    '9'.repeat(400),
  ),
  fc.constantFrom(
    'select ? as a',
    'select ?, ? as b',
    'select * from rigs_31337_11',
    'select 1 as a; select 2',
  ),
);
const json = fc.oneof(fc.jsonValue(), anyText, fc.double(), fc.bigInt().map(String));
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

const getQuery = fc
  .array(
    fc.tuple(
      fc.constantFrom('statement', 'params', 'format', 'extract', 'unwrap', 'Statement', 'x', ''),
      anyText,
    ),
    { maxLength: 8 },
  )
  .map((pairs) => `GET /api/v1/query?${pairs.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`);
const getPath = fc
  .tuple(
    fc.constantFrom('tables', 'receipt', 'query', 'health', 'version', 'docs', 'openapi.json', ''),
    fc.array(
      fc.oneof(anyText, fc.constantFrom('31337', '1', '2', '2.svg', '11.html', `0x${'1'.repeat(64)}`)),
      {
        maxLength: 4,
      },
    ),
    fc.array(fc.tuple(fc.constantFrom('chain', 'search', 'limit', 'after', 'x'), anyText), { maxLength: 3 }),
  )
  .map(([word, segments, pairs]) => {
    const search = pairs.map(([name, value]) => `${name}=${encoded(value)}`).join('&');
    return `GET /api/v1/${[word, ...segments.map(encoded)].join('/')}${search === '' ? '' : `?${search}`}`;
  });
const headerValue = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  fc.constantFrom(
    '*/*',
    'text/csv',
    'application/vnd.apache.parquet;q=0.5',
    'gzip;q=0',
    'br, *;q=x',
    'W/"x", *',
    ',;,=',
  ),
);
const headers = fc.array(
  fc.tuple(
    fc.constantFrom(
      'Accept',
      'Accept-Encoding',
      'If-None-Match',
      'X-Forwarded-For',
      'Api-Key',
      'X-Request-Id',
      'Traceparent',
      'Range',
    ),
    headerValue,
  ),
  { maxLength: 4 },
);
const withHeaders = (line: string, lines: readonly (readonly [string, string])[], body = ''): string => {
  const length =
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const extra = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${line} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${length}${extra}\r\n${Buffer.from(body).toString('latin1')}`;
};
const posted = fc
  .dictionary(
    fc.constantFrom('statement', 'params', 'format', 'extract', 'unwrap', 'STATEMENT', '__proto__', 'x'),
    json,
  )
  .map((body) => JSON.stringify(body));

const parameters: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(getQuery, headers).map(([line, lines]) => withHeaders(line, lines)),
  fc.tuple(getPath, headers).map(([line, lines]) => withHeaders(line, lines)),
  fc.tuple(posted, headers).map(([body, lines]) => withHeaders('POST /api/v1/query', lines, body)),
  fc.tuple(fc.json(), headers).map(([body, lines]) => withHeaders('POST /api/v1/query', lines, body)),
);

test(`parameters, bodies and headers of every kind (seed ${SEED})`, async ({ target }) => {
  const failures = await campaign(target, parameters, (bytes) => send(target, bytes), 30);
  assert.equal([...failures, ...target.aftermath()], []);
});

test.run();
