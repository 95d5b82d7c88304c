// One look at a store: where its pointer names another snapshot, that one is fetched, proved, renamed into the data
// folder and made the current one. Whatever the store does, what is here is left as it is until the new one is whole.
import type { KeyObject } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSnapshot, listSnapshots, servedSnapshot, snapshotsFolder } from '../snapshot/folder.ts';
import { pulledSnapshot, writePulled } from '../snapshot/hold.ts';
import { writeLake } from '../snapshot/lake.ts';
import { activationPath, MANIFEST, READ_FORMATS, READS } from '../snapshot/layout.ts';
import { type Manifest, readManifest } from '../snapshot/manifest.ts';
import { openDraft } from '../snapshot/publish.ts';
import { type Pointer, parsePointer } from '../store/pointer.ts';
import { unsignedText, verifyText } from '../store/signature.ts';
import { type Store, StoreError } from '../store/store.ts';
import { downloadSnapshot } from './download.ts';

export interface PullOptions {
  readonly store: Store;
  /** The data folder. */
  readonly data: string;
  /** Snapshots that stay in it. */
  readonly keep: number;
  /** Where it is given, only pointers that are signed by it are believed. */
  readonly key: KeyObject | undefined;
  readonly signal: AbortSignal;
  /** There is something new, which is being fetched from now on. */
  readonly onNew: (id: string) => void;
}

export interface Pulled {
  readonly id: string;
  /** Of the snapshot. */
  readonly bytes: number;
  readonly receivedBytes: number;
  readonly receivedParts: number;
  readonly activeAt: string | null;
}

export interface Puller {
  /** @returns undefined where there is nothing new @throws StoreError, OperatorError and errors of the file system */
  pull(): Promise<Pulled | undefined>;
}

const WORK = '.pulling-';
/** A moment that is further ahead of this machine's clock is a mistake, and would hold it up. */
const MAX_AHEAD_MS = 3_600_000;

export function createPuller(options: PullOptions): Puller {
  const { store, data, signal } = options;
  const folder = snapshotsFolder(data);
  /** Of the pointer whose snapshot is here. */
  let done: { readonly tag: string | undefined; readonly id: string } | undefined;
  let highest = 0;

  return {
    async pull() {
      const pulled = await pulledSnapshot(folder);
      highest = Math.max(highest, pulled?.sequence ?? 0);
      // An import of this machine's own took over, or somebody removed it: it is put back.
      const isHere =
        done !== undefined &&
        pulled?.id === done.id &&
        (await listSnapshots(data)).some(({ id }) => id === done?.id);
      const stored = await store.readPointer(isHere ? done?.tag : undefined, signal);
      if (stored === 'unchanged') return undefined;
      if (stored === 'absent') throw new StoreError(`nothing is published in ${store.name} yet`);
      const pointer = readPointer(stored.text, options);
      if (pointer.sequence < highest)
        throw new StoreError(
          `the pointer in ${store.name} is older than what was pulled from there (sequence ${pointer.sequence}, ${pointer.id}, after ${highest}): it is not followed`,
        );
      const isNew = !(isHere && pointer.id === done?.id && pointer.sequence === highest);
      if (!isNew) {
        done = { tag: stored.isSettled ? stored.tag : undefined, id: pointer.id };
        return undefined;
      }
      if (pointer.sequence === highest && pulled?.id !== undefined && pulled.id !== pointer.id)
        throw new StoreError(
          `the pointer in ${store.name} names ${pointer.id}, and another one of sequence ${highest} named ${pulled.id}: it is not followed`,
        );
      const isKnown = pulled?.id === pointer.id && pulled.sequence === pointer.sequence;
      const got = await bring(options, pointer, isKnown);
      await writePulled(folder, { id: pointer.id, sequence: pointer.sequence });
      highest = pointer.sequence;
      done = { tag: stored.isSettled ? stored.tag : undefined, id: pointer.id };
      return got;
    },
  };
}

function readPointer(text: string, { store, key }: PullOptions): Pointer {
  try {
    const pointer = parsePointer(key === undefined ? unsignedText(text) : verifyText(text, key));
    const { snapshotFormat, activeAt } = pointer;
    if (!READ_FORMATS.includes(snapshotFormat))
      throw new Error(`names a snapshot of format ${snapshotFormat}, ${READS}`);
    if (activeAt !== null && Date.parse(activeAt) > Date.now() + MAX_AHEAD_MS)
      throw new Error(`has an activeAt of more than an hour ahead of this machine's clock: ${activeAt}`);
    return pointer;
  } catch (error) {
    throw new StoreError(`the pointer in ${store.name} ${(error as Error).message}`);
  }
}

/** The snapshot into the data folder, where it is not there. */
async function bring(options: PullOptions, pointer: Pointer, isKnown: boolean): Promise<Pulled | undefined> {
  const { store, data, keep, signal } = options;
  const { id, files, activeAt, lake } = pointer;
  const folder = snapshotsFolder(data);
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  const nothing = { id, bytes, receivedBytes: 0, receivedParts: 0, activeAt };
  if (await isWhole(join(folder, id), pointer)) {
    // Known and whole: this process was started anew, and nothing is to be turned to.
    if (isKnown) return undefined;
    await writeLake(join(folder, id), lake);
    await writeActivation(join(folder, id), activeAt);
    return nothing;
  }
  options.onNew(id);
  const work = join(folder, WORK + id);
  for (const name of await readdir(folder))
    if (name.startsWith(WORK) && join(folder, name) !== work)
      await rm(join(folder, name), { recursive: true, force: true });
  const base = await servedSnapshot(data);
  const got = await downloadSnapshot({ store, pointer, work, base, signal });
  const manifest = await readManifest(work).catch((error: Error) => {
    throw new StoreError(`the snapshot ${id} in ${store.name} ${error.message}`);
  });
  if (manifest.id !== id || !isSame(manifest, pointer))
    throw new StoreError(`the snapshot ${id} in ${store.name} is not the one that its manifest tells of`);
  const draft = await openDraft(data, keep, id);
  try {
    await setAside(join(folder, id), `${draft.building}.damaged`);
    await rmdir(draft.building);
    await rename(work, draft.building);
    await writeLake(draft.building, lake);
    await writeActivation(draft.building, activeAt);
    await draft.publish();
  } finally {
    await draft.close();
  }
  return { ...nothing, ...got };
}

/** Whether the folder has the files that were published, by what its manifest says of them and by their sizes. */
async function isWhole(path: string, pointer: Pointer): Promise<boolean> {
  const manifest = await checkSnapshot({ id: pointer.id, path }).catch(() => undefined);
  return manifest !== undefined && isSame(manifest, pointer);
}

function isSame(manifest: Manifest, { files, snapshotFormat }: Pointer): boolean {
  if (manifest.formatVersion !== snapshotFormat) return false;
  const published = Object.keys(files).filter((name) => name !== MANIFEST);
  const names = new Set([...published, ...Object.keys(manifest.files)]);
  return [...names].every((name) => manifest.files[name]?.sha256 === files[name]?.sha256);
}

async function setAside(path: string, aside: string): Promise<void> {
  await rename(path, aside).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function writeActivation(folder: string, activeAt: string | null): Promise<void> {
  await mkdir(folder, { recursive: true });
  const own = `${activationPath(folder)}.new`;
  await writeFile(own, `${JSON.stringify({ activeAt })}\n`);
  await rename(own, activationPath(folder));
}
