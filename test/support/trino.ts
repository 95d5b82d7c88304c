// A real cluster of Trino on loopback, with the configuration that deploy/trino/ ships: a coordinator and workers, each
// a process of its own. `.ci/trino` fetches it into the cache folder of the user.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'uvu';
import { neededSuite } from './needed.ts';
import { freePort } from './nginx.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SHIPPED = join(ROOT, 'deploy', 'trino');
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tablegate', 'trino-476');
/** A loaded machine of two cores starts three of them in more than a minute. */
const START_MS = 600_000;
const END_MS = 20_000;
/** Who may look at the cluster itself: deploy/trino/rules.json. */
export const OPERATOR = 'tablegate_operator';
const NODES = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'";

interface Installed {
  readonly TRINO_HOME: string;
  readonly TRINO_JAVA_HOME: string;
}

/** As `.ci/run` says, or what `.ci/trino` put into the cache folder: nothing is fetched here. */
function installed(): Installed | undefined {
  const { TRINO_HOME = '', TRINO_JAVA_HOME = '' } = process.env;
  if (existsSync(TRINO_HOME)) return { TRINO_HOME, TRINO_JAVA_HOME };
  if (!existsSync(CACHE)) return undefined;
  const lines = execFileSync(join(ROOT, '.ci', 'trino'), { encoding: 'utf8' })
    .trim()
    .split('\n');
  return Object.fromEntries(lines.map((line) => line.split('='))) as unknown as Installed;
}

/** Skipped in so many words without Trino; under CI that is a failure. Only the long ring has such suites. */
export function trinoSuite<Context>(name: string): Test<Context> {
  const why = installed() === undefined ? 'no Trino: run .ci/trino, which fetches it' : undefined;
  return neededSuite(name, 'a cluster of Trino', why);
}

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface TrinoNode {
  readonly pid: number;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface Cluster {
  /** `http://127.0.0.1:PORT`, of the coordinator. */
  readonly url: string;
  /** The folder that is `local:///` in its catalogs. */
  readonly lake: string;
  readonly workers: readonly TrinoNode[];
  /** Runs a statement as that user. @throws Error with the name of Trino's error and its message */
  query(user: string, sql: string): Promise<Rows>;
  /** Ends the coordinator. */
  killCoordinator(): Promise<void>;
  /** Starts it anew on the same port, and waits until it has all workers. */
  startCoordinator(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** 0: the coordinator works, too. */
  readonly workers: number;
  readonly heapMB?: number;
  /** Of one statement in the whole cluster; else a quarter of one node's heap. */
  readonly queryMB?: number;
}

export async function startTrino(options: ClusterOptions): Promise<Cluster> {
  const { workers: count, heapMB = 1000, queryMB = Math.floor(heapMB / 4) } = options;
  const found = installed();
  if (found === undefined) throw new Error('no Trino');
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-trino-'));
  const lake = join(folder, 'lake');
  mkdirSync(join(lake, 'metastore'), { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const children = new Set<ChildProcess>();

  const startNode = async (role: 'coordinator' | 'worker', name: string, at: number): Promise<TrinoNode> => {
    const home = join(folder, name);
    const etc = join(home, 'etc');
    mkdirSync(etc, { recursive: true });
    for (const file of ['node.properties', 'log.properties', 'access-control.properties', 'rules.json'])
      cpSync(join(SHIPPED, file), join(etc, file));
    cpSync(join(SHIPPED, 'catalog'), join(etc, 'catalog'), { recursive: true });
    cpSync(join(SHIPPED, role), etc, { recursive: true });
    const jvm = readFileSync(join(SHIPPED, 'jvm.config'), 'utf8').replace(/-Xmx\S+/, `-Xmx${heapMB}M`);
    writeFileSync(join(etc, 'jvm.config'), jvm);
    const args = ['run', `--etc-dir=${etc}`, `--data-dir=${join(home, 'data')}`];
    const loopback = ['-Dnode.internal-address=127.0.0.1', '-Dnode.bind-ip=127.0.0.1'];
    const child = spawn(join(found.TRINO_HOME, 'bin', 'launcher'), [...args, ...loopback], {
      stdio: 'ignore',
      env: {
        ...process.env,
        JAVA_HOME: found.TRINO_JAVA_HOME,
        PATH: `${join(found.TRINO_JAVA_HOME, 'bin')}:${process.env['PATH']}`,
        TRINO_PORT: String(at),
        TRINO_COORDINATOR: url,
        TRINO_COORDINATOR_WORKS: String(count === 0),
        TRINO_QUERY_MEMORY: `${queryMB}MB`,
        TRINO_LAKE: lake,
        TRINO_RULES: join(etc, 'rules.json'),
        TRINO_GROUPS: join(etc, 'resource-groups.json'),
      },
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return { pid: child.pid ?? 0, kill: () => end(child, 'SIGKILL') };
  };
  const query = (user: string, sql: string): Promise<Rows> => runStatement(url, user, sql);
  const ready = async (): Promise<void> => {
    const until = Date.now() + START_MS;
    const nodes = children.size;
    let seen = 'nothing';
    while (seen !== String(nodes)) {
      if (children.size < nodes) throw new Error('a node of the cluster ended');
      if (Date.now() > until) throw new Error(`no cluster of ${nodes} nodes after ${START_MS} ms: ${seen}`);
      await sleep(500);
      seen = await query(OPERATOR, NODES).then(
        ({ rows }) => String(rows[0]?.[0]),
        (error: unknown) => String(error),
      );
    }
  };

  let coordinator: TrinoNode | undefined;
  const startCoordinator = async (): Promise<void> => {
    coordinator = await startNode('coordinator', 'coordinator', port);
    await ready();
  };
  const workers: TrinoNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all([...children].map((child) => end(child, 'SIGTERM')));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let i = 1; i <= count; i++) workers.push(await startNode('worker', `worker-${i}`, await freePort()));
    await startCoordinator();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...{ url, lake, workers, query, stop, startCoordinator },
    killCoordinator: async () => coordinator?.kill(),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await over;
  clearTimeout(late);
}

interface Page {
  readonly nextUri?: string;
  readonly columns?: readonly { readonly name: string }[];
  readonly data?: readonly (readonly unknown[])[];
  readonly error?: { readonly errorName: string; readonly message: string };
}

async function runStatement(url: string, user: string, sql: string): Promise<Rows> {
  const headers = { 'X-Trino-User': user };
  let page = (await (
    await fetch(`${url}/v1/statement`, { method: 'POST', headers, body: sql })
  ).json()) as Page;
  let columns: readonly string[] = [];
  const rows: (readonly unknown[])[] = [];
  for (;;) {
    if (page.error !== undefined) throw new Error(`${page.error.errorName}: ${page.error.message}`);
    if (page.columns !== undefined) columns = page.columns.map(({ name }) => name);
    rows.push(...(page.data ?? []));
    if (page.nextUri === undefined) return { columns, rows };
    page = (await (await fetch(page.nextUri, { headers })).json()) as Page;
  }
}
