// Large answers through the whole gateway: whole, in order, in bounded time for others; and clients that leave
// in the middle, which must not keep a worker.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const ROWS = 200_000;
const T = 'numbers_31337_1';
const ALL = `select id, t from ${T} order by id`;

const test = suite<{ gateway: TestGateway }>('routes/large');

test.before(async (context) => {
  context.gateway = await startTestGateway({
    tables: [
      {
        name: T,
        primaryKey: 'id',
        columns: [
          { name: 'id', type: 'integer' },
          { name: 't', type: 'text' },
        ],
        select: `select range, 'text ' || range from range(${ROWS})`,
      },
    ],
    args: ['--scan-workers', '1'],
  });
});
test.after(({ gateway }) => gateway.stop());

test('an answer of megabytes comes whole and in order, in every form', async ({ gateway }) => {
  const objects = (await (await gateway.query(ALL)).json()) as { id: number; t: string }[];
  assert.is(objects.length, ROWS);
  assert.ok(objects.every((row, i) => row.id === i && row.t === `text ${i}`));
  const table = (await (await gateway.query(ALL, { format: 'table' })).json()) as { rows: unknown[][] };
  assert.is(table.rows.length, ROWS);
  const lines = await gateway.query(ALL, { unwrap: 'true' });
  assert.is(lines.headers.get('content-type'), 'application/jsonl+json');
  const text = (await lines.text()).split('\n');
  assert.is(text.length, ROWS);
  assert.is(text.at(-1), `{"id":${ROWS - 1},"t":"text ${ROWS - 1}"}`);
});

test('HEAD of a large answer leaves the worker free', async ({ gateway }) => {
  const url = `${gateway.url}/query?statement=${encodeURIComponent(ALL)}`;
  for (let i = 0; i < 5; i++) assert.is((await fetch(url, { method: 'HEAD' })).status, 200);
  assert.is(await (await gateway.query(`select count(*) as n from ${T}`)).text(), `[{"n":${ROWS}}]`);
});

test('clients that leave in the middle leave the workers free', async ({ gateway }) => {
  for (let i = 0; i < 8; i++) {
    await new Promise<void>((resolve) => {
      const socket = connect(gateway.port, '127.0.0.1', () => {
        socket.write(`GET /api/v1/query?statement=${encodeURIComponent(ALL)} HTTP/1.1\r\nHost: x\r\n\r\n`);
      });
      socket.once('data', () => socket.destroy());
      socket.on('close', () => resolve());
    });
  }
  assert.is(await (await gateway.query(`select count(*) as n from ${T}`)).text(), `[{"n":${ROWS}}]`);
});

test('clients that read nothing do not keep others from being answered', async ({ gateway }) => {
  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect(gateway.port, '127.0.0.1', () => {
      socket.write(`GET /api/v1/query?statement=${encodeURIComponent(ALL)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    });
    socket.on('error', () => {});
    return socket.pause();
  });
  await sleep(500);
  const answer = await gateway.query(`select t from ${T} where id = 7`);
  assert.is(await answer.text(), '[{"t":"text 7"}]');
  for (const socket of sockets) socket.destroy();
});

test('a large answer past the bound of rows or bytes never looks whole', async () => {
  const gateway = await startTestGateway({
    tables: [
      {
        name: T,
        primaryKey: 'id',
        columns: [
          { name: 'id', type: 'integer' },
          { name: 't', type: 'text' },
        ],
        select: `select range, 'text ' || range from range(${ROWS})`,
      },
    ],
    args: ['--max-result-bytes', '2000000', '--stream-bytes', '65536'],
  });
  try {
    const outcome = await gateway
      .query(ALL)
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    // Cut off in the middle, or refused before anything was sent: never a 200 that ends as if it were whole.
    assert.ok(outcome.status === 0 || outcome.status === 400, `${outcome.status}`);
    if (outcome.status === 400) assert.match(outcome.text, 'limit-bytes');
    assert.is((await gateway.query(`select t from ${T} where id = 7`)).status, 200);
  } finally {
    await gateway.stop();
  }
});

test.run();
