// Events as lines: levels, the share of requests, one line each as text and as JSON, and a stderr that is full.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Level, namesError, type Observation, observeAll } from '../../src/base/observe.ts';
import { createWriter, type LogFormat } from '../../src/log/lines.ts';
import { createLog } from '../../src/log/log.ts';
import { createSink } from '../../src/log/sink.ts';

const request: Observation = {
  type: 'request',
  requestId: 'r-1',
  traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
  client: '1.2.3.4',
  method: 'GET',
  path: '/api/v1/query',
  route: 'query',
  status: 200,
  bytes: 12,
  ms: 1.2649,
  writeMs: 0.0121,
  rate: 'allowed',
  cache: 'miss',
  times: { queueMs: 0.1, planMs: 0.2, engineMs: 0.3, encodeMs: 0.4 },
};

interface Options {
  readonly format?: LogFormat;
  readonly level?: Level;
  readonly requestShare?: number;
}

function logged(options: Options, ...events: Observation[]): string[] {
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line), flush: () => {} };
  const { format = 'text', level = 'debug', requestShare = 0 } = options;
  const log = createLog(
    { level, requestShare },
    createWriter(format, sink, () => new Date(0)),
  );
  for (const event of events) log(event);
  return lines;
}

test('a line has time, level and all that a reader needs', () => {
  assert.equal(logged({}, request), [
    '1970-01-01T00:00:00.000Z debug GET /api/v1/query 200 12 bytes 1.3 ms, client 1.2.3.4, request r-1\n',
  ]);
});

test('quieter events than the level are not logged; a 5xx is louder than a 2xx', () => {
  assert.is(logged({ level: 'info' }, request).length, 0);
  assert.is(logged({ level: 'warn' }, { ...request, status: 503, code: 'overloaded' }).length, 1);
  assert.is(logged({ level: 'error' }, { ...request, status: 503 }).length, 0);
  assert.is(logged({ level: 'error' }, { type: 'bug', requestId: 'r', error: new Error('x') }).length, 1);
});

test('of requests, the share that is asked for is logged as info, evenly, and every 5xx', () => {
  const many = Array.from({ length: 1000 }, () => request);
  assert.is(logged({ level: 'info', requestShare: 0 }, ...many).length, 0);
  assert.is(logged({ level: 'info', requestShare: 0.25 }, ...many).length, 250);
  assert.is(logged({ level: 'info', requestShare: 1 }, ...many).length, 1000);
  assert.is(logged({ level: 'warn', requestShare: 1 }, ...many).length, 0);
  assert.is(logged({ level: 'info' }, ...many, { ...request, status: 500 }).length, 1);
});

test('what is only for counting is never a line', () => {
  const run: Observation = {
    type: 'run',
    requestId: 'r',
    job: 'query',
    queueMs: 1,
    planMs: 1,
    engineMs: 1,
    encodeMs: 1,
  };
  assert.is(logged({ level: 'debug' }, run).length, 0);
});

test('what a client wrote cannot start a second line or colour a terminal', () => {
  const path = '/a\n2026 error forged\r\u001b[31m\u2028x';
  for (const format of ['text', 'json'] as const) {
    const [line = ''] = logged({ format }, { ...request, path });
    assert.is(line.split('\n').length, 2);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.not.match(line.trimEnd(), /[\u0000-\u001f]/);
  }
});

test('a JSON line of a request has every field that is known, and nothing else', () => {
  const [line = ''] = logged({ format: 'json', level: 'info', requestShare: 1 }, request);
  assert.equal(JSON.parse(line), {
    level: 'info',
    time: '1970-01-01T00:00:00.000Z',
    event: 'request',
    requestId: 'r-1',
    client: '1.2.3.4',
    method: 'GET',
    path: '/api/v1/query',
    route: 'query',
    status: 200,
    bytes: 12,
    rate: 'allowed',
    cache: 'miss',
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    ms: 1.265,
    writeMs: 0.012,
    queueMs: 0.1,
    planMs: 0.2,
    engineMs: 0.3,
    encodeMs: 0.4,
  });
});

test('JSON lines of other events keep the fields, an error with its cause, and the text', () => {
  const error = new Error('outer', { cause: new Error('inner') });
  const [line = ''] = logged({ format: 'json' }, { type: 'bug', requestId: 'r-2', error });
  const event = JSON.parse(line) as Record<string, string>;
  assert.is(event['event'], 'bug');
  assert.is(event['level'], 'error');
  assert.is(event['requestId'], 'r-2');
  assert.match(event['error'] ?? '', /outer[\s\S]+caused by [\s\S]*inner/);
  assert.match(event['text'] ?? '', 'bug, request r-2');
});

test('a JSON line has each member once, whatever the event', () => {
  const events: Observation[] = [
    request,
    { type: 'note', level: 'warn', text: 'a note' },
    { type: 'lane-ended', lane: 'scan', pid: 1, why: 'x' },
  ];
  for (const line of logged({ format: 'json' }, ...events)) {
    const names = [...line.matchAll(/[{,]"(\w+)":/g)].map(([, name]) => name);
    assert.is(new Set(names).size, names.length, line);
  }
  const [line = ''] = logged({ format: 'json' }, { type: 'note', level: 'warn', text: 'a note' });
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  assert.type(time, 'string');
  assert.equal(rest, { level: 'warn', event: 'note', text: 'a note' });
});

test('lines are gathered, and a flush writes them whole and in order', () => {
  const written: string[] = [];
  const sink = createSink((bytes) => {
    written.push(bytes.subarray(0, 5).toString());
    return Math.min(5, bytes.byteLength);
  });
  sink.write('first\n');
  sink.write('second\n');
  assert.equal(written, []);
  sink.flush();
  assert.is(written.join(''), 'first\nsecond\n');
  sink.write('x'.repeat(20_000));
  assert.is(written.join('').length, 13 + 20_000, 'a full line is not waited with');
});

test('a stderr that is full keeps the lines for later, and one that is closed stops nobody', () => {
  let fault: string | undefined = 'EAGAIN';
  let written = '';
  const sink = createSink((bytes) => {
    if (fault !== undefined) throw Object.assign(new Error(fault), { code: fault });
    written += bytes.toString();
    return bytes.byteLength;
  });
  sink.write('one\n');
  sink.flush();
  sink.write('two\n');
  sink.flush();
  assert.is(written, '');
  fault = undefined;
  sink.flush();
  assert.is(written, 'one\ntwo\n');
  fault = 'EPIPE';
  sink.write('lost\n');
  sink.flush();
});

test('every sink sees every event', () => {
  const seen: Observation[] = [];
  const observe = observeAll(
    (event) => seen.push(event),
    (event) => seen.push(event),
  );
  observe({ type: 'draining', running: 1 });
  assert.is(seen.length, 2);
});

test('knows the line of a stack trace that names the error', () => {
  for (const line of [
    'Error: no such file',
    'TypeError [ERR_X]: it is no function',
    'FATAL ERROR: Reached heap limit',
    '  [cause]: SqliteError: disk I/O error',
  ])
    assert.ok(namesError(line), line);
  for (const line of [
    '    at open (file:///a.js:3:9)',
    '    at new NodeError (node:internal/errors:405:5)',
    '    at ImportError.from (file:///x.ts:3:4)',
    '    throw new TypeError(`it is bad: line 3`);',
    'Errors were found',
    '',
    'Node.js v22.1.0',
  ])
    assert.not.ok(namesError(line), line);
});

test.run();
