// Whether the files of a snapshot are what was written: their digests are compared with those of its manifest, and those that
// are known are not made again.
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createCache } from '../base/cache.ts';
import { digestOfFile } from './file-parts.ts';
import type { FileEntry, Manifest } from './manifest.ts';

/** Larger files are not read whole each time that a gateway turns to a snapshot: some 2.5 ms a megabyte. */
const DIGEST_BYTES = 32 * 1024 * 1024;

/** The first of these files that is not as the manifest says, in words for an operator; but for those that are too large for it. */
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
