// A publisher, a store, three gateways that pull from it into data folders of their own, and the shipped nginx before
// them: all of them real processes, each on a machine of its own where there is a network for them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDatabase, register } from '../ingest/support.ts';
import { readExposition, sampleValue } from '../support/exposition.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { makeNetwork, type Network } from '../support/netns.ts';
import { freePort, startReplicaProxy, type TestNginx } from '../support/nginx.ts';
import { startWebDav } from '../support/web-dav.ts';
import { startProcess, type TestProcess, write } from './support.ts';

export const CHAIN = 31337;
const GATEWAYS = 3;
const PORT = 8080;

export interface Replica {
  /** `http://HOST:PORT/api/v1`, without the proxy. */
  readonly url: string;
  readonly process: GatewayProcess;
  /** Runs of the engine for queries so far. */
  runs(): Promise<number>;
}

export interface Cluster {
  readonly proxy: TestNginx;
  readonly replicas: readonly Replica[];
  /** Of the proxy, with `/api/v1`. */
  readonly url: string;
  /** The state of the source from now on: its tables and its block say this number. */
  set(n: number): void;
  /** Ends the publisher, and starts one with these options. */
  publishWith(...options: readonly string[]): Promise<void>;
  /** Another proxy before the same gateways. */
  proxyBy(how: { readonly hash: boolean }): Promise<TestNginx>;
  kill(index: number): Promise<void>;
  start(index: number): Promise<void>;
  close(): Promise<void>;
}

/** @param hasNetwork whether each part has a machine of its own */
export async function startCluster(hasNetwork: boolean): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-cluster-'));
  const network = hasNetwork ? makeNetwork(GATEWAYS + 1) : undefined;
  const ends: (() => unknown)[] = [
    () => network?.remove(),
    () => rmSync(folder, { recursive: true, force: true }),
  ];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    return await build(folder, network, ends, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  folder: string,
  network: Network | undefined,
  ends: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Cluster> {
  const source = makeSource(join(folder, 'source.db'));
  const store = await startWebDav('', network?.host);
  ends.unshift(() => store.stop());
  const place = `${store.origin}/store`;

  let publisher: TestProcess | undefined;
  const publishWith: Cluster['publishWith'] = async (...options) => {
    await publisher?.end('SIGTERM');
    const data = ['--data', join(folder, 'publisher'), '--every', '100ms', '--keep-snapshots', '20'];
    const target = ['--publish', place, '--publish-keep', '20', '--publish-standby', '100ms'];
    const within = network?.machines[GATEWAYS]?.within ?? [];
    publisher = startProcess(['follow', source, ...data, ...target, ...options], {}, within);
  };
  ends.unshift(() => publisher?.end('SIGTERM'));
  await publishWith();

  const ports: number[] = [];
  for (let i = 0; i < GATEWAYS; i++) ports.push(network === undefined ? await freePort() : PORT);
  const startOne = async (index: number): Promise<Replica> => {
    const machine = network?.machines[index];
    const process = await startGatewayProcess({
      data: join(folder, `gateway-${index}`),
      within: machine?.within ?? [],
      args: [
        ...['--pull', place, '--pull-every', '100ms', '--watch-every', '200ms'],
        ...['--row-lanes', '1', '--spare-lanes', '0', '--console', 'off', '--trust-proxy', '1'],
        ...['--max-wait-ms', '120s', '--log-format', 'json'],
        // One that is started anew is found where it was.
        ...['--host', '0.0.0.0', '--port', String(ports[index])],
        ...['--metrics-host', '0.0.0.0', '--metrics-port', '0'],
      ],
    });
    const address = machine?.address ?? '127.0.0.1';
    return {
      url: `http://${address}:${ports[index]}/api/v1`,
      process,
      runs: async () => {
        const { port } = new URL(process.metricsAddress ?? '');
        const read = readExposition(await (await fetch(`http://${address}:${port}/metrics`)).text());
        const samples = read.get('tablegate_runs_total')?.samples ?? [];
        if (!samples.some(({ labels }) => labels['job'] === 'query')) return 0;
        return sampleValue(read, 'tablegate_runs_total', { job: 'query', outcome: 'ok' });
      },
    };
  };
  const replicas: Replica[] = [];
  ends.unshift(() => Promise.all(replicas.map((each) => each.process.stop())));
  replicas.push(...(await Promise.all(Array.from({ length: GATEWAYS }, (_, index) => startOne(index)))));

  const proxyBy: Cluster['proxyBy'] = async ({ hash }) => {
    const listen = `${network?.host ?? '127.0.0.1'}:${await freePort()}`;
    const proxy = await startReplicaProxy({
      gateways: replicas.map(({ url }) => new URL(url).host),
      listen,
      hash,
    });
    ends.unshift(() => proxy.stop());
    return proxy;
  };
  const proxy = await proxyBy({ hash: true });
  return {
    proxy,
    replicas,
    url: `${proxy.origin}/api/v1`,
    set: (n) =>
      write(
        source,
        `begin immediate; update counter_${CHAIN}_5 set n = ${n}; update mirror_${CHAIN}_6 set n = ${n};
         update system_txn_processor set block_number = ${n}; commit`,
      ),
    publishWith,
    proxyBy,
    kill: async (index) => replicas[index]?.process.kill(),
    async start(index) {
      replicas[index] = await startOne(index);
    },
    close,
  };
}

/** Two tables that say the same number, changed together with the block, as a validator would; and one that stays. */
function makeSource(path: string): string {
  return makeDatabase(path, (database) => {
    database.exec(`create table counter_${CHAIN}_5 (n integer) strict; create table mirror_${CHAIN}_6 (n integer) strict;
      create table calm_${CHAIN}_7 (n integer) strict; insert into calm_${CHAIN}_7 values (7);
      insert into counter_${CHAIN}_5 values (0); insert into mirror_${CHAIN}_6 values (0);
      insert into system_txn_processor values (${CHAIN}, 0)`);
    for (const name of [`counter_${CHAIN}_5`, `mirror_${CHAIN}_6`, `calm_${CHAIN}_7`])
      register(database, name);
  });
}
