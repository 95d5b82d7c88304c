// A folder as a store: on this machine, on a network volume, or the document root of a web server.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { type LockKind, lockFolder } from '../snapshot/lock.ts';
import { MAX_POINTER_BYTES, PARTS, POINTER, type Store, type StoredPointer, StoreError } from './store.ts';

/** Held for the moment in which the pointer is compared and written: what is a condition elsewhere. */
const POINTER_LOCK: LockKind = {
  file: '.pointer-lock',
  busy: (folder, holder) => `another process is publishing to ${folder} (${holder})`,
};
const UNFINISHED = '.unfinished-';
/** What a publisher left that died in the middle of a write. */
const LEFT_MS = 3_600_000;

export function folderStore(path: string): Store {
  const folder = resolve(path);
  const parts = join(folder, PARTS);
  const pointer = join(folder, POINTER);

  const readNow = async (): Promise<StoredPointer | undefined> => {
    try {
      const { size } = await stat(pointer);
      if (size > MAX_POINTER_BYTES) throw new StoreError(`${POINTER} is larger than any pointer`);
      const text = await readFile(pointer, 'utf8');
      return { text, tag: createHash('sha256').update(text).digest('hex'), isSettled: true };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storeError(error, POINTER);
    }
  };

  const writeWhole = async (path: string, bytes: Uint8Array | string): Promise<void> => {
    const own = join(folder, `${UNFINISHED}${process.pid}-${randomBytes(6).toString('hex')}`);
    try {
      const file = await open(own, 'wx');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(own, path);
    } catch (error) {
      await rm(own, { force: true }).catch(() => undefined);
      throw error;
    }
  };

  return {
    name: folder,

    async readPointer(known) {
      const found = await readNow();
      if (found === undefined) return 'absent';
      return found.tag === known ? 'unchanged' : found;
    },

    async writePointer(text, over) {
      try {
        await mkdir(folder, { recursive: true });
        const lock = await lockFolder(folder, randomBytes(4).toString('hex'), POINTER_LOCK);
        try {
          if ((await readNow())?.text !== over?.text) return 'taken';
          await writeWhole(pointer, text);
          return 'written';
        } finally {
          await lock.release();
        }
      } catch (error) {
        // Whoever has the lock is writing another one at this moment.
        if (error instanceof OperatorError) return 'taken';
        throw storeError(error, POINTER);
      }
    },

    async openPart(name, from) {
      const path = join(parts, name);
      await stat(path).catch((error: unknown) => {
        throw storeError(error, `part ${name}`);
      });
      return { from, chunks: createReadStream(path, { start: from, highWaterMark: 256 * 1024 }) };
    },

    async hasPart(name) {
      return stat(join(parts, name)).then(
        () => true,
        (error: unknown) => {
          if (isMissing(error)) return false;
          throw storeError(error, `part ${name}`);
        },
      );
    },

    async putPart(name, bytes) {
      try {
        await mkdir(parts, { recursive: true });
        await writeWhole(join(parts, name), bytes);
      } catch (error) {
        throw storeError(error, `part ${name}`);
      }
    },

    async removePart(name) {
      await rm(join(parts, name), { force: true }).catch((error: unknown) => {
        throw storeError(error, `part ${name}`);
      });
    },

    async listParts() {
      try {
        await removeUnfinished(folder);
        const names = await readdir(parts).catch((error: unknown) => {
          if (isMissing(error)) return [];
          throw error;
        });
        const found = await Promise.all(
          // Other files there are not ours to be cleaned away.
          names
            .filter(isPartName)
            .map(async (name) => ({ name, changedMs: (await stat(join(parts, name))).mtimeMs })),
        );
        return found;
      } catch (error) {
        throw storeError(error, PARTS);
      }
    },
  };
}

async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(folder, name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > LEFT_MS) await rm(path, { force: true });
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function storeError(error: unknown, what: string): Error {
  if (error instanceof StoreError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new StoreError(`${what}: ${code === 'ENOENT' ? 'there is no such file' : (code ?? message)}`, {
    cause: error,
  });
}

const isPartName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);
