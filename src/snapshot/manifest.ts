// A snapshot's manifest.json: which files belong to it, whole to the byte, and when each table changed last. Written
// last, so that a snapshot without one is none.
import { createHash } from 'node:crypto';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteRelation } from '../dialect/remote.ts';
import { FORMAT_VERSION, manifestPath } from './layout.ts';

export interface FileEntry {
  readonly bytes: number;
  /** Lower case hexadecimal. */
  readonly sha256: string;
  /** Of its bytes, those that nothing uses. */
  readonly free: number;
}

export interface Manifest {
  readonly formatVersion: number;
  readonly id: string;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly source: string;
  /** What wrote the files: name -> release. */
  readonly engines: Readonly<Record<string, string>>;
  /** By the names of layout.ts. */
  readonly files: Readonly<Record<string, FileEntry>>;
  /** Chain id -> the last block that the data has. */
  readonly blocks: Readonly<Record<string, number>>;
  /** Table -> id of the snapshot in which it changed last: of equal versions, equal rows and description. */
  readonly versions: Readonly<Record<string, string>>;
  /** Table -> its rows. */
  readonly rows: Readonly<Record<string, number>>;
  /** Table -> where its rows are, of those that have none here; undefined where each has. */
  readonly remote?: Readonly<Record<string, RemoteRelation>>;
}

/** @throws Error in words for an operator, to follow the path of the snapshot */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(manifestPath(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? 'has no manifest.json' : `cannot be read: ${error.code}`);
  });
  let manifest: Partial<Manifest>;
  try {
    manifest = JSON.parse(text) as Partial<Manifest>;
  } catch {
    throw new Error('is damaged: its manifest.json is no JSON');
  }
  const { formatVersion } = manifest;
  if (typeof formatVersion === 'number' && formatVersion !== FORMAT_VERSION)
    throw new Error(`has format ${formatVersion}, this program reads format ${FORMAT_VERSION}`);
  if (!isManifest(manifest)) throw new Error('is damaged: its manifest.json lacks what a manifest has');
  return manifest;
}

function isManifest(value: Partial<Manifest>): value is Manifest {
  const objects = [value.files, value.blocks, value.versions, value.rows, value.engines];
  return (
    typeof value.formatVersion === 'number' &&
    typeof value.id === 'string' &&
    objects.every((each) => typeof each === 'object' && each !== null) &&
    Object.values(value.files ?? {}).every(
      (file) => Number.isSafeInteger(file?.bytes) && typeof file?.sha256 === 'string',
    )
  );
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(manifestPath(folder), `${JSON.stringify(manifest)}\n`);
}

/** Size and digest of a finished file. @param free see {@link FileEntry.free} */
export async function describeFile(path: string, free: number): Promise<FileEntry> {
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  try {
    // The next bytes are read while those before are digested. A stream would take new memory for each.
    const buffers = [Buffer.allocUnsafeSlow(READ_BYTES), Buffer.allocUnsafeSlow(READ_BYTES)] as const;
    const read = (turn: number): Promise<{ bytesRead: number }> =>
      file.read(buffers[turn % 2 === 0 ? 0 : 1], 0, READ_BYTES);
    let bytes = 0;
    let reading = read(0);
    for (let turn = 0; ; turn++) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex'), free };
      reading = read(turn + 1);
      bytes += bytesRead;
      hash.update(buffers[turn % 2 === 0 ? 0 : 1].subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

const READ_BYTES = 1 << 20;

/** Larger files are not read whole each time that a gateway turns to a snapshot: some 2.5 ms a megabyte. */
const DIGEST_BYTES = 32 * 1024 * 1024;

/** The first file that is not as the manifest says, in words for an operator; by size only. */
export async function faultOfFiles(folder: string, manifest: Manifest): Promise<string | undefined> {
  for (const [name, { bytes }] of Object.entries(manifest.files)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found === undefined) return `lacks its file ${name}`;
    if (found.size !== bytes) return `is half-written: ${name} has ${found.size} of ${bytes} bytes`;
  }
  return undefined;
}

/** The same by digest, of those of these names that are not too large for it. */
export async function faultOfDigests(
  folder: string,
  manifest: Manifest,
  names: readonly string[],
): Promise<string | undefined> {
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files))
    if (
      names.includes(name) &&
      bytes <= DIGEST_BYTES &&
      (await describeFile(join(folder, name), 0)).sha256 !== sha256
    )
      return `is damaged: ${name} is not what was written`;
  return undefined;
}
