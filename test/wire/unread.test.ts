// Clients that ask for large answers and read nothing, from one address and from many: what waits for them is bounded
// for all of them together, and whoever reads is answered.
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { exchange } from '../support/raw-http.ts';
import { TABLES } from '../support/tables.ts';

const test = suite<{ gateway: GatewayProcess }>('wire/unread');
const CONNECTIONS = 80;
/** Of an answer: some hundred megabytes more, were they all kept. */
const ROWS = 4_000;
const MOST_MB = 200;

test.before(async (context) => {
  context.gateway = await startGatewayProcess({
    tables: [
      ...TABLES,
      {
        name: 'wide_31337_9',
        columns: [{ name: 't', type: 'text' }],
        select: `SELECT repeat(md5(i::VARCHAR), 32) FROM range(${ROWS}) r(i)`,
      },
    ],
    args: ['--stall-ms', '600000', '--result-cache-bytes', '0', '--log-level', 'debug'],
  });
});
test.after(({ gateway }) => gateway.stop());

const get = (statement: string, more = ''): string =>
  `GET /api/v1/query?statement=${encodeURIComponent(statement)} HTTP/1.1\r\nHost: h\r\n${more}\r\n`;
const given = (log: string): number => log.split('bytes given up').length - 1;

const CLOSE = 'Connection: close\r\n';

/** Asks for 4 MB and reads nothing of it. */
function ignore(port: number, localAddress: string, column: string, more = ''): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.pause();
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject).on('error', () => {});
      socket.write(get(`select t as ${column} from wide_31337_9 limit ${ROWS}`, more));
      resolve(socket);
    });
  });
}

for (const [name, addresses] of [
  ['one', 1],
  ['forty', 40],
] as const)
  test(`what clients of ${name} address${addresses > 1 ? 'es' : ''} do not read is bounded`, async ({
    gateway,
  }) => {
    const before = gateway.rssMb();
    const cutBefore = given(gateway.log);
    const sockets: Socket[] = [];
    let most = 0;
    for (let i = 0; i < CONNECTIONS; i++) {
      const address = `127.0.${addresses}.${1 + (i % addresses)}`;
      sockets.push(await ignore(gateway.port, address, `${name}${i}`, i % 2 === 0 ? '' : CLOSE));
      const [answer] = await exchange(gateway.port, get(`select ${i} as n`), 1);
      assert.is(answer?.body, `[{"n":${i}}]`);
      most = Math.max(most, gateway.rssMb());
    }
    // All that were asked for are made by now, or were given up: those that came before count.
    const deadline = Date.now() + 120_000;
    while (given(gateway.log) - cutBefore < CONNECTIONS / 3) {
      assert.ok(Date.now() < deadline, `${given(gateway.log) - cutBefore} given up`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      most = Math.max(most, gateway.rssMb());
    }
    process.stdout.write(
      `NOTE ${addresses} addresses: ${before.toFixed(0)} -> ${most.toFixed(0)} MB, ${given(gateway.log) - cutBefore} given up\n`,
    );
    assert.ok(most - before < MOST_MB, `${before} -> ${most} MB`);
    for (const socket of sockets) socket.destroy();
    const [answer] = await exchange(gateway.port, get('select count(*) as n from wide_31337_9'), 1);
    assert.is(answer?.body, `[{"n":${ROWS}}]`);
  });

test('what a stranger loses is no answer of one who reads', async ({ gateway }) => {
  const sockets = await Promise.all(
    Array.from({ length: 40 }, (_, i) => ignore(gateway.port, '127.0.9.1', `stranger${i}`)),
  );
  for (let i = 0; i < 5; i++) {
    const statement = `select t as reader${i} from wide_31337_9 limit ${ROWS}`;
    // A machine that others fill may have to start a lane anew meanwhile.
    let answer = await fetch(`${gateway.url}/query?statement=${encodeURIComponent(statement)}`);
    for (let tries = 1; answer.status === 503 && tries < 10; tries++) {
      await answer.arrayBuffer();
      answer = await fetch(`${gateway.url}/query?statement=${encodeURIComponent(statement)}`);
    }
    const text = await answer.text();
    assert.is(answer.status, 200, text.slice(0, 300));
    assert.is((JSON.parse(text) as unknown[]).length, ROWS);
  }
  for (const socket of sockets) socket.destroy();
});

test('an answer of one value is whole, also where it is larger than all that may wait for readers', async ({
  gateway,
}) => {
  const bytes = 40_000_000;
  const cut = given(gateway.log);
  const answer = await fetch(
    `${gateway.url}/query?statement=${encodeURIComponent(`select hex(zeroblob(${bytes})) as v`)}`,
  );
  assert.is(answer.status, 200);
  assert.is(await answer.text(), `[{"v":"${'00'.repeat(bytes)}"}]`);
  assert.is(given(gateway.log), cut);
});

if (process.platform === 'linux')
  test('what only the kernel still has for a client is given up, too', async () => {
    const gateway = await startGatewayProcess({
      tables: TABLES,
      args: ['--stall-ms', '1s', '--log-level', 'debug'],
    });
    const ignored = ['', CLOSE].map((more) => {
      const socket = connect(gateway.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      // Small enough that the kernel takes all of it at once, and more than it takes for the client.
      const columns = Array.from({ length: 20 }, (_, i) => `zeroblob(15000) as b${i}`);
      socket.write(get(`select ${columns.join(', ')}`, more));
      return socket;
    });
    try {
      const deadline = Date.now() + 120_000;
      while (given(gateway.log) < ignored.length) {
        assert.ok(Date.now() < deadline, gateway.log);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      for (const socket of ignored) socket.destroy();
      await gateway.stop();
    }
  });

test.run();
