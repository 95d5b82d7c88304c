// Clients that send or read as slowly as they can: they are cut, cost little memory, and others are answered
// meanwhile.
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { exchange, open, type RawConnection, readAnswers } from '../support/raw-http.ts';
import { TABLES } from '../support/tables.ts';

const test = suite<{ gateway: GatewayProcess }>('wire/slow');
/** So that a test need not wait for the default of half a minute. */
const STALL_MS = 2_000;

test.before(async (context) => {
  context.gateway = await startGatewayProcess({
    tables: [
      ...TABLES,
      {
        name: 'large_31337_9',
        columns: [{ name: 't', type: 'text' }],
        // Texts that do not shrink to nothing where they are compressed.
        select: `SELECT string_agg(md5((i * 30 + k)::VARCHAR), '') FROM range(100000) r(i), range(30) s(k) GROUP BY i`,
      },
    ],
    args: ['--stall-ms', String(STALL_MS), '--max-connections', '2000', '--trust-proxy', '1'],
  });
});
test.after(({ gateway }) => gateway.stop());

/** As a client behind a proxy: whose turn it is goes by client. */
const get = (statement: string, client: string, headers = ''): string =>
  `GET /api/v1/query?statement=${encodeURIComponent(statement)} HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: ${client}\r\n${headers}\r\n`;

let asked = 0;
/** A new shape each time, so that neither the cache nor a known plan answers it. */
async function answersAnother({ port }: GatewayProcess): Promise<void> {
  asked += 1;
  const statement = `select id as n${asked} from tokens_31337_1 where id = 1`;
  const answers = await exchange(port, get(statement, '198.51.100.7'), 1);
  assert.is(answers[0]?.body, `[{"n${asked}":1}]`);
}

async function openMany(gateway: GatewayProcess, count: number): Promise<RawConnection[]> {
  return Promise.all(Array.from({ length: count }, () => open(gateway.port)));
}

/** Sends a byte of each every 100 ms until all are closed; how long that took. */
async function trickle(connections: readonly RawConnection[]): Promise<void> {
  const timer = setInterval(() => {
    for (const connection of connections) connection.write('a');
  }, 100);
  await Promise.all(connections.map((each) => each.until(() => false, 30_000))).finally(() =>
    clearInterval(timer),
  );
}

test('slow heads and slow bodies are cut with 408, and others are answered meanwhile', async ({
  gateway,
}) => {
  const before = gateway.rssMb();
  const heads = await openMany(gateway, 300);
  for (const head of heads) head.write('GET /api/v1/query?statement=');
  const bodies = await openMany(gateway, 300);
  for (const body of bodies)
    body.write('POST /api/v1/query HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n{');
  const chunks = await openMany(gateway, 100);
  for (const chunk of chunks)
    chunk.write('POST /api/v1/query HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n');
  const silent = await openMany(gateway, 300);
  const all = [...heads, ...bodies, ...chunks];
  const ended = Promise.all([
    trickle(all),
    Promise.all(silent.map((each) => each.until(() => false, 30_000))),
  ]);
  for (let i = 0; i < 20; i++) await answersAnother(gateway);
  await ended;
  for (const connection of all) {
    const [answer] = readAnswers(connection.text);
    assert.is(answer?.status, 408, connection.text);
  }
  assert.ok(gateway.rssMb() - before < 60, `${before} -> ${gateway.rssMb()} MB`);
  for (const each of silent) each.destroy();
});

test('slow readers of large answers are cut, cost bounded memory, and others are answered meanwhile', async ({
  gateway,
}) => {
  const before = gateway.rssMb();
  const readers = await openMany(gateway, 30);
  for (const [i, { socket }] of readers.entries()) {
    socket.pause();
    // 100 MB each, of several shapes.
    socket.write(
      get(
        `select t, ${i} as c${i % 5} from large_31337_9`,
        `203.0.113.${i % 3}`,
        `Connection: close\r\n${i % 2 ? 'Accept-Encoding: gzip\r\n' : ''}`,
      ),
    );
  }
  for (let i = 0; i < 10; i++) {
    await answersAnother(gateway);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  // 3 GB, were they made for readers that do not read.
  const during = gateway.rssMb();
  process.stdout.write(`NOTE the front's memory: ${before.toFixed(0)} -> ${during.toFixed(0)} MB\n`);
  assert.ok(during - before < 300, `${before} -> ${during} MB`);
  await new Promise((resolve) => setTimeout(resolve, STALL_MS));
  for (const { socket } of readers) socket.resume();
  const texts = await Promise.all(readers.map((each) => each.until(() => false, 60_000)));
  // Given up: never an answer that looks whole and is not. On a busy machine one may have waited in line until its reader read.
  const whole = texts.flatMap(readAnswers).filter(({ status }) => status === 200);
  assert.ok(whole.length < readers.length / 2, `${whole.length} were not given up`);
  for (const { headers, body } of whole) {
    const bytes = Buffer.from(body, 'latin1');
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    assert.is(JSON.parse(plain.toString('latin1')).length, 100_000);
  }
  for (let i = 0; i < 5; i++) await answersAnother(gateway);
  assert.ok(gateway.running);
});

test('a reader that is slow but reads gets its answer whole', async ({ gateway }) => {
  const connection = await open(gateway.port);
  const { socket } = connection;
  connection.write(get('select t from large_31337_9 limit 5000', '198.51.100.8'));
  const timer = setInterval(() => {
    socket.resume();
    setTimeout(() => socket.pause(), 20);
  }, 200);
  const text = await connection.until((read) => readAnswers(read).length === 1, 60_000);
  clearInterval(timer);
  const [answer] = readAnswers(text);
  assert.is(answer?.status, 200, text.slice(0, 2000));
  assert.is(JSON.parse(answer?.body ?? '').length, 5000);
  connection.destroy();
});

test('connections past the bound are closed at once, and those there are stay', async ({ gateway }) => {
  const connections = await openMany(gateway, 2_500);
  try {
    await Promise.all(connections.slice(2_000).map((each) => each.until(() => false, 60_000)));
  } finally {
    for (const each of connections) each.destroy();
  }
  // Until it has seen that they are gone, there is no room for another.
  for (let tries = 0; ; tries++) {
    const done = await answersAnother(gateway).catch((error: Error) => error);
    if (done === undefined) break;
    if (tries === 100) throw done;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

test.run();
