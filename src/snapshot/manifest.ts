// A snapshot's manifest.json: which files belong to it, whole to the byte, and when each table changed last. Written
// last, so that a snapshot without one is none.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteRelation } from '../dialect/remote.ts';
import { digestOfParts, type FileParts, readParts } from './file-parts.ts';
import { manifestPath, READ_FORMATS, READS } from './layout.ts';

export interface FileEntry {
  readonly bytes: number;
  /** Lower case hexadecimal, of the digests of its parts (file-parts.ts); in format 3 of all its bytes. */
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
  if (typeof formatVersion === 'number' && !READ_FORMATS.includes(formatVersion))
    throw new Error(`has format ${formatVersion}, ${READS}`);
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

/** Size and digest of a finished file, which is read whole. @param free see {@link FileEntry.free} */
export async function describeFile(path: string, free: number): Promise<FileEntry> {
  return entryOf(await readParts(path), free);
}

export function entryOf({ bytes, digests }: FileParts, free: number): FileEntry {
  return { bytes, sha256: digestOfParts(digests), free };
}

/** The first file that is not as the manifest says, in words for an operator; by size only. */
export async function faultOfFiles(folder: string, manifest: Manifest): Promise<string | undefined> {
  for (const [name, { bytes }] of Object.entries(manifest.files)) {
    const there = await stat(join(folder, name)).catch(() => undefined);
    if (there === undefined) return `lacks its file ${name}`;
    if (there.size !== bytes) return `is half-written: ${name} has ${there.size} of ${bytes} bytes`;
  }
  return undefined;
}
