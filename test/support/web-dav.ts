// A real nginx as a store: PUT and DELETE by its WebDAV module, in a temporary folder.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, NGINX } from './nginx.ts';

export interface WebDav {
  /** `http://HOST:PORT`. */
  readonly origin: string;
  /** What it serves. */
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * @param authorization that writes must have; '' for none
 * @param host that it listens on
 */
export async function startWebDav(authorization = '', host = '127.0.0.1'): Promise<WebDav> {
  const root = mkdtempSync(join(tmpdir(), 'tablegate-dav-'));
  const folder = join(root, 'served');
  mkdirSync(folder);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(root, name)};`)
    .join(' ');
  const guard = authorization === '' ? '' : `if ($allowed = 0) { return 401; }`;
  writeFileSync(
    join(root, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off; worker_processes 1; pid ${join(root, 'pid')}; error_log ${join(root, 'error.log')} warn;
    events { worker_connections 256; }
    http {
      access_log off; ${temporary}
      map "$request_method $http_authorization" $allowed { default 0; ~^(GET|HEAD)\\s 1; "~^\\w+ ${authorization}$" 1; }
      server {
        listen ${host}:${port};
        location / {
          ${guard}
          root ${folder}; dav_methods PUT DELETE; create_full_put_path on; client_max_body_size 64m;
        }
      }
    }\n`,
  );
  const child = spawn(NGINX ?? 'nginx', ['-p', root, '-c', join(root, 'nginx.conf')], { stdio: 'ignore' });
  const over = new Promise((resolve) => child.once('exit', resolve));
  const origin = `http://${host}:${port}`;
  for (let i = 0; i < 500; i++) {
    const up = await fetch(origin).then(
      () => true,
      () => false,
    );
    if (up) break;
    await sleep(20);
  }
  return {
    ...{ origin, folder },
    async stop() {
      child.kill('SIGTERM');
      await over;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
