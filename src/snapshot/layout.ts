// What a snapshot is made of: a folder with every table's rows for SQLite, the columns of large tables for DuckDB,
// and a manifest. The one place that knows the names of its files.
import { join } from 'node:path';

/** Of the folder, its files and the catalogue in them, as they are written. */
export const FORMAT_VERSION = 4;
/** In which the digest of a file is that of all its bytes, and not that of its parts; all else is as now. */
export const WHOLE_DIGESTS = 3;
/** Readers refuse any other. */
export const READ_FORMATS: readonly number[] = [WHOLE_DIGESTS, FORMAT_VERSION];
/** For messages. */
export const READS = `this program reads formats ${READ_FORMATS.join(' and ')}`;

/** Files of a snapshot that hold data, as the manifest names them. */
export const ROWS = 'rows.sqlite';
export const COLUMNS = 'columns.duckdb';

/** What the next import compares its source with; no reader needs it. */
export const SOURCES = 'sources.sqlite';

export const MANIFEST = 'manifest.json';

/** All files that a snapshot can have, in the order in which they are published. */
export const FILE_NAMES: readonly string[] = [ROWS, COLUMNS, SOURCES, MANIFEST];

/** @param folder {@link SnapshotRef.path} in all of these */
export function rowsPath(folder: string): string {
  return join(folder, ROWS);
}

/** May be missing where no table is large enough for it. */
export function columnsPath(folder: string): string {
  return join(folder, COLUMNS);
}

export function sourcesPath(folder: string): string {
  return join(folder, SOURCES);
}

export function manifestPath(folder: string): string {
  return join(folder, MANIFEST);
}

/** Of a snapshot that was pulled: when it is to be turned to. None of its own files. */
export function activationPath(folder: string): string {
  return join(folder, 'activation.json');
}

/** Which of its tables lie in the lake, too. None of its own files. */
export function lakePath(folder: string): string {
  return join(folder, 'lake.json');
}

const NAME = /^(\d{6,15})-[0-9a-f]{6}$/;
/** Of format 1 a snapshot was one file. */
const OLD_NAME = /^(\d{6,15})-[0-9a-f]{6}\.duckdb$/;

export function snapshotId(number: number, random: string): string {
  return `${String(number).padStart(6, '0')}-${random}`;
}

/** Number of a snapshot by the name of its folder; undefined where it is none. */
export function snapshotNumber(name: string): number | undefined {
  const found = NAME.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Number of a snapshot of an older format by the name of its file. */
export function oldSnapshotNumber(name: string): number | undefined {
  const found = OLD_NAME.exec(name)?.[1];
  return found === undefined ? undefined : Number(found);
}
