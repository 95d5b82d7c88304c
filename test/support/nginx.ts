// A real nginx with the configuration that is shipped, on free ports of this machine, in a temporary folder.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { neededSuite } from './needed.ts';

export const NGINX = [process.env['NGINX'] ?? '', '/usr/sbin/nginx', '/usr/local/sbin/nginx'].find(
  (path) => path !== '' && existsSync(path),
);
const SHIPPED = join(import.meta.dirname, '..', '..', 'deploy', 'nginx');

/** A suite that needs nginx. Without one its tests are skipped, in so many words; under CI that is a failure. */
export function nginxSuite<Context>(name: string): Test<Context> {
  const why = NGINX === undefined ? 'no nginx: apt-get install nginx-light, or set NGINX' : undefined;
  return neededSuite(name, 'an nginx', why);
}

export interface TestNginx {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  stop(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Fails where the text to be replaced is no longer there: what is tested must be what is shipped. */
function put(text: string, what: string, instead: string): string {
  assert.is(text.split(what).length, 2, `${what} stands once in the configuration`);
  return text.replace(what, instead);
}

const shipped = (name: string): string => readFileSync(join(SHIPPED, name), 'utf8');

/** @param connections instead of the connections that one address may hold */
export async function startNginx(upstreamPort: number, connections: number): Promise<TestNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-nginx-'));
  const port = await freePort();
  let conf = shipped('tablegate.conf');
  conf = put(conf, 'server tablegate:8080;', `server 127.0.0.1:${upstreamPort};`);
  conf = put(conf, 'listen 80;', `listen 127.0.0.1:${port};`);
  conf = put(conf, '/var/cache/nginx/tablegate', join(folder, 'cache'));
  conf = put(
    conf,
    'limit_conn tablegate_connections 64;',
    `limit_conn tablegate_connections ${connections};`,
  );
  return runNginx({ folder, conf, origin: `http://127.0.0.1:${port}` });
}

export interface ReplicaProxyOptions {
  /** `HOST:PORT` of the gateways. */
  readonly gateways: readonly string[];
  /** `HOST:PORT`; a free port of this machine where it is not given. */
  readonly listen?: string;
  /** Of one client, instead of 10r/s and its burst of 100. */
  readonly rate?: string;
  readonly burst?: number;
  /** That one client may hold, instead of 64. */
  readonly connections?: number;
  /** Whether the same question goes to the same gateway, as shipped, or to each by turns. */
  readonly hash?: boolean;
  /** Stands before the command, such as `ip netns exec NAME`. */
  readonly within?: readonly string[];
}

/** The shipped configuration for replicas, with addresses instead of a name: `resolve` is of newer releases than Debian's. */
export async function startReplicaProxy(options: ReplicaProxyOptions): Promise<TestNginx> {
  const {
    gateways,
    rate = '100000r/s',
    burst = 100_000,
    connections = 64,
    hash = true,
    within = [],
  } = options;
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-nginx-'));
  const listen = options.listen ?? `127.0.0.1:${await freePort()}`;
  let conf = shipped('replicas.conf');
  const [, flags = ''] = /server gateway:8080 resolve ([^;]+);/.exec(conf) ?? [];
  const servers = gateways.map((each) => `server ${each} ${flags};`).join('\n');
  conf = put(conf, `server gateway:8080 resolve ${flags};`, servers);
  conf = put(conf, 'resolver 127.0.0.11 valid=2s ipv6=off;', '');
  conf = put(conf, 'listen 80;', `listen ${listen};`);
  conf = put(conf, 'rate=10r/s;', `rate=${rate};`);
  conf = put(conf, 'burst=100 nodelay;', `burst=${burst} nodelay;`);
  conf = put(
    conf,
    'limit_conn tablegate_connections 64;',
    `limit_conn tablegate_connections ${connections};`,
  );
  if (!hash) conf = put(conf, 'hash $request_uri$request_body consistent;', '');
  return runNginx({ folder, conf, origin: `http://${listen}`, within });
}

export interface NginxRun {
  /** Its own; removed when it stops. */
  readonly folder: string;
  /** What stands in `http {}`. */
  readonly conf: string;
  readonly origin: string;
  readonly within?: readonly string[];
}

export async function runNginx({ folder, conf, origin, within = [] }: NginxRun): Promise<TestNginx> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const main = `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')} warn;
    events { worker_connections 2048; }
    http { access_log off; ${temporary.join(' ')} include ${join(folder, 'tablegate.conf')}; }\n`;
  writeFileSync(join(folder, 'tablegate.conf'), conf);
  writeFileSync(join(folder, 'nginx.conf'), main);
  const [program = '', ...first] = [...within, NGINX ?? 'nginx'];
  const args = [...first, '-p', folder, '-c', join(folder, 'nginx.conf')];
  // Says what is wrong, with its line.
  execFileSync(program, [...args, '-t', '-q'], { stdio: 'pipe' });
  const child = spawn(program, args, { stdio: 'ignore' });
  const over = new Promise((resolve) => child.once('exit', resolve));
  for (let i = 0; i < 500; i++) {
    const up = await fetch(`${origin}/`).then(
      () => true,
      () => false,
    );
    if (up) break;
    await sleep(20);
  }
  return {
    origin,
    async stop() {
      child.kill('SIGTERM');
      await over;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
