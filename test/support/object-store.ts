// A real S3 server with conditional writes, versitygw over a temporary folder. `.ci/run` builds it into the cache folder of
// the user.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'uvu';
import { neededSuite } from './needed.ts';
import { freePort } from './nginx.ts';
import { isLong } from './ring.ts';

const VERSION = '1.8.0';
const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const VERSITYGW = process.env['VERSITYGW'] ?? join(CACHE, 'tablegate', `versitygw-${VERSION}`, 'versitygw');

/** Skipped in so many words without the server; in the long ring under CI that is a failure. */
export function objectStoreSuite<Context>(name: string): Test<Context> {
  const how = `go install github.com/versity/versitygw/cmd/versitygw@v${VERSION}, and set VERSITYGW`;
  const why = existsSync(VERSITYGW) ? undefined : `no S3 server: ${how}`;
  return neededSuite(name, 'an S3 server', why, !isLong);
}

export interface ObjectStore {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** A bucket in it. */
  readonly bucket: string;
  /** The environment of who uses it, by way of another origin where one stands in between. */
  env(origin?: string): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startObjectStore(): Promise<ObjectStore> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-s3-'));
  const bucket = 'snapshots';
  mkdirSync(join(folder, 'objects', bucket), { recursive: true });
  const port = await freePort();
  const keys = { ROOT_ACCESS_KEY: 'tester', ROOT_SECRET_KEY: 'a-secret-of-tests' };
  const child = spawn(
    VERSITYGW,
    ['--quiet', '--port', `127.0.0.1:${port}`, 'posix', join(folder, 'objects')],
    { stdio: 'ignore', env: { ...process.env, ...keys } },
  );
  const over = new Promise((resolve) => child.once('exit', resolve));
  const origin = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 1_000; i++) {
    const up = await fetch(origin).then(
      () => true,
      () => false,
    );
    if (up) break;
    await sleep(20);
  }
  return {
    ...{ origin, bucket },
    env: (through = origin) => ({
      AWS_ACCESS_KEY_ID: keys.ROOT_ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: keys.ROOT_SECRET_KEY,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: through,
    }),
    async stop() {
      child.kill('SIGTERM');
      await over;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
