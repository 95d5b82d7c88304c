// A sign of life that ends with its process, however that ends: a socket in the data folder, which the system closes.
// A process id says nothing of the sort: another program may have it by now.
import { type FileHandle, open, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

export interface SignOfLife {
  end(): Promise<void>;
}

/** What a path of a socket may hold; a folder may be deeper. */
const PATH_BYTES = 100;
const PREFIX = '.alive-';

/** Undefined where the file system of the folder has no sockets. */
export async function giveSignOfLife(folder: string, token: string): Promise<SignOfLife | undefined> {
  const path = join(folder, PREFIX + token);
  const server = createServer((socket) => socket.destroy());
  try {
    await atShortPath(folder, token, (short) => listen(server, short));
  } catch {
    return undefined;
  }
  server.unref();
  return {
    async end() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(path, { force: true });
    },
  };
}

/** Whether the process that gave it lives. */
export async function hasSignOfLife(folder: string, token: string): Promise<boolean> {
  try {
    return await atShortPath(folder, token, answers);
  } catch {
    return false;
  }
}

/** Of what a process left in the folder. */
export async function isDeadSign(folder: string, name: string): Promise<boolean> {
  return name.startsWith(PREFIX) && !(await hasSignOfLife(folder, name.slice(PREFIX.length)));
}

/** Through the folder's own descriptor where its path is too long. */
async function atShortPath<T>(folder: string, token: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, PREFIX + token);
  if (Buffer.byteLength(path) <= PATH_BYTES) return use(path);
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    return await use(`/proc/self/fd/${handle.fd}/${PREFIX}${token}`);
  } finally {
    await handle?.close();
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject).on('error', () => {});
      resolve();
    });
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // A full line of those who ask is a sign of life, too.
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EAGAIN'));
  });
}
