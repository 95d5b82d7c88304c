// Events as log lines: levels, one line each, JSON; and counts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCounts, createLog, type Observation, observeAll } from '../../src/observe.ts';

const request: Observation = {
  type: 'request',
  requestId: 'r-1',
  client: '1.2.3.4',
  method: 'GET',
  path: '/api/v1/query',
  status: 200,
  bytes: 12,
  ms: 1.26,
};

function logged(
  format: 'text' | 'json',
  level: 'error' | 'warn' | 'info' | 'debug',
  ...events: Observation[]
): string[] {
  const lines: string[] = [];
  const log = createLog({ format, level, now: () => new Date(0), write: (line) => lines.push(line) });
  for (const event of events) log(event);
  return lines;
}

test('a line has time, level and all that a reader needs', () => {
  assert.equal(logged('text', 'debug', request), [
    '1970-01-01T00:00:00.000Z debug GET /api/v1/query 200 12 bytes 1.3 ms, client 1.2.3.4, request r-1\n',
  ]);
});

test('quieter events than the level are not logged; a 5xx is louder than a 2xx', () => {
  assert.is(logged('text', 'info', request).length, 0);
  assert.is(logged('text', 'warn', { ...request, status: 503, code: 'overloaded' }).length, 1);
  assert.is(logged('text', 'error', { ...request, status: 503 }).length, 0);
  assert.is(logged('text', 'error', { type: 'bug', requestId: 'r', error: new Error('x') }).length, 1);
});

test('what a client wrote cannot start a second line or colour a terminal', () => {
  const [line = ''] = logged('text', 'debug', {
    ...request,
    path: '/a\n2026 error forged\r\u001b[31m\u2028x',
  });
  assert.is(line.split('\n').length, 2);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.not.match(line.trimEnd(), /[\u0000-\u001f\u2028]/);
});

test('JSON lines keep the fields, and an error with its cause', () => {
  const cause = new Error('inner');
  const [line = ''] = logged('json', 'debug', {
    type: 'bug',
    requestId: 'r-2',
    error: new Error('outer', { cause }),
  });
  const event = JSON.parse(line) as Record<string, string>;
  assert.is(event['event'], 'bug');
  assert.is(event['level'], 'error');
  assert.is(event['requestId'], 'r-2');
  assert.match(event['error'] ?? '', /outer[\s\S]+caused by [\s\S]*inner/);
});

test('counts are by kind of event and by status, and every sink sees every event', () => {
  const counts = createCounts();
  const seen: Observation[] = [];
  const observe = observeAll(counts.observe, (event) => seen.push(event));
  observe(request);
  observe({ ...request, status: 404 });
  observe({ type: 'draining', running: 1 });
  assert.is(counts.events.get('request'), 2);
  assert.is(counts.statuses.get(404), 1);
  assert.is(seen.length, 3);
});

test.run();
