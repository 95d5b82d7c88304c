// One writer a data folder: a lock file with who holds it, and a sign of its life. What a dead writer left is taken over.
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { giveSignOfLife, hasSignOfLife, isDeadSign } from './sign-of-life.ts';

/** The holder touches its lock this often; one whose sign of life cannot be seen counts as dead after SILENCE_MS. */
const BEAT_MS = 5_000;
const SILENCE_MS = 60_000;

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
  /** For whoever reads it: it decides nothing. */
  readonly pid: number;
  readonly host: string;
  readonly token: string;
  /** Whether it gives a sign of life, which its own machine can see. */
  readonly sign: boolean;
}

/** @throws OperatorError where another live process holds the folder */
export async function lockFolder(
  folder: string,
  token: string,
  { file, busy }: LockKind = IMPORT,
): Promise<Lock> {
  const path = join(folder, file);
  const own = join(folder, passingName(token));
  const sign = await giveSignOfLife(folder, token);
  const self: Holder = { pid: process.pid, host: hostname(), token, sign: sign !== undefined };
  let isHeld = false;
  try {
    await writeFile(own, JSON.stringify(self));
    for (let attempt = 0; ; attempt++) {
      // link() fails where the name exists, and what it makes has its content at once.
      const taken = await link(own, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      isHeld = taken;
      if (taken) break;
      const holder = await readHolder(path);
      if (holder !== undefined && ((await isAlive(holder, folder, path)) || attempt >= 5))
        throw new OperatorError(busy(folder, `process ${holder.pid} on ${holder.host}`));
      if (holder !== undefined) await removeDead(path, holder, token);
    }
  } finally {
    await rm(own, { force: true });
    if (!isHeld) await sign?.end();
  }
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
      if (await holds()) await rm(path, { force: true });
      await sign?.end();
    },
  };
}

const PASSING = '.lock-';
const ASIDE = /-dead$/;

/** Of a file that stands beside the lock for a moment. */
function passingName(token: string): string {
  return PASSING + token;
}

/** Whether a file beside the lock was left by a process that is gone. */
export async function isLeftLock(folder: string, name: string): Promise<boolean> {
  if (!name.startsWith(PASSING)) return isDeadSign(folder, name);
  const path = join(folder, name);
  const holder = await readHolder(path);
  if (holder === undefined) return false;
  // What is put aside was another's: whoever did it is named by the file.
  return !(await isAlive({ ...holder, token: name.slice(PASSING.length).replace(ASIDE, '') }, folder, path));
}

/** Undefined where nobody holds it; a lock that cannot be read has a holder without a sign of life. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const holder = JSON.parse(await readFile(path, 'utf8')) as Partial<Holder>;
    const { pid, host, token, sign = false } = holder;
    if (host === undefined || token === undefined) throw new Error('it says nothing');
    return { pid: Number(pid), host, token, sign };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { pid: 0, host: hostname(), token: '', sign: true };
  }
}

async function isAlive({ host, token, sign }: Holder, folder: string, path: string): Promise<boolean> {
  if (sign && host === hostname()) return hasSignOfLife(folder, token);
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < SILENCE_MS;
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
