// Opens a validator's SQLite database for reading, live, stopped, copied or compressed, in one transaction and
// without writing to the source. Knows nothing of what is in it.
import { closeSync, createReadStream, openSync, readSync, writeSync } from 'node:fs';
import { copyFile, open, rm, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Decompress } from 'fzstd';
import { ImportError, reasonOf } from './failure.ts';
import { beginUnseen, LOCK_MS, type LogMoment, momentOf } from './sqlite-lock.ts';
import { type DatabaseFiles, NO_LOG, openDatabaseFiles, type PageReader } from './sqlite-pages.ts';

export interface SqliteSource {
  /** A connection that has it attached as `source`, in a transaction. */
  readonly database: DatabaseSyncInstance;
  /** The pages that the transaction sees; undefined where that cannot be told. */
  pages(): PageReader | undefined;
  /** What the transaction sees of a database in use; undefined where it has no log, or that cannot be told. */
  moment(): LogMoment | undefined;
  /** @throws SourceChanged where the file was written to while it was read without locks */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

/** The source was written to in a way that makes what was read worthless: read it again. */
export class SourceChanged extends Error {}

const MAGIC = 'SQLite format 3\0';
const ZSTD_MAGIC = 0xfd2fb528;
const WAL_FORMAT = 2;

/**
 * @param scratch a file name that may be used for a private copy, with what SQLite puts beside it
 * @throws ImportError
 */
export async function openSqlite(
  source: string,
  scratch: string,
  signal: AbortSignal,
): Promise<SqliteSource> {
  const head = await readHead(source);
  if (head.length >= 4 && head.readUInt32LE(0) === ZSTD_MAGIC) {
    await decompress(source, scratch, signal);
    return openPrivate(source, scratch);
  }
  checkHead(source, head, (await stat(source)).size, await hasSide(source, '-wal'));
  const sides = (await hasSide(source, '-wal')) || (await hasSide(source, '-shm'));
  const isWal = head[19] === WAL_FORMAT;
  const encoding = encodingOf(head);
  if (isWal && !sides) return openImmutable(source, encoding);
  try {
    return openLocked(source, true, encoding);
  } catch (error) {
    // A log that cannot be read where it is, such as in a folder that is not ours: read a copy.
    if (!isCannotOpen(error) || !(sides || (await hasSide(source, '-journal')))) throw explain(source, error);
    await copyStable(source, scratch, signal);
    return openPrivate(source, scratch);
  }
}

/**
 * Opens it for some work, and closes it whatever comes of that; an error of SQLite is said in words.
 * @throws ImportError, and what the work throws
 */
export async function withSqlite(
  source: string,
  scratch: string,
  signal: AbortSignal,
  work: (opened: SqliteSource) => Promise<void>,
): Promise<void> {
  const opened = await openSqlite(source, scratch, signal);
  try {
    await work(opened);
  } catch (error) {
    throw explain(source, error);
  } finally {
    await opened.close();
  }
}

async function readHead(source: string): Promise<Buffer> {
  try {
    const file = await open(source, 'r');
    try {
      if ((await file.stat()).isDirectory())
        throw new ImportError(`${source} is a folder; give the database in it: ${source}/database.db`);
      const head = Buffer.alloc(100);
      const { bytesRead } = await file.read(head, 0, head.length, 0);
      return head.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new ImportError(`there is no file ${source}`);
    throw new ImportError(`${source} cannot be read: ${reasonOf(error)}`);
  }
}

function checkHead(source: string, head: Buffer, size: number, hasWal: boolean): void {
  if (head.length === 0) throw new ImportError(`${source} is empty`);
  if (head.length < 100 || head.toString('latin1', 0, 16) !== MAGIC)
    throw new ImportError(
      `${source} is not a SQLite database; for a file of another kind add --table PREFIX_CHAIN_ID alone`,
    );
  const pageSize = head.readUInt16BE(16) === 1 ? 65536 : head.readUInt16BE(16);
  const pages = head.readUInt32BE(28);
  // The count is valid where the change counter was written with it (fileformat2.html, section 1.3.7), and a
  // log may hold what is not in the file yet.
  const valid = head.readUInt32BE(24) === head.readUInt32BE(92);
  if (valid && !hasWal && size < pages * pageSize)
    throw new ImportError(`${source} is truncated: it has ${size} of ${pages * pageSize} bytes`);
}

function encodingOf(head: Buffer): number {
  return head.readUInt32BE(56);
}

async function hasSide(source: string, suffix: string): Promise<boolean> {
  const found = await stat(source + suffix).catch(() => undefined);
  return found !== undefined && (found.size > 0 || suffix === '-shm');
}

/** Attached databases must have one encoding of texts; by the number in the header. */
const ENCODINGS: Readonly<Record<number, string>> = { 2: 'UTF-16le', 3: 'UTF-16be' };

/** What databases attached to a connection must agree on. @param path of a database that may not exist yet */
export function encodingNameOf(path: string): string {
  const head = Buffer.alloc(100);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, head, 0, head.length, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A new one takes that of its connection.
  }
  return ENCODINGS[encodingOf(head)] ?? 'UTF-8';
}

interface Connected {
  readonly database: DatabaseSyncInstance;
  readonly files: DatabaseFiles;
  /** Of files.state(); undefined where a writer always came between. */
  readonly seen: string | undefined;
}

/** @param options of a file: URI */
function connect(path: string, options: string, encoding: number): Connected {
  // The source is attached, so that rows can go from it to another database on this connection by one statement.
  const database = new DatabaseSync(':memory:', {
    timeout: LOCK_MS,
    enableForeignKeyConstraints: false,
    // Nothing in a file from elsewhere may call functions of ours.
    defensive: true,
  });
  const files = openDatabaseFiles(path);
  try {
    database.exec(`pragma trusted_schema=off; pragma encoding='${ENCODINGS[encoding] ?? 'UTF-8'}'`);
    database.prepare('attach ? as source').run(`${pathToFileURL(path).href}?${options}`);
    const read = database.prepare('select count(*) from source.sqlite_master');
    read.get();
    return { database, files, seen: beginUnseen(files, database, () => read.get()) };
  } catch (error) {
    database.close();
    files.close();
    throw error;
  }
}

function sourceOf(connected: Connected, checkUnchanged: () => Promise<void>): SqliteSource {
  const { database, files, seen } = connected;
  return {
    database,
    pages: () => (seen === undefined ? undefined : files.reader(seen)),
    moment: () =>
      seen === undefined || seen === NO_LOG ? undefined : momentOf(files, files.reader(seen), seen),
    checkUnchanged,
    close: async () => {
      disconnect(database);
      // Only now: closing a file takes the locks of every connection to it away.
      files.close();
    },
  };
}

/** @param readOnly false for a copy of ours, whose log may have to be rolled back first */
function openLocked(path: string, readOnly: boolean, encoding: number): SqliteSource {
  return sourceOf(connect(path, readOnly ? 'mode=ro' : 'mode=rw', encoding), async () => undefined);
}

/** The binding keeps a connection until its statements are collected: end the transaction now. */
function disconnect(database: DatabaseSyncInstance): void {
  if (database.isTransaction) database.exec('rollback');
  database.close();
}

/**
 * A database in WAL format that nobody has open. SQLite would make -wal and -shm files beside it, even to read;
 * told that nothing changes, it does not. Whether that held is checked at the end.
 */
async function openImmutable(source: string, encoding: number): Promise<SqliteSource> {
  const before = await fingerprint(source);
  let connected: Connected;
  try {
    connected = connect(source, 'mode=ro&immutable=1', encoding);
  } catch (error) {
    throw explain(source, error);
  }
  if (connected.seen !== undefined && connected.seen !== NO_LOG) {
    // A writer came before it was opened: SQLite reads the file without the log, of which that state would speak.
    disconnect(connected.database);
    connected.files.close();
    throw new SourceChanged();
  }
  return sourceOf(connected, async () => {
    // A log that appeared is harmless: what is in it is newer than what was read.
    if ((await fingerprint(source)) !== before) throw new SourceChanged();
  });
}

async function openPrivate(source: string, copy: string): Promise<SqliteSource> {
  const remove = async (): Promise<void> => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(copy + suffix, { force: true });
  };
  try {
    const head = await readHead(copy);
    checkHead(source, head, (await stat(copy)).size, await hasSide(copy, '-wal'));
    const locked = openLocked(copy, false, encodingOf(head));
    return {
      ...locked,
      moment: () => undefined,
      close: async () => {
        await locked.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw explain(source, error);
  }
}

/** Copies database and log, again where one of them changed meanwhile. */
async function copyStable(source: string, copy: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = await fingerprint(source);
    for (const suffix of ['', '-wal', '-journal']) {
      signal.throwIfAborted();
      await rm(copy + suffix, { force: true });
      await copyFile(source + suffix, copy + suffix).catch((error: NodeJS.ErrnoException) => {
        if (suffix === '' || error.code !== 'ENOENT')
          throw new ImportError(`${source} cannot be copied: ${reasonOf(error)}`);
      });
    }
    if ((await fingerprint(source)) === before) return;
  }
  throw new ImportError(
    `${source} changes all the time and cannot be locked from here; stop what writes to it`,
  );
}

async function fingerprint(source: string): Promise<string> {
  const parts: string[] = [];
  for (const suffix of ['', '-journal']) {
    const found = await stat(source + suffix, { bigint: true }).catch(() => undefined);
    parts.push(found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs}`);
  }
  return parts.join(' ');
}

async function decompress(source: string, target: string, signal: AbortSignal): Promise<void> {
  const file = openSync(target, 'w');
  let finished = false;
  try {
    const stream = new Decompress((chunk, isLast) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
      finished ||= isLast === true;
    });
    for await (const chunk of createReadStream(source, { highWaterMark: 1 << 18, signal }))
      stream.push(chunk as Uint8Array);
    stream.push(new Uint8Array(0), true);
  } catch (error) {
    signal.throwIfAborted();
    throw new ImportError(`${source} cannot be decompressed: ${reasonOf(error)}; is it whole?`);
  } finally {
    closeSync(file);
  }
  if (!finished) throw new ImportError(`${source} cannot be decompressed: it ends in the middle`);
}

/** Primary result codes (rescode.html) in the low byte. */
const SQLITE_WORDS: Readonly<Record<number, string>> = {
  5: 'is locked by another program',
  6: 'is locked by another program',
  10: 'cannot be read (input/output error)',
  11: 'is damaged: SQLite finds its pages malformed',
  13: 'cannot be imported: the disk is full',
  26: 'is not a SQLite database, or it is encrypted or damaged',
};

/** A source is never written to: this is of the snapshot. */
const IOERR_WRITE = 778;

function resultCode(error: unknown): number {
  const { errcode } = error as { readonly errcode?: number };
  return (errcode ?? 0) & 0xff;
}

function isCannotOpen(error: unknown): boolean {
  // CANTOPEN, READONLY (a log that must be recovered first), IOERR of a -shm that cannot be mapped.
  return [14, 8, 10].includes(resultCode(error));
}

/** An error of SQLite in words; what is no error of SQLite is given back. */
export function explain(source: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ImportError || code !== 'ERR_SQLITE_ERROR') return error;
  if ((error as { readonly errcode?: number }).errcode === IOERR_WRITE)
    return new ImportError('the snapshot cannot be written: the disk is full, or a file too large', {
      cause: error,
    });
  const words = SQLITE_WORDS[resultCode(error)] ?? `cannot be read: ${reasonOf(error)}`;
  return new ImportError(`${source} ${words}`, { cause: error });
}
