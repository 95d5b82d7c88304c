// Many connections, and odd ones: what they cost, that others are answered meanwhile, and who counts as whom.
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { exchange, open, type RawConnection, readAnswers } from '../support/raw-http.ts';
import { TABLES } from '../support/tables.ts';

const test = suite<{ gateway: GatewayProcess }>('wire/connections');
test.before(async (context) => {
  context.gateway = await startGatewayProcess({ tables: TABLES });
});
test.after(({ gateway }) => gateway.stop());

const get = (statement: string, headers = ''): string =>
  `GET /api/v1/query?statement=${encodeURIComponent(statement)} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;
const SLOW =
  'with recursive c(i) as (select 1 union all select i + 1 from c where i < 2000) select count(*) as n from c';
const ENDLESS = 'with recursive c(i) as (select 1 union all select i + 1 from c) select count(*) as n from c';

/** Files that this process may open. */
function openFiles(): number {
  return Number(execFileSync('/bin/sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()) || 1024;
}

test('pipelined requests are answered in their order, however long each takes', async ({ gateway }) => {
  const statements = Array.from({ length: 60 }, (_, i) => (i % 20 === 0 ? SLOW : `select ${i} as n`));
  const answers = await exchange(
    gateway.port,
    statements.map((each) => get(each)).join(''),
    statements.length,
  );
  assert.equal(
    answers.map(({ body }) => body),
    statements.map((_, i) => `[{"n":${i % 20 === 0 ? 2000 : i}}]`),
  );
});

test('a pipeline that nobody reads is not answered into memory', async ({ gateway }) => {
  const before = gateway.rssMb();
  const wide = Buffer.from(get(`select '${'x'.repeat(4000)}' as a`).repeat(100), 'latin1');
  const connections = await Promise.all(Array.from({ length: 6 }, () => open(gateway.port)));
  for (const { socket } of connections) {
    socket.pause();
    for (let i = 0; i < 100; i++) socket.write(wide);
  }
  const takenMb = (): number =>
    Math.max(...connections.map(({ socket }) => (socket.bytesWritten - socket.writableLength) / 1024 / 1024));
  // Until nothing more is taken: the gateway has stopped reading.
  for (let taken = -1; takenMb() > taken; ) {
    taken = takenMb();
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
  // Of 40 MB a connection: what lies between the two sockets, and some requests.
  assert.ok(takenMb() < 20, `${takenMb()} MB of requests taken`);
  // 240 MB of answers, were all of them made.
  assert.ok(gateway.rssMb() - before < 150, `${before} -> ${gateway.rssMb()} MB`);
  for (const connection of connections) connection.destroy();
  assert.is((await exchange(gateway.port, get('select 1 as n'), 1))[0]?.body, '[{"n":1}]');
});

test('thousands of idle connections cost little and stop nobody', async ({ gateway }) => {
  const wanted = Math.min(10_000, openFiles() - 500);
  const before = gateway.rssMb();
  const connections: RawConnection[] = [];
  while (connections.length < wanted) {
    const some = await Promise.all(Array.from({ length: 250 }, () => open(gateway.port)));
    for (const connection of some) connection.write(get('select 1 as n'));
    await Promise.all(some.map((each) => each.until((text) => readAnswers(text).length === 1)));
    connections.push(...some);
  }
  const perConnection = ((gateway.rssMb() - before) * 1024) / connections.length;
  process.stdout.write(`NOTE ${connections.length} idle connections: ${perConnection.toFixed(1)} KB each\n`);
  assert.ok(connections.every(({ closed }) => !closed));
  assert.ok(perConnection < 64, `${perConnection} KB`);
  for (let i = 0; i < 50; i++)
    assert.is((await exchange(gateway.port, get(`select ${i} as n`), 1))[0]?.body, `[{"n":${i}}]`);
  // They are still served.
  const last = connections.at(-1) as RawConnection;
  last.write(get('select 2 as n'));
  await last.until((text) => readAnswers(text).length === 2);
  for (const connection of connections) connection.destroy();
});

test('a client that closes its side is taken for gone: closed at once, and its statement stopped', async ({
  gateway,
}) => {
  const many = await Promise.all(
    Array.from({ length: 20 }, () => open(gateway.port, { allowHalfOpen: true })),
  );
  for (const [i, { socket }] of many.entries()) socket.end(get(ENDLESS.replace('i + 1', `i + ${i + 1}`)));
  await Promise.all(many.map((each) => each.until(() => false, 5_000)));
  for (const each of many) each.destroy();
  // They would take every worker for their whole time limit.
  const answers = await exchange(gateway.port, get('select 3 as n, 4 as m'), 1);
  assert.is(answers[0]?.body, '[{"m":4,"n":3}]');
});

test('connections that are reset at any moment leave nothing behind', async ({ gateway }) => {
  const request = get(ENDLESS);
  for (let round = 0; round < 5; round++)
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const { socket } = await open(gateway.port);
        socket.write(request.slice(0, Math.ceil((request.length * (i + 1)) / 40)));
        await new Promise((resolve) => setTimeout(resolve, (i % 7) * 5));
        socket.resetAndDestroy();
      }),
    );
  assert.ok(gateway.running, gateway.log);
  assert.is((await exchange(gateway.port, get('select 1 as n'), 1))[0]?.status, 200);
});

test.run();
