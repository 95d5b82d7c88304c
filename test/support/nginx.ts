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

const NGINX = [process.env['NGINX'] ?? '', '/usr/sbin/nginx', '/usr/local/sbin/nginx'].find(
  (path) => path !== '' && existsSync(path),
);
const SHIPPED = join(import.meta.dirname, '..', '..', 'deploy', 'nginx', 'tablegate.conf');

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

/** @param connections instead of the connections that one address may hold */
export async function startNginx(upstreamPort: number, connections: number): Promise<TestNginx> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-nginx-'));
  const port = await freePort();
  let conf = readFileSync(SHIPPED, 'utf8');
  conf = put(conf, 'server tablegate:8080;', `server 127.0.0.1:${upstreamPort};`);
  conf = put(conf, 'listen 80;', `listen 127.0.0.1:${port};`);
  conf = put(conf, '/var/cache/nginx/tablegate', join(folder, 'cache'));
  conf = put(
    conf,
    'limit_conn tablegate_connections 64;',
    `limit_conn tablegate_connections ${connections};`,
  );
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    return `${name}_temp_path ${join(folder, name)};`;
  });
  const main = `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; worker_processes 1; pid ${join(folder, 'pid')}; error_log ${join(folder, 'error.log')} warn;
    events { worker_connections 512; }
    http { access_log off; ${temporary.join(' ')} include ${join(folder, 'tablegate.conf')}; }\n`;
  writeFileSync(join(folder, 'tablegate.conf'), conf);
  writeFileSync(join(folder, 'nginx.conf'), main);
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf')];
  // Says what is wrong, with its line.
  execFileSync(NGINX ?? 'nginx', ['-t', '-q', ...args], { stdio: 'pipe' });
  const child = spawn(NGINX ?? 'nginx', args, { stdio: 'ignore' });
  const over = new Promise((resolve) => child.once('exit', resolve));
  const origin = `http://127.0.0.1:${port}`;
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
