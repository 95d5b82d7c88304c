// What a SOURCE is: a validator's database, a backup of one, or a folder of files; and a mark of its state that is
// cheap to take and differs after every change. Reads names, sizes, times and a few bytes; opens no database.
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatOf, parseTableName, stemOf, type TableName } from './table-file.ts';

export interface TableFile {
  readonly path: string;
  readonly table: TableName;
  /** Which file it is and when it was changed last: the same mark, the same bytes. */
  readonly mark: string;
  readonly bytes: number;
  /** Whether it may still be being written. */
  readonly fresh: boolean;
}

export type Source =
  /** Or a file of another kind: whoever opens it says what is wrong with it. */
  | { readonly kind: 'database'; readonly path: string }
  | {
      readonly kind: 'folder';
      readonly path: string;
      readonly files: readonly TableFile[];
      /** Files of a format that is read, but not named as a table. */
      readonly misnamed: readonly string[];
    };

/** A file that was changed less than this ago is left alone: whoever writes it may not be done. */
export const SETTLE_MS = 1_000;
const BACKUP = /\.db\.zst$/i;

/** @throws the system's error where a folder cannot be read */
export async function readSource(path: string, now = Date.now()): Promise<Source> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return { kind: 'database', path };
  const names = (await readdir(path)).filter((name) => !name.startsWith('.')).sort();
  const files: TableFile[] = [];
  const misnamed: string[] = [];
  for (const name of names) {
    if (formatOf(name) === undefined) continue;
    const table = parseTableName(stemOf(name));
    if (table === undefined) misnamed.push(name);
    else {
      const file = await tableFile(join(path, name), table, now);
      if (file !== undefined) files.push(file);
    }
  }
  if (files.length > 0 || misnamed.length > 0) return { kind: 'folder', path, files, misnamed };
  // A validator names its backups by their time, so that the last name is the newest.
  const backup = names.filter((name) => BACKUP.test(name)).at(-1);
  if (backup !== undefined) return { kind: 'database', path: join(path, backup) };
  return names.length === 0 ? { kind: 'folder', path, files, misnamed } : { kind: 'database', path };
}

async function tableFile(path: string, table: TableName, now: number): Promise<TableFile | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return undefined;
  const { ino, size, mtimeNs, ctimeNs } = found;
  // A file that was copied with its times has only its ctime to tell.
  const age = now - Math.max(Number(mtimeNs / 1_000_000n), Number(ctimeNs / 1_000_000n));
  const mark = `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  return { path, table, mark, bytes: Number(size), fresh: age >= 0 && age < SETTLE_MS };
}

/**
 * Two equal marks: nothing was changed in between. For a database in use these are the counters that SQLite's own
 * `PRAGMA data_version` is made of, with which every commit is announced, read without a connection: an open one
 * would keep the validator from ending its log.
 */
export async function sourceMark(path: string): Promise<string> {
  const source = await readSource(path);
  if (source.kind === 'folder')
    return source.files.map(({ path: file, mark, fresh }) => `${file} ${mark} ${fresh}`).join('\n');
  const parts = [source.path, statMark(source.path, true)];
  // SQLite gives a log to the database's owner each time that root opens it, to read, too: that is its ctime's only news.
  for (const suffix of ['-wal', '-journal']) parts.push(statMark(source.path + suffix, false));
  parts.push(head(source.path, 24, 4), head(`${source.path}-shm`, 0, 96), head(`${source.path}-wal`, 0, 32));
  return parts.join('\n');
}

function statMark(path: string, withChangeTime: boolean): string {
  let found: Stats;
  try {
    found = statSync(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '-';
  }
  const { dev, ino, size, mtimeMs, ctimeMs } = found;
  return `${dev} ${ino} ${size} ${mtimeMs}${withChangeTime ? ` ${ctimeMs}` : ''}`;
}

function head(path: string, at: number, bytes: number): string {
  const buffer = Buffer.alloc(bytes);
  try {
    const file = openSync(path, 'r');
    try {
      return buffer.toString('hex', 0, readSync(file, buffer, 0, bytes, at));
    } finally {
      closeSync(file);
    }
  } catch {
    return '-';
  }
}
