// Ends of every kind: of a front under load, of the supervisor, of the whole gateway; and starts that fail.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { startSupervisor } from '../../src/fronts/supervisor.ts';
import type { GatewayProcess } from '../support/gateway-process.ts';
import { MAIN } from '../support/main.ts';
import { inLong } from '../support/ring.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { TABLES } from '../support/tables.ts';
import { clientOf, clientsOf, isAlive, pidOf, startFronts, until } from './support.ts';

const test = suite<{ data: string }>('fronts/deaths');
const ENDLESS =
  'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n where i < 0';
/** Some seconds, for a long lane. */
const LONG =
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < 8000000) select count(*) as c from n';
const METRICS: readonly string[] = ['--metrics-port', '0'];
const NUMBERS = {
  name: 'numbers_31337_9',
  columns: [
    { name: 'i', type: 'integer' },
    { name: 'word', type: 'text' },
  ],
  select: "select i, 'a word of its own ' || i from range(1, 60001) t(i)",
} as const;

test.before(async (context) => {
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-fronts-'));
  await makeSnapshot(context.data, [...TABLES, NUMBERS]);
});
test.after(({ data }) => rmSync(data, { recursive: true, force: true }));

async function metricsOf({ log }: { readonly log: string }): Promise<string> {
  const address = await until(() => /metrics at (\S+)/.exec(log)?.[1], 'metrics');
  return (await fetch(address)).text();
}

/** Until so many long statements run. */
async function longRun(gateway: { readonly log: string }, count: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const running = [
      ...(await metricsOf(gateway)).matchAll(/^tablegate_lane_running\{lane="long\d*"\} 1$/gm),
    ];
    if (running.length === count) return;
    if (tries > 1_000) throw new Error(`${running.length} of ${count} run`);
    await sleep(20);
  }
}

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

async function withFronts(
  fronts: number,
  options: { readonly data: string; readonly args?: readonly string[] },
  use: (gateway: GatewayProcess) => Promise<void>,
): Promise<void> {
  const gateway = await startFronts(fronts, {
    ...options,
    args: [...METRICS, '--deadline-ms', '60000', ...(options.args ?? [])],
  });
  try {
    await use(gateway);
  } finally {
    await gateway.stop();
  }
}

const outcome = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'answered',
    () => 'cut',
  );

test('a front that is killed under load takes its own requests with it and nothing else; where the supervisor is killed, nothing is left', ({
  data,
}) =>
  withFronts(2, { data, args: ['--long-lanes', '2'] }, async (gateway) => {
    const clients = await clientsOf(gateway, 2);
    const running = clients.map((client) => outcome(client.query(ENDLESS)));
    await longRun(gateway, 2);
    const pid = pidOf(gateway, 'front-1');
    process.kill(pid, 'SIGSTOP');
    const came = Array.from({ length: 4 }, () => {
      const client = clientOf(gateway);
      return outcome(client.query('select 1 as one')).finally(() => client.close());
    });
    // The other front has answered its own: those of this one are on their way to it.
    await Promise.any(came);
    process.kill(pid, 'SIGKILL');
    assert.is(await Promise.race(running), 'cut');
    // What it never took is cut, too, and does not wait for ever.
    assert.equal([...new Set(await Promise.all(came))].sort(), ['answered', 'cut']);
    await until(() => gateway.log.includes('front-1 ended'), 'its end is known');
    const others = clientOf(gateway);
    assert.is((await others.query('select 1 as one')).body, '[{"one":1}]');
    await until(() => gateway.log.match(/front-1 started/g)?.length === 2, 'it is started anew');
    assert.match(gateway.log, new RegExp(`front-1 ended, pid ${pid}: SIGKILL`));
    // Nobody waits for what the dead front ran: its lane is free.
    await longRun(gateway, 1);
    const metrics = await metricsOf(gateway);
    assert.match(metrics, /^tablegate_fronts 2$/m);
    assert.match(metrics, /^tablegate_front_deaths_total 1$/m);
    for (const client of [others, ...(await clientsOf(gateway, 2))]) client.close();

    // Where the supervisor is killed, no front and no lane is left, whatever they run.
    const children = childrenOf(gateway.pid);
    assert.ok(children.length >= 5, `${children.length} children`);
    process.kill(gateway.pid, 'SIGKILL');
    for (const child of children) await until(() => !isAlive(child), `${child} is gone`);
    for (const client of clients) client.close();
  }));

test('SIGTERM drains all: what runs and what is being sent ends whole, new connections are refused, exit 0', ({
  data,
}) =>
  withFronts(2, { data, args: ['--long-lanes', '2', '--drain-ms', '60000'] }, async (gateway) => {
    const clients = await clientsOf(gateway, 2);
    const reader = clientOf(gateway);
    const statements = Promise.all(clients.map((client) => client.query(LONG)));
    statements.catch(() => {});
    await longRun(gateway, 2);
    const download = await reader.open(
      `/query?statement=${encodeURIComponent('select i, word from numbers_31337_9')}`,
    );
    process.kill(gateway.pid, 'SIGTERM');
    await until(() => gateway.log.match(/stopping: \d+ requests/g)?.length === 2, 'both say so');
    assert.is(await outcome(fetch(`${gateway.url}/version`)), 'cut');
    let text = '';
    for await (const part of download.setEncoding('utf8')) text += part;
    assert.is((JSON.parse(text) as unknown[]).length, 60_000, text.slice(0, 200));
    for (const answer of await statements) assert.is(answer.body, '[{"c":8000000}]');
    await until(() => !gateway.running, 'it ends');
    assert.is(gateway.exitCode, 0, gateway.log);
  }));

inLong(test)('a second signal ends all at once', ({ data }) =>
  withFronts(2, { data }, async (gateway) => {
    const [client] = await clientsOf(gateway, 2);
    const answer = outcome(client?.query(ENDLESS) ?? Promise.resolve());
    await longRun(gateway, 1);
    const children = childrenOf(gateway.pid);
    process.kill(gateway.pid, 'SIGTERM');
    await until(() => gateway.log.includes('stopping: 1 requests'), 'it drains');
    process.kill(gateway.pid, 'SIGTERM');
    assert.is(await answer, 'cut');
    for (const pid of children) await until(() => !isAlive(pid), `${pid} is gone`);
  }),
);

async function ended(args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [MAIN, 'serve', '--fronts', '2', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TABLEGATE_SCAN_WARM: 'off' },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

test('a port in use and a folder without a snapshot end with code 2 and the words of one front', async ({
  data,
}) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const taken = await ended(['--data', data, '--port', String(port)]);
  server.close();
  assert.equal([taken.code, taken.out], [2, '']);
  assert.match(
    taken.err.trimEnd().split('\n').at(-1) ?? '',
    `tablegate: port ${port} on 127.0.0.1 is in use`,
  );
  const missing = await ended(['--data', join(data, 'missing'), '--port', '0']);
  assert.equal([missing.code, missing.out], [2, '']);
  assert.match(missing.err, 'tablegate import');
});

test('a front that cannot start is told with its own words, and nothing is left', async ({ data }) => {
  const broken = join(data, 'broken.mjs');
  writeFileSync(broken, "import './no-such-module.mjs';\n");
  const lines: string[] = [];
  const { config } = readArguments(
    ['--data', data, '--port', '0', '--fronts', '2', '--scan-warm', 'off'],
    {},
  );
  const before = new Set(childrenOf(process.pid));
  const why = await startSupervisor(
    config,
    (event) => lines.push(event.type),
    () => {},
    broken,
  ).then(
    () => 'started',
    (error: Error) => error.message,
  );
  assert.match(why, /^front-\d cannot be started: .*no-such-module/);
  const left = childrenOf(process.pid).filter((pid) => !before.has(pid));
  assert.equal(left, [], 'a child is left');
});

test.run();
