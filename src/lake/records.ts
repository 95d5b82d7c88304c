// What is in the lake's folder: files of tables, named by what is in them, and for each store a record of each of its
// snapshots that has tables there. A record is written before anything that it names is made, and goes last: whatever is left can be found by it.
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshotNumber } from '../snapshot/layout.ts';

export interface LakeRecord {
  readonly id: string;
  /** Of the store that has the snapshot; nobody but its publishers removes this. Empty: nobody knows. */
  readonly owner: string;
  /** Name here -> name in the schema of the snapshot, and the folder with its file. */
  readonly tables: Readonly<Record<string, { readonly table: string; readonly files: string }>>;
  /** When the store was first seen without it, in milliseconds since 1970; null: it is there, or is just being made. */
  readonly leftAt: number | null;
}

const FILES = 'files';
const RECORDS = 'snapshots';
const UNFINISHED = '.unfinished-';
/** Two stores may have the same snapshot: each has a record of its own. */
const RECORD = /^([^.]+)(?:\.([0-9a-f]{16}))?\.json$/;

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
  return exists(filesPath(lake, files));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
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
  const { tables, leftAt } = record;
  await writeFile(own, `${JSON.stringify({ tables, leftAt })}\n`);
  await rename(own, recordPath(lake, record));
}

export async function removeRecord(lake: string, record: RecordName): Promise<void> {
  await rm(recordPath(lake, record), { force: true });
}

export async function hasRecord(lake: string, record: RecordName): Promise<boolean> {
  return exists(recordPath(lake, record));
}

type RecordName = Pick<LakeRecord, 'id' | 'owner'>;

function recordPath(lake: string, { id, owner }: RecordName): string {
  return join(lake, RECORDS, owner === '' ? `${id}.json` : `${id}.${owner}.json`);
}

/** @throws Error where one cannot be read: nobody knows what it keeps */
export async function readRecords(lake: string): Promise<readonly LakeRecord[]> {
  const names = await readdir(join(lake, RECORDS)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found: LakeRecord[] = [];
  for (const name of names) {
    const [, id = '', owner = ''] = RECORD.exec(name) ?? [];
    if (snapshotNumber(id) === undefined) continue;
    const path = join(lake, RECORDS, name);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    // Another publisher removed it just now.
    if (text === undefined) continue;
    try {
      const { tables, leftAt } = JSON.parse(text) as LakeRecord;
      if (typeof tables !== 'object' || tables === null) throw new Error('it has no tables');
      found.push({ id, owner, tables, leftAt: typeof leftAt === 'number' ? leftAt : null });
    } catch (error) {
      throw new Error(`the record ${path} is damaged: ${(error as Error).message}`);
    }
  }
  return found;
}
