// Tablegate as it is shipped: `node dist/main.js serve`, with its own settings but for the rate limit.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { start, untilReady } from '../../processes.ts';
import type { TargetName } from '../workload.ts';
import { isHealthy, type Target } from './target.ts';

const run = promisify(execFile);

/** What decides how a snapshot looks: a change there makes a new one. */
const IMPORTERS = ['ingest', 'snapshot', 'source', 'rowstore'];

function fingerprint(root: string): string {
  const hash = createHash('sha256');
  for (const folder of IMPORTERS) {
    const path = join(root, 'dist', folder);
    if (!existsSync(path)) continue;
    for (const name of readdirSync(path).sort())
      if (name.endsWith('.js')) hash.update(name).update(readFileSync(join(path, name)));
  }
  return hash.digest('hex').slice(0, 10);
}

/** Whether the project's root has been built. */
export function isBuilt(root: string): boolean {
  return existsSync(join(root, 'dist', 'main.js'));
}

/** A data folder with the database's snapshot; made once for a database and an importer. */
async function dataFolder(root: string, database: string): Promise<string> {
  const stamp = Math.round(statSync(database).mtimeMs);
  const folder = join(dirname(database), `tablegate-${basename(database)}-${stamp}-${fingerprint(root)}`);
  if (existsSync(folder)) return folder;
  const building = `${folder}.building-${process.pid}`;
  mkdirSync(building, { recursive: true });
  try {
    await run(process.execPath, [join(root, 'dist/main.js'), 'import', database, '--data', building], {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    });
    if (!existsSync(folder)) renameSync(building, folder);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return folder;
}

export interface TablegateOptions {
  /** The project's root: another commit's work tree, in comparisons. */
  readonly root: string;
  /** Imported once, and kept. */
  readonly database?: string;
  /** In its place, a data folder that is there. */
  readonly data?: string;
  /** Default: `tablegate`. */
  readonly name?: TargetName;
  readonly settings?: readonly string[];
  /** It may take so long until it answers: where it imports before. Default: a minute. */
  readonly readyMs?: number;
  /** For Node.js itself, before the program; lanes are started with the same. */
  readonly nodeOptions?: readonly string[];
  /** Where files that Node.js writes beside the program go (profiles); default the root. */
  readonly workFolder?: string;
}

export async function startTablegate(options: TablegateOptions): Promise<Target> {
  const { root, name = 'tablegate' } = options;
  if (!isBuilt(root)) throw new Error(`there is no ${join(root, 'dist/main.js')}: make build`);
  const { database = '' } = options;
  const data = options.data ?? (await dataFolder(root, database));
  const started = start({
    name,
    command: process.execPath,
    args: [
      ...(options.nodeOptions ?? []),
      join(root, 'dist/main.js'),
      'serve',
      ...['--data', data, '--port', '0', '--rate-limit', '0', ...(options.settings ?? [])],
    ],
    cwd: options.workFolder ?? root,
  });
  let base = '';
  await untilReady(
    started,
    async () => {
      const address = /http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+/.exec(started.output())?.[0];
      if (address === undefined) return false;
      base = `${address}/api/v1`;
      return isHealthy(base);
    },
    options.readyMs,
  );
  return { name, base, pids: [started.pid], stop: () => started.stop() };
}

/** One that follows a database; it imports that first. */
export function startFollowing(root: string, source: string, data: string): Promise<Target> {
  const settings = ['--follow', source, '--every', '200ms', '--log-level', 'warn'];
  return startTablegate({ root, data, settings, readyMs: 600_000 });
}
