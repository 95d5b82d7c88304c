// A snapshot's manifest.json: which files belong to it, whole to the byte, and when each table changed last. Written
// last, so that a snapshot without one is none.
import type { BigIntStats } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCache } from '../base/cache.ts';
import type { RemoteRelation } from '../dialect/remote.ts';
import { digestOfFile, digestOfParts, type FileParts, readParts } from './file-parts.ts';
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

/** Larger files are not read whole each time that a gateway turns to a snapshot: some 2.5 ms a megabyte. */
const DIGEST_BYTES = 32 * 1024 * 1024;

/** The first file that is not as the manifest says, in words for an operator; by size only. */
export async function faultOfFiles(folder: string, manifest: Manifest): Promise<string | undefined> {
  for (const [name, { bytes }] of Object.entries(manifest.files)) {
    const there = await stat(join(folder, name)).catch(() => undefined);
    if (there === undefined) return `lacks its file ${name}`;
    if (there.size !== bytes) return `is half-written: ${name} has ${there.size} of ${bytes} bytes`;
  }
  return undefined;
}

/** The same by digest, of those of these names that are not too large for it. */
export async function faultOfDigests(
  folder: string,
  { files, formatVersion }: Manifest,
  names: readonly string[],
): Promise<string | undefined> {
  for (const [name, entry] of Object.entries(files))
    if (isDigested(entry) && names.includes(name)) {
      const has = await digestNow(join(folder, name), formatVersion);
      if (has !== entry.sha256) return `is damaged: ${name} is not what was written`;
    }
  return undefined;
}

/** Says of files that were made or checked just now what their digests are: whoever asks next does not read them. */
export async function rememberDigests(folder: string, { files, formatVersion }: Manifest): Promise<void> {
  for (const [name, entry] of Object.entries(files))
    if (isDigested(entry))
      known.set(keyOf(await stat(join(folder, name), { bigint: true }), formatVersion), entry.sha256);
}

const isDigested = ({ bytes }: FileEntry): boolean => bytes <= DIGEST_BYTES;

/**
 * Digests by what the system says of the files: one that stays from snapshot to snapshot, under other names, is read once.
 * Whoever writes over a file and puts its times back is not found out before this process ends.
 */
const known = createCache<string>(16);
/** The clock of a file system is a coarse one: one written to just now may be written to again without a later time. */
const AT_REST_MS = 2_000;

const keyOf = (of: BigIntStats, formatVersion: number): string =>
  `${formatVersion} ${of.dev} ${of.ino} ${of.birthtimeNs} ${of.mtimeNs} ${of.size}`;

async function digestNow(path: string, formatVersion: number): Promise<string> {
  const of = await stat(path, { bigint: true });
  const key = keyOf(of, formatVersion);
  const before = known.get(key);
  if (before !== undefined) return before;
  const digest = await digestOfFile(path, formatVersion);
  if (Date.now() - Number(of.mtimeMs) > AT_REST_MS) known.set(key, digest);
  return digest;
}
