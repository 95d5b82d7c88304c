// The client of Trino's protocol, against what answers late, never, or with too much.
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allRows } from '../../src/trino/client.ts';
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

test.run();
