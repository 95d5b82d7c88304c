// What Trino's protocol says, in the gateway's words: its errors as codes, its values as SQLite's. The cluster itself is
// tested in test/long/remote.test.ts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ERRORS, type ErrorCode, GatewayError } from '../../src/base/errors.ts';
import { ELSEWHERE } from '../../src/dialect/not-native.ts';
import { failedOf } from '../../src/remote/failure.ts';
import { rowReader } from '../../src/remote/rows.ts';
import { TrinoError, TrinoTooLarge, TrinoUnavailable } from '../../src/trino/client.ts';

const LIMITS = { deadlineMs: 1234, maxRows: 10, maxBytes: 100 };
const SECRET = 'line 1:8: "lake"."s000001"."t"';

test('errors of the engine become codes with their status, and their texts stay in the log', () => {
  const expected: readonly (readonly [unknown, ErrorCode, number])[] = [
    [new TrinoError('EXCEEDED_TIME_LIMIT', SECRET), 'limit-time', 400],
    [new TrinoError('EXCEEDED_GLOBAL_MEMORY_LIMIT', SECRET), 'limit-memory', 400],
    [new TrinoError('CLUSTER_OUT_OF_MEMORY', SECRET), 'limit-memory', 400],
    [new TrinoError('QUERY_QUEUE_FULL', SECRET), 'overloaded', 503],
    [new TrinoError('NO_NODES_AVAILABLE', SECRET), 'not-ready', 503],
    [new TrinoError('SERVER_STARTING_UP', SECRET), 'not-ready', 503],
    [new TrinoError('REMOTE_TASK_ERROR', SECRET), 'not-ready', 503],
    [new TrinoError('TABLE_NOT_FOUND', SECRET), 'not-ready', 503],
    [new TrinoUnavailable(SECRET), 'not-ready', 503],
    [new TrinoError('NUMERIC_VALUE_OUT_OF_RANGE', SECRET), 'unsupported', 400],
    [new TrinoError('GENERIC_USER_ERROR', `${SECRET}: ${ELSEWHERE}`), 'unsupported', 400],
    ...[
      ...[
        'COMPILER_ERROR',
        'OPTIMIZER_TIMEOUT',
        'QUERY_EXCEEDED_COMPILER_LIMIT',
        'QUERY_HAS_TOO_MANY_STAGES',
      ],
      ...['QUERY_TEXT_TOO_LARGE', 'STACK_OVERFLOW', 'SUBQUERY_MULTIPLE_ROWS', 'TOO_MANY_ARGUMENTS'],
    ].map((name) => [new TrinoError(name, SECRET), 'unsupported', 400] as const),
    [new TrinoError('GENERIC_INTERNAL_ERROR', `java.lang.StackOverflowError ${SECRET}`), 'unsupported', 400],
    [new TrinoError('EXCEEDED_CPU_LIMIT', SECRET), 'limit-time', 400],
    [new TrinoError('EXCEEDED_SCAN_LIMIT', SECRET), 'run-failed', 400],
    [new TrinoError('CORRUPT_PAGE', SECRET), 'not-ready', 503],
    [new TrinoError('USER_CANCELED', SECRET), 'not-ready', 503],
    [new TrinoError('CATALOG_UNAVAILABLE', SECRET), 'not-ready', 503],
    [new TrinoError('ADMINISTRATIVELY_KILLED', SECRET), 'not-ready', 503],
    [new TrinoError('PAGE_TOO_LARGE', SECRET), 'limit-memory', 400],
    [new TrinoError('SYNTAX_ERROR', SECRET), 'internal', 500],
    [new TrinoError('PERMISSION_DENIED', SECRET), 'internal', 500],
    [new Error(SECRET), 'internal', 500],
  ];
  for (const [error, code, status] of expected) {
    const failed = failedOf(error, LIMITS);
    assert.is(failed.code, code, String(error));
    assert.is(ERRORS[failed.code].status, status);
    assert.not.ok(failed.message.includes('lake'), failed.message);
    assert.match(failed.detail ?? '', /s000001/);
  }
  assert.match(failedOf(new TrinoError('EXCEEDED_TIME_LIMIT', ''), LIMITS).message, /1234 ms/);
});

test('each failure has the kind that it is counted as', () => {
  for (const [error, kind] of [
    [new TrinoUnavailable('ECONNREFUSED'), 'unavailable'],
    [new TrinoError('EXCEEDED_TIME_LIMIT', ''), 'time'],
    [new TrinoError('EXCEEDED_CPU_LIMIT', ''), 'time'],
    [new TrinoError('CLUSTER_OUT_OF_MEMORY', ''), 'memory'],
    [new TrinoError('REMOTE_HOST_GONE', ''), 'lost'],
    [new TrinoError('TABLE_NOT_FOUND', ''), 'gone'],
    [new TrinoError('QUERY_QUEUE_FULL', ''), 'full'],
    [new TrinoError('DIVISION_BY_ZERO', ''), 'inexact'],
    [new TrinoError('SYNTAX_ERROR', ''), 'internal'],
    [new GatewayError('unsupported', ''), 'refused'],
    [new GatewayError('limit-rows', ''), 'size'],
    [new TrinoTooLarge(100), 'size'],
  ] as const)
    assert.is(failedOf(error, LIMITS).remote, kind, String(error));
});

test('what is meant for the client stays so, and half of an answer is not refused as a statement', () => {
  const refused = failedOf(new GatewayError('unsupported', 'function printf', { hint: 'why' }), LIMITS);
  assert.equal([refused.code, refused.message, refused.hint], ['unsupported', 'function printf', 'why']);
  assert.is(failedOf(new TrinoError('DIVISION_BY_ZERO', ''), LIMITS, true).code, 'run-failed');
  assert.is(failedOf(new TrinoError('REMOTE_HOST_GONE', ''), LIMITS, true).code, 'not-ready');
});

test('values keep every digit and bit', () => {
  const read = rowReader(['integer', 'real', 'text', 'blob', 'any', 'any', 'any']);
  assert.equal(
    read(['-9223372036854775808', 1.5e300, 'a\u0000é', 'AP8=', ['7', null], [null, 7], [null, null]]),
    [-9223372036854775808n, 1.5e300, 'a\u0000é', Buffer.from([0, 255]), 7n, 7, null],
  );
  assert.equal(read([null, '-Infinity', null, null, null, [null, 'Infinity'], null]), [
    ...[null, Number.NEGATIVE_INFINITY, null, null, null, Number.POSITIVE_INFINITY, null],
  ]);
  assert.throws(() => read(['1']), /values in 7 columns/);
  assert.throws(() => rowReader(['real'])(['NaN']), /no real/);
});

test.run();
