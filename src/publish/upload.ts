// Sends a snapshot's files to a store, part by part: what is there already is not sent again.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import { digestOfParts, PART_BYTES, partCount } from '../snapshot/file-parts.ts';
import { FILE_NAMES, WHOLE_DIGESTS } from '../snapshot/layout.ts';
import type { Manifest } from '../snapshot/manifest.ts';
import type { PartList, PublishedFile } from '../store/pointer.ts';
import { type Store, StoreError } from '../store/store.ts';

export interface Uploaded {
  readonly files: Readonly<Record<string, PublishedFile>>;
  readonly parts: PartList;
  /** Of the files. */
  readonly bytes: number;
  readonly sentBytes: number;
  readonly sentParts: number;
}

/** What is in a store, as far as this process knows; it forgets all when somebody else publishes there. */
export interface KnownParts {
  /** Whether it is there. */
  has(name: string, signal: AbortSignal): Promise<boolean>;
  added(name: string): void;
  removed(name: string): void;
}

/** @param isComplete whether every part that is not in `names` is missing; else the store is asked for each */
export function knownParts(store: Store, names: Iterable<string>, isComplete: boolean): KnownParts {
  const there = new Set(names);
  return {
    async has(name, signal) {
      if (there.has(name)) return true;
      if (isComplete || !(await store.hasPart(name, signal))) return false;
      there.add(name);
      return true;
    },
    added: (name) => there.add(name),
    removed: (name) => there.delete(name),
  };
}

/** Parts that are on their way at the same time. */
const AT_ONCE = 4;

/**
 * @param folder of the snapshot, which nobody removes meanwhile
 * @throws StoreError; OperatorError where the files are not what the manifest says
 */
export async function uploadSnapshot(
  store: Store,
  known: KnownParts,
  folder: string,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<Uploaded> {
  const files: Record<string, PublishedFile> = {};
  const digests: Buffer[] = [];
  let sentBytes = 0;
  let sentParts = 0;
  const send = async (name: string, bytes: Uint8Array): Promise<void> => {
    signal.throwIfAborted();
    const isSent = await sometimesTwice(signal, async () => {
      if (await known.has(name, signal)) return false;
      await store.putPart(name, bytes, signal);
      return true;
    });
    if (!isSent) return;
    known.added(name);
    sentBytes += bytes.length;
    sentParts += 1;
  };
  for (const name of FILE_NAMES) {
    const handle = await open(join(folder, name), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (handle === undefined) continue;
    try {
      const file = await uploadFile(handle, manifest.formatVersion, send);
      const promised = manifest.files[name];
      if (promised !== undefined && (promised.bytes !== file.bytes || promised.sha256 !== file.sha256))
        throw new OperatorError(
          `the snapshot ${folder} is damaged: ${name} is not what was written; import again, without --update`,
        );
      digests.push(file.digests);
      files[name] = { bytes: file.bytes, sha256: file.sha256 };
    } finally {
      await handle.close();
    }
  }
  const list = Buffer.concat(digests);
  const parts = { bytes: list.length, sha256: digestOfParts(list) };
  await send(parts.sha256, list);
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return { files, parts, bytes, sentBytes, sentParts };
}

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 200;

/** A store that is asked thousands of times may fail once. */
async function sometimesTwice<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (signal.aborted || !(error instanceof StoreError) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}

async function uploadFile(
  handle: FileHandle,
  formatVersion: number,
  send: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<PublishedFile & { readonly digests: Buffer }> {
  const { size } = await handle.stat();
  const parts: Buffer[] = [];
  const whole = formatVersion === WHOLE_DIGESTS ? createHash('sha256') : undefined;
  const running = new Set<Promise<void>>();
  let failed: { readonly error: unknown } | undefined;
  for (let i = 0; i < partCount(size) && failed === undefined; i++) {
    const bytes = Buffer.allocUnsafe(Math.min(PART_BYTES, size - i * PART_BYTES));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, i * PART_BYTES);
    if (bytesRead !== bytes.length) throw new StoreError('a file became shorter while it was read');
    const digest = createHash('sha256').update(bytes).digest();
    parts.push(digest);
    whole?.update(bytes);
    const sending = send(digest.toString('hex'), bytes)
      .catch((error: unknown) => {
        failed ??= { error };
      })
      .finally(() => running.delete(sending));
    running.add(sending);
    if (running.size >= AT_ONCE) await Promise.race(running);
  }
  await Promise.all(running);
  if (failed !== undefined) throw failed.error;
  const digests = Buffer.concat(parts);
  return { bytes: size, sha256: whole?.digest('hex') ?? digestOfParts(digests), digests };
}
