// One writer a data folder: a lock file with who holds it. What a dead writer left is taken over.
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../errors.ts';

/** The holder touches its lock this often; another machine's lock counts as dead after SILENCE_MS. */
const BEAT_MS = 5_000;
const SILENCE_MS = 60_000;

/** Tokens of the locks that this process holds: after a restart the same pid may be in an old lock. */
const held = new Set<string>();

export interface Lock {
  /** Whether this process still holds it: false where somebody took it for dead. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockKind {
  readonly file: string;
  /** The line for who does not get it. */
  readonly busy: (folder: string, holder: string) => string;
}
const IMPORT: LockKind = {
  file: '.lock',
  busy: (folder, holder) => `another import is writing to ${folder} (${holder}); wait for it to end`,
};
/** Held as long as a process follows a source into the folder. */
export const FOLLOW: LockKind = {
  file: '.follow-lock',
  busy: (folder, holder) => `another process follows a source into ${folder} (${holder})`,
};

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

/** @throws OperatorError where another live process holds the folder */
export async function lockFolder(
  folder: string,
  token: string,
  { file, busy }: LockKind = IMPORT,
): Promise<Lock> {
  const path = join(folder, file);
  const own = join(folder, passingName(token));
  await writeFile(own, JSON.stringify({ pid: process.pid, host: hostname(), token } satisfies Holder));
  try {
    for (let attempt = 0; ; attempt++) {
      // link() fails where the name exists, and what it makes has its content at once.
      const taken = await link(own, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (taken) break;
      const holder = await readHolder(path);
      if (holder !== undefined && ((await isAlive(holder, path)) || attempt >= 5))
        throw new OperatorError(busy(folder, `process ${holder.pid} on ${holder.host}`));
      if (holder !== undefined) await removeDead(path, holder, token);
    }
  } finally {
    await rm(own, { force: true });
  }
  held.add(token);
  const holds = async (): Promise<boolean> => (await readHolder(path))?.token === token;
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, BEAT_MS);
  beat.unref();
  return {
    held: holds,
    release: async () => {
      clearInterval(beat);
      held.delete(token);
      if (await holds()) await rm(path, { force: true });
    },
  };
}

const PASSING = /^\.lock-(\d+)-[^@]*@(.*?)(?:-dead)?$/;

/** Of a file that stands beside the lock for a moment; it says whose it is, should that process be killed then. */
function passingName(token: string): string {
  return `.lock-${process.pid}-${token}@${hostname()}`;
}

/** Whether a file beside the lock was left by a process that is gone. */
export async function isLeftLock(folder: string, name: string): Promise<boolean> {
  const [, pid, host] = PASSING.exec(name) ?? [];
  if (pid === undefined) return false;
  if (host === hostname()) return !processLives(Number(pid));
  const found = await stat(join(folder, name)).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > SILENCE_MS;
}

/** Undefined where nobody holds it; a lock that cannot be read has a holder that is not alive. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder>;
    return { pid: Number(holder.pid), host: holder.host ?? hostname(), token: String(holder.token) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { pid: 0, host: hostname(), token: '' };
  }
}

async function isAlive(holder: Holder, path: string): Promise<boolean> {
  if (holder.host === hostname())
    return holder.pid === process.pid ? held.has(holder.token) : processLives(holder.pid);
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < SILENCE_MS;
}

function processLives(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Only one of several who want it gets the dead lock; who gets a live one by accident puts it back. */
async function removeDead(path: string, dead: Holder, token: string): Promise<void> {
  const aside = join(dirname(path), `${passingName(token)}-dead`);
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const got = await readHolder(aside);
  if (got !== undefined && got.token !== dead.token) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}
