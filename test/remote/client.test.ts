// The client of Trino's protocol, against what answers late, never, or with too much.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allRows, TrinoError, TrinoTooLarge, TrinoUnavailable } from '../../src/trino/client.ts';
import { until } from '../lane/support.ts';
import { page, startTrinoStub, type TrinoStub } from '../support/trino-stub.ts';

interface Context {
  stub: TrinoStub;
}
const test = suite<Context>('remote/client');
const LONG = 60_000;
const NEXT = { nextUri: 'http://other.example/page/1' };

test.before.each(async (context) => {
  context.stub = await startTrinoStub(() => {});
});
test.after.each(({ stub }) => stub.stop());

/** @returns the rows, or the error */
const asked = (
  { url }: TrinoStub,
  sql: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> =>
  allRows({ url, user: 'tablegate', password: '' }, sql, { signal }).then(
    ({ rows }) => rows,
    (error: unknown) => error,
  );

test('who is not answered at all stops waiting when the signal says so; what was begun is ended when it is known', async ({
  stub,
}) => {
  let held: ServerResponse | undefined;
  stub.answer = (_, response) => {
    held = response;
  };
  const stop = new AbortController();
  const rows = asked(stub, 'select 1', stop.signal);
  await stub.has(/^POST select 1$/);
  stop.abort('over');
  assert.is(await rows, 'over');
  assert.equal(stub.came, ['POST select 1']);
  page(held as ServerResponse, NEXT);
  await stub.has(/^DELETE/);
  assert.equal(stub.came, ['POST select 1', 'DELETE /page/1']);
});

test('of requests that nobody waits for, so many are kept, and the others are cut', async ({ stub }) => {
  const held = new Set<ServerResponse>();
  let cut = 0;
  stub.answer = (_, response) => {
    held.add(response);
    response.once('close', () => {
      held.delete(response);
      if (!response.writableFinished) cut += 1;
    });
  };
  const stop = new AbortController();
  const all = Array.from({ length: 66 }, () => asked(stub, 'select 1', stop.signal));
  await until(() => held.size === 66, LONG);
  stop.abort('over');
  assert.equal(new Set(await Promise.all(all)), new Set(['over']));
  await until(() => cut === 2, LONG);
  for (const response of held) page(response, NEXT);
  await until(() => stub.came.filter((each) => each === 'DELETE /page/1').length === 64, LONG);
  assert.is(cut, 2);
});

test('to wait for another try, and for a page, ends with the signal, too', async ({ stub }) => {
  const stop = new AbortController();
  stub.answer = (_, response) => {
    response.writeHead(503).end();
    stop.abort('over');
  };
  assert.is(await asked(stub, 'select 1', stop.signal), 'over');
  const later = new AbortController();
  stub.answer = (request, response) => {
    if (request.startsWith('POST')) page(response, NEXT);
    else later.abort('over');
  };
  assert.is(await asked(stub, 'select 2', later.signal), 'over');
  await stub.has(/^DELETE/);
  assert.equal(stub.came, ['POST select 1', 'POST select 2', 'GET /page/1', 'DELETE /page/1']);
});

test('a page is read as far as it may go, and what is too large is not asked for again', async ({ stub }) => {
  let closed = false;
  stub.answer = (request, response) => {
    if (request.startsWith('POST')) {
      page(response, NEXT);
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[["');
    const part = 'x'.repeat(1024 * 1024);
    const more = (): void => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more).once('close', () => {
      closed = true;
    });
    more();
  };
  const error = await asked(stub, 'select 1');
  assert.instance(error, TrinoTooLarge);
  assert.is((error as TrinoTooLarge).maxBytes, 16 * 1024 * 1024);
  await until(() => closed, LONG);
  await stub.has(/^DELETE/);
  assert.equal(stub.came, ['POST select 1', 'GET /page/1', 'DELETE /page/1']);
});

test('what unpacks to too much is too large as well, at its first byte too many', async ({ stub }) => {
  const packed = gzipSync(`{"data":[["${'x'.repeat(64 * 1024 * 1024)}"]]}`);
  stub.answer = (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  };
  assert.instance(await asked(stub, 'select 1'), TrinoTooLarge);
  assert.is(stub.came.length, 1);
});

test('a connection that breaks is tried again; an answer that is none is not, and is not taken for a cluster that is gone', async ({
  stub,
}) => {
  const broken: readonly ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'),
    (response) => response.writeHead(200).end('{"data":[['),
    (response) => response.writeHead(302, { location: 'http://other.example/' }).end(),
    (response) => response.socket?.end('no HTTP at all\r\n\r\n'),
  ];
  for (const [i, answer] of broken.entries()) {
    stub.answer = (_, response) => void answer(response);
    const error = await asked(stub, `select ${i}`);
    assert.instance(error, TrinoError, String(error));
    assert.is(stub.came.filter((each) => each === `POST select ${i}`).length, 1);
  }
  const gone: readonly ((response: ServerResponse) => void)[] = [
    (response) => response.destroy(),
    (response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    (response) => response.writeHead(503).end(),
  ];
  for (const [i, answer] of gone.entries()) {
    stub.answer = (_, response) => void answer(response);
    const error = await asked(stub, `select gone ${i}`);
    assert.instance(error, TrinoUnavailable, String(error));
    assert.is(stub.came.filter((each) => each === `POST select gone ${i}`).length, 3);
  }
});

test.run();
