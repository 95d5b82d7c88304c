// The data folder: `DIR/snapshots/NUMBER-RANDOM/`; the highest number is what is served, unless hold.ts knows
// better. Finds and checks the current snapshot; making one is publish.ts's job. Loads no engine: the front uses this.
import { access, readdir } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { isDue } from './activation.ts';
import { faultOfDigests } from './file-digests.ts';
import { faultOfColumns, faultOfRows } from './header.ts';
import { heldSnapshots } from './hold.ts';
import {
  COLUMNS,
  columnsPath,
  oldSnapshotNumber,
  ROWS,
  rowsPath,
  SOURCES,
  snapshotNumber,
} from './layout.ts';
import { faultOfFiles, type Manifest, readManifest } from './manifest.ts';

export interface SnapshotFile extends SnapshotRef {
  /** Ascends with every snapshot of a folder. */
  readonly number: number;
}

export function snapshotsFolder(dir: string): string {
  return join(resolve(dir), 'snapshots');
}

/** Newest first; empty where the folder is missing. Files of other names are nobody's business here. */
export async function listSnapshots(dir: string): Promise<readonly SnapshotFile[]> {
  return listNamed(dir, snapshotNumber);
}

/** Those of an older format, which no one serves any more; newest first. Their path is that of a file. */
export async function listOldSnapshots(dir: string): Promise<readonly SnapshotFile[]> {
  return listNamed(dir, oldSnapshotNumber);
}

async function listNamed(
  dir: string,
  numberOf: (name: string) => number | undefined,
): Promise<readonly SnapshotFile[]> {
  const folder = snapshotsFolder(dir);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new OperatorError(`the data folder cannot be read: ${folder}: ${reason(error)}`);
  });
  return names
    .flatMap((name) => {
      const number = numberOf(name);
      return number === undefined ? [] : [{ id: parse(name).name, path: join(folder, name), number }];
    })
    .sort((a, b) => b.number - a.number || (a.id < b.id ? 1 : -1));
}

/** The snapshot to serve, unchecked; undefined where there is none. */
export async function servedSnapshot(dir: string): Promise<SnapshotFile | undefined> {
  const all = await listSnapshots(dir);
  const held = await heldSnapshots(snapshotsFolder(dir));
  const found = held.map((id) => all.find((each) => each.id === id)).find((each) => each !== undefined);
  return found ?? all[0];
}

/** The same for whoever starts now: one whose moment is to come is what the others do not serve yet either. */
async function firstSnapshot(dir: string, nowMs: number): Promise<SnapshotFile | undefined> {
  const wanted = await servedSnapshot(dir);
  if (wanted === undefined || (await isDue(wanted.path, nowMs))) return wanted;
  for (const each of await listSnapshots(dir))
    if (each.id !== wanted.id && (await isDue(each.path, nowMs))) return each;
  return wanted;
}

/**
 * The snapshot to begin with.
 * @param nowMs since 1970
 * @throws OperatorError with a line that says what is wrong and what to do
 */
export async function currentSnapshot(dir: string, nowMs = Date.now()): Promise<SnapshotRef> {
  const { id, path } = await uncheckedSnapshot(dir, nowMs);
  await checkSnapshot({ id, path });
  return { id, path };
}

/**
 * The same for whoever rather serves the good one before it than nothing. Never one that is newer: somebody may have gone
 * back from it.
 * @throws OperatorError as above, where there is none
 */
export async function servableSnapshot(dir: string, nowMs = Date.now()): Promise<SnapshotRef> {
  const wanted = await uncheckedSnapshot(dir, nowMs);
  let fault: unknown;
  for (const each of await listSnapshots(dir)) {
    const { id, path, number } = each;
    if (id !== wanted.id && (number >= wanted.number || !(await isDue(path, nowMs)))) continue;
    try {
      await checkSnapshot(each);
      return { id, path };
    } catch (error) {
      fault ??= error;
    }
  }
  throw fault;
}

async function uncheckedSnapshot(dir: string, nowMs: number): Promise<SnapshotFile> {
  const found = await firstSnapshot(dir, nowMs);
  if (found === undefined) {
    const missing = await access(resolve(dir)).then(
      () => false,
      () => true,
    );
    const old = (await listOldSnapshots(dir))[0];
    if (old !== undefined)
      throw new OperatorError(
        `the snapshot ${old.path} is of an older format, which is not served any more; import again: tablegate import SOURCE --data ${dir}`,
      );
    throw new OperatorError(
      missing
        ? `there is no data folder ${resolve(dir)}; make it with: tablegate import SOURCE --data ${dir}`
        : `there is no snapshot in ${resolve(dir)}; make one with: tablegate import SOURCE --data ${dir}`,
    );
  }
  return found;
}

/**
 * @returns its manifest
 * @throws OperatorError where the snapshot must not or cannot be opened by this program's engines
 */
export async function checkSnapshot(snapshot: SnapshotRef): Promise<Manifest> {
  return checkFiles(snapshot, READ);
}

/** The same of who made it just now, and need not read what it wrote. @throws OperatorError as above */
export async function checkMade(snapshot: SnapshotRef): Promise<Manifest> {
  return checkFiles(snapshot, []);
}

/** The same of who goes on from it, and needs what it was made of. @throws OperatorError as above */
export async function checkWhole(snapshot: SnapshotRef): Promise<Manifest> {
  return checkFiles(snapshot, [...READ, SOURCES]);
}

/** Files that a gateway reads. */
const READ: readonly string[] = [ROWS, COLUMNS];

async function checkFiles(snapshot: SnapshotRef, digested: readonly string[]): Promise<Manifest> {
  const found = await manifestOf(snapshot.path, digested).catch(
    (error: NodeJS.ErrnoException) => `cannot be read: ${reason(error)}`,
  );
  if (typeof found !== 'string') return found;
  throw new OperatorError(
    `the snapshot ${snapshot.path} ${found}; import again, or remove it to serve the one before`,
  );
}

/** What is beside the files and would be replayed into what is served, whoever wrote it. */
const LOGS: readonly (readonly [file: (folder: string) => string, suffixes: readonly string[]])[] = [
  [columnsPath, ['.wal']],
  [rowsPath, ['-wal', '-journal']],
];

/** Or what is wrong with the snapshot, to follow its path. */
async function manifestOf(folder: string, digested: readonly string[]): Promise<Manifest | string> {
  for (const [file, suffixes] of LOGS)
    for (const suffix of suffixes)
      if (await exists(file(folder) + suffix))
        return `must have no write-ahead log or journal, but there is one: ${file(folder)}${suffix}`;
  const manifest = await readManifest(folder).catch((error: Error) => error);
  if (manifest instanceof Error) return manifest.message;
  const { files } = manifest;
  if (files[ROWS] === undefined) return `is damaged: its manifest.json names no ${ROWS}`;
  return (
    (await faultOfFiles(folder, manifest)) ??
    (await faultOfRows(rowsPath(folder))) ??
    (files[COLUMNS] === undefined ? undefined : await faultOfColumns(columnsPath(folder))) ??
    (await faultOfDigests(folder, manifest, digested)) ??
    manifest
  );
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function reason(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message;
}
