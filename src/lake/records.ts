// What is in the lake's folder: files of tables, named by what is in them, and a record of each snapshot that has tables
// there. A record is written before anything that it names is made, and goes last: whatever is left can be found by it.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshotNumber } from '../snapshot/layout.ts';

export interface LakeRecord {
  readonly id: string;
  /** Name here -> name in the schema of the snapshot, and the folder with its file. */
  readonly tables: Readonly<Record<string, { readonly table: string; readonly files: string }>>;
  /** When the store was first seen without it, in milliseconds since 1970; null: it is there, or is just being made. */
  readonly leftAt: number | null;
}

const FILES = 'files';
const RECORDS = 'snapshots';
const UNFINISHED = '.unfinished-';

/** As Trino sees it, below its `local:///`. */
export const filesLocation = (files: string): string => `local:///${FILES}/${files}`;
export const filesPath = (lake: string, files: string): string => join(lake, FILES, files);

/** A folder that becomes `files` when it is whole, if nobody else was quicker. */
export async function openFiles(
  lake: string,
  files: string,
): Promise<{ readonly path: string; finish(): Promise<void>; close(): Promise<void> }> {
  const path = filesPath(lake, `${UNFINISHED}${randomBytes(6).toString('hex')}`);
  await mkdir(path, { recursive: true });
  return {
    path,
    async finish() {
      for (const name of await readdir(path)) await sync(join(path, name));
      await rename(path, filesPath(lake, files)).catch(async (error: unknown) => {
        if (!(await hasFiles(lake, files))) throw error;
      });
    },
    close: () => rm(path, { recursive: true, force: true }),
  };
}

/** A power cut must not leave the name on half of a file: it is never written again. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function hasFiles(lake: string, files: string): Promise<boolean> {
  return stat(filesPath(lake, files)).then(
    () => true,
    () => false,
  );
}

/** Removes what nothing names; what is young may be what somebody makes at this moment. */
export async function removeFiles(
  lake: string,
  needed: ReadonlySet<string>,
  gone: ReadonlySet<string>,
  youngMs: number,
): Promise<void> {
  for (const name of await readdir(join(lake, FILES)).catch(() => [] as string[])) {
    if (needed.has(name)) continue;
    const path = filesPath(lake, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (gone.has(name) || Date.now() - mtimeMs > youngMs) await rm(path, { recursive: true, force: true });
  }
}

export async function writeRecord(lake: string, record: LakeRecord): Promise<void> {
  const folder = join(lake, RECORDS);
  await mkdir(folder, { recursive: true });
  const own = join(folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`);
  await writeFile(own, `${JSON.stringify(record)}\n`);
  await rename(own, join(folder, `${record.id}.json`));
}

export async function removeRecord(lake: string, { id }: LakeRecord): Promise<void> {
  await rm(join(lake, RECORDS, `${id}.json`), { force: true });
}

/** @throws Error where one cannot be read: nobody knows what it keeps */
export async function readRecords(lake: string): Promise<readonly LakeRecord[]> {
  const names = await readdir(join(lake, RECORDS)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ids = names.flatMap((name) => {
    const id = name.replace(/\.json$/, '');
    return id !== name && snapshotNumber(id) !== undefined ? [id] : [];
  });
  const found: LakeRecord[] = [];
  for (const id of ids) {
    const path = join(lake, RECORDS, `${id}.json`);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    // Another publisher removed it just now.
    if (text === undefined) continue;
    try {
      const { tables, leftAt } = JSON.parse(text) as LakeRecord;
      if (typeof tables !== 'object' || tables === null) throw new Error('it has no tables');
      found.push({ id, tables, leftAt: typeof leftAt === 'number' ? leftAt : null });
    } catch (error) {
      throw new Error(`the record ${path} is damaged: ${(error as Error).message}`);
    }
  }
  return found;
}
