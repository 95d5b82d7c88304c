// Who is counted as whom, and what refusing costs: a flood of requests over the rate is cheap, and
// X-Forwarded-For is believed from those alone who are trusted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway } from '../support/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { exchange, open, type RawAnswer, readAnswers } from '../support/raw-http.ts';
import { times } from '../support/ring.ts';
import { TABLES } from '../support/tables.ts';

const test = suite('wire/rates');
const FLOOD = times(4_000, 10_000);

const get = (...headers: readonly string[]): string =>
  `GET /api/v1/query?statement=select+1+as+n HTTP/1.1\r\nHost: h\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
const forwarded = (value: string): string => `X-Forwarded-For: ${value}`;

/** Sends so many of a request, pipelined over several connections, and counts the answers by status. */
async function flood({ port }: GatewayProcess, request: string, total: number): Promise<Map<number, number>> {
  const CONNECTIONS = 20;
  const BATCH = 50;
  const statuses = new Map<number, number>();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await open(port);
      for (let sent = 0; sent < total / CONNECTIONS; sent += BATCH) {
        const before = connection.text.length;
        connection.write(request.repeat(BATCH));
        const text = await connection.until(
          (read) => readAnswers(read.slice(before)).length === BATCH,
          60_000,
        );
        for (const { status } of readAnswers(text.slice(before)))
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      connection.destroy();
    }),
  );
  return statuses;
}

test('a flood over the rate is refused at the cost of a kept answer, in bounded memory', async () => {
  const gateway = await startGatewayProcess({
    tables: TABLES,
    args: ['--rate-limit', '1', '--rate-burst', '5', '--api-keys', 'exempt'],
  });
  try {
    const exempt = get('Api-Key: exempt');
    await flood(gateway, exempt, 2_000);
    const before = gateway.rssMb();
    const costOf = async (request: string): Promise<{ ms: number; statuses: Map<number, number> }> => {
      const start = gateway.cpuMs();
      const statuses = await flood(gateway, request, FLOOD);
      return { ms: gateway.cpuMs() - start, statuses };
    };
    const answered = await costOf(exempt);
    const refused = await costOf(get());
    assert.is(answered.statuses.get(200), FLOOD);
    assert.ok((refused.statuses.get(429) ?? 0) > FLOOD - 100, JSON.stringify([...refused.statuses]));
    process.stdout.write(
      `NOTE CPU of ${FLOOD}: ${refused.ms} ms refused, ${answered.ms} ms answered from the cache\n`,
    );
    // The same head, a body of its own: about as dear as a kept answer, with room for what else the machine does.
    assert.ok(refused.ms < answered.ms * 2, `${refused.ms} ms, ${answered.ms} ms`);
    assert.ok(gateway.rssMb() - before < 80, `${before} -> ${gateway.rssMb()} MB`);
  } finally {
    await gateway.stop();
  }
});

test('a refusal says when to come again', async () => {
  const gateway = await startTestGateway({
    tables: TABLES,
    args: ['--rate-limit', '1', '--rate-burst', '2'],
  });
  try {
    const answers = await exchange(gateway.port, get().repeat(4), 4);
    assert.equal(
      answers.map(({ status }) => status),
      [200, 200, 429, 429],
    );
    const { headers, body } = answers[3] as RawAnswer;
    assert.is(headers['retry-after'], '1');
    assert.is(headers['ratelimit-remaining'], '0');
    assert.is(headers['x-ratelimit-limit'], '2');
    assert.is(JSON.parse(body).code, 'too-many-requests');
  } finally {
    await gateway.stop();
  }
});

type Ask = (values: readonly (readonly string[])[]) => Promise<number[]>;

/** A gateway where a client may send two, and the statuses of requests that say where they come from. */
async function trusting(proxies: readonly string[], run: (ask: Ask) => Promise<void>): Promise<void> {
  const args = ['--rate-limit', '1', '--rate-burst', '2', '--scan-workers', '1', ...proxies];
  const gateway = await startTestGateway({ tables: TABLES, args });
  try {
    await run(async (values) => {
      const requests = values.map((lines) => get(...lines.map(forwarded)));
      const answers = await exchange(gateway.port, requests.join(''), requests.length);
      return answers.map(({ status }) => status);
    });
  } finally {
    await gateway.stop();
  }
}
const four = (line: (i: number) => readonly string[]): string[][] => [0, 1, 2, 3].map((i) => [...line(i)]);
const REFUSED = [200, 200, 429, 429];

test('X-Forwarded-For of anybody is not believed, nor where only other proxies are trusted', async () => {
  for (const proxies of [[], ['--trust-proxy', '10.0.0.0/8']])
    await trusting(proxies, async (ask) => {
      assert.equal(await ask(four((i) => [`203.0.113.${i}`])), REFUSED);
    });
});

test('X-Forwarded-For of a trusted proxy is believed as far as it wrote it', async () => {
  await trusting(['--trust-proxy', '127.0.0.1'], async (ask) => {
    assert.equal(await ask(four((i) => [`203.0.113.${i}`])), [200, 200, 200, 200]);
    // What the client wrote itself stands left of what the proxy saw, in one line or two.
    assert.equal(await ask(four((i) => [`198.51.100.${i}, 203.0.113.91`])), REFUSED);
    assert.equal(await ask(four((i) => [`198.51.100.${i}`, '203.0.113.92'])), REFUSED);
    // One customer's IPv6 network is one client.
    assert.equal(await ask(four((i) => [`2001:db8:1:2::${i}`])), REFUSED);
    // What cannot be read counts as the proxy itself.
    assert.equal(await ask(four((i) => [`nonsense${i}`])), REFUSED);
  });
});

test('clients without end are remembered in bounded memory', async () => {
  const gateway = await startGatewayProcess({
    tables: TABLES,
    args: ['--rate-limit', '1', '--rate-burst', '5', '--trust-proxy', '1', '--rate-clients', '1000'],
  });
  try {
    const connection = await open(gateway.port);
    const send = async (from: number, count: number): Promise<void> => {
      const before = connection.text.length;
      for (let i = from; i < from + count; i++)
        connection.write(get(forwarded(`10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`)));
      await connection.until(
        (read) => (read.slice(before).match(/\[\{"n":1\}\]/g)?.length ?? 0) === count,
        60_000,
      );
    };
    await send(0, 3_000);
    const before = gateway.rssMb();
    for (let from = 3_000; from < 15_000; from += 3_000) await send(from, 3_000);
    assert.ok(gateway.rssMb() - before < 60, `${before} -> ${gateway.rssMb()} MB`);
    connection.destroy();
  } finally {
    await gateway.stop();
  }
});

test.run();
