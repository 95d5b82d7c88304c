// A published snapshot into a work folder: its files begin as copies of the newest snapshot's that is here, and parts
// that differ are fetched. A run that was killed is gone on with: what is there is proved, not remembered.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, rename, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { digestOfFile, partCount } from '../snapshot/file-parts.ts';
import { type Manifest, readManifest } from '../snapshot/manifest.ts';
import { fetchPart } from '../store/part.ts';
import type { Pointer, PublishedFile } from '../store/pointer.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { SnapshotRef } from '../wire/protocol.ts';

export interface Downloaded {
  /** Over the wire, the list of parts included. */
  readonly receivedBytes: number;
  readonly receivedParts: number;
}

export interface DownloadOptions {
  readonly store: Store;
  readonly pointer: Pointer;
  /** May have what an earlier run for the same snapshot left. */
  readonly work: string;
  /** A snapshot that is here; undefined where none is. */
  readonly base: SnapshotRef | undefined;
  readonly signal: AbortSignal;
}

const AT_ONCE = 4;
/** That the disk has besides, for what else is written meanwhile. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** @throws StoreError and errors of the file system */
export async function downloadSnapshot(options: DownloadOptions): Promise<Downloaded> {
  const { store, pointer, work, signal } = options;
  await mkdir(work, { recursive: true });
  await checkRoom(pointer, work);
  const { sha256, bytes } = pointer.parts;
  const list = await fetchPart(store, sha256, bytes, signal);
  let receivedBytes = list.receivedBytes;
  let receivedParts = 1;
  const manifest = options.base && (await readManifest(options.base.path).catch(() => undefined));
  let at = 0;
  for (const [name, file] of Object.entries(pointer.files)) {
    const length = partCount(file.bytes, pointer.partBytes) * 32;
    const digests = list.bytes.subarray(at, at + length);
    at += length;
    const path = join(work, name);
    await beginFile(options, manifest, name, file);
    const got = await completeFile(options, path, file, digests);
    receivedBytes += got.receivedBytes;
    receivedParts += got.receivedParts;
    if ((await digestOfFile(path, pointer.snapshotFormat)) !== file.sha256)
      throw new StoreError(`${name} of ${pointer.id} is not what the pointer says`);
  }
  return { receivedBytes, receivedParts };
}

/** @throws StoreError before anything is fetched */
async function checkRoom({ files, id }: Pointer, work: string): Promise<void> {
  let needed = SPARE_BYTES;
  for (const [name, { bytes }] of Object.entries(files))
    needed +=
      bytes - Math.min(bytes, ((await stat(join(work, name)).catch(() => undefined))?.blocks ?? 0) * 512);
  const { bavail, bsize } = await statfs(work);
  if (bavail * bsize < needed)
    throw new StoreError(
      `${id} has no room on the disk: it needs ${needed} bytes, and ${bavail * bsize} are free`,
    );
}

/** A file of the work folder as it is before parts are fetched. */
async function beginFile(
  { work, base }: DownloadOptions,
  manifest: Manifest | undefined,
  name: string,
  { bytes, sha256 }: PublishedFile,
): Promise<void> {
  const path = join(work, name);
  const found = await stat(path).catch(() => undefined);
  const had = manifest?.files[name];
  if (found === undefined && base !== undefined && had !== undefined) {
    const from = join(base.path, name);
    // A file under two names: a snapshot never changes.
    if (
      had.sha256 === sha256 &&
      (await link(from, path).then(
        () => true,
        () => false,
      ))
    )
      return;
    const own = `${path}.copy`;
    await copyFile(from, own, constants.COPYFILE_FICLONE);
    await rename(own, path);
  }
  // What is shared with another snapshot is right already, or is not to be touched.
  if (found !== undefined && found.nlink > 1) return;
  const handle = await open(path, constants.O_RDWR | constants.O_CREAT);
  try {
    await handle.truncate(bytes);
  } finally {
    await handle.close();
  }
}

async function completeFile(
  { store, pointer, signal }: DownloadOptions,
  path: string,
  { bytes }: PublishedFile,
  digests: Buffer,
): Promise<Downloaded> {
  const { partBytes } = pointer;
  let missing = await missingParts(path, bytes, partBytes, digests, signal);
  if (missing.length > 0 && (await stat(path)).nlink > 1) {
    // The file that it is shared with is damaged: a copy of its own is mended.
    await copyFile(path, `${path}.copy`);
    await rename(`${path}.copy`, path);
    missing = await missingParts(path, bytes, partBytes, digests, signal);
  }
  let receivedBytes = 0;
  const handle = await open(path, 'r+');
  try {
    const waiting = [...missing];
    const fetchSome = async (): Promise<void> => {
      for (let i = waiting.shift(); i !== undefined; i = waiting.shift()) {
        const from = i * partBytes;
        const name = digests.toString('hex', i * 32, i * 32 + 32);
        const part = await fetchPart(store, name, Math.min(partBytes, bytes - from), signal);
        await handle.write(part.bytes, 0, part.bytes.length, from);
        receivedBytes += part.receivedBytes;
      }
    };
    const running = Array.from({ length: AT_ONCE }, () =>
      fetchSome().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      }),
    );
    const ends = await Promise.allSettled(running);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    await handle.close();
  }
  return { receivedBytes, receivedParts: missing.length };
}

/** Those whose bytes in the file are not what they are to be. */
async function missingParts(
  path: string,
  bytes: number,
  partBytes: number,
  digests: Buffer,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const missing: number[] = [];
  const buffer = Buffer.allocUnsafe(partBytes);
  const handle: FileHandle = await open(path, 'r');
  try {
    for (let i = 0; i < partCount(bytes, partBytes); i++) {
      signal.throwIfAborted();
      const length = Math.min(partBytes, bytes - i * partBytes);
      const { bytesRead } = await handle.read(buffer, 0, length, i * partBytes);
      const digest = createHash('sha256').update(buffer.subarray(0, bytesRead)).digest();
      if (bytesRead !== length || !digest.equals(digests.subarray(i * 32, i * 32 + 32))) missing.push(i);
    }
  } finally {
    await handle.close();
  }
  return missing;
}
