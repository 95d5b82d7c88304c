// The pointer of a store: which snapshot is the current one there and what it is made of. Text that comes from
// elsewhere is believed in nothing: every name is one that a snapshot can have, every number is bounded.
import { partCount } from '../snapshot/file-parts.ts';
import { type LakeTables, parseLake } from '../snapshot/lake.ts';
import { FILE_NAMES, MANIFEST, ROWS, snapshotNumber } from '../snapshot/layout.ts';

export interface PublishedFile {
  readonly bytes: number;
  /** As its manifest says it: lower case hexadecimal. */
  readonly sha256: string;
}

/**
 * Of a snapshot: the SHA-256 of its files' parts, 32 bytes each, file after file in the order of FILE_NAMES; here is the
 * SHA-256 of this list.
 */
export type PartList = PublishedFile;

export interface PublishedBefore {
  readonly id: string;
  readonly parts: PartList;
}

export interface Pointer {
  readonly format: number;
  /** Ascends with every publishing to the same place, also of an earlier snapshot. */
  readonly sequence: number;
  readonly id: string;
  /** When it was published; ISO 8601, UTC, as the next. */
  readonly created: string;
  /** The moment at which replicas that have it turn to it; null: each when it has it. */
  readonly activeAt: string | null;
  readonly snapshotFormat: number;
  /** What wrote the files: name -> release. */
  readonly engines: Readonly<Record<string, string>>;
  /** In the order of {@link FILE_NAMES}. */
  readonly files: Readonly<Record<string, PublishedFile>>;
  readonly partBytes: number;
  readonly parts: PartList;
  /** Who published it: one process, or one after the other on one data folder. */
  readonly publisher: string;
  /** Snapshots before it, newest first, whose parts are there still. */
  readonly before: readonly PublishedBefore[];
  /** Whose records in a lake are this store's: 16 hexadecimal digits. */
  readonly lakeOwner?: string;
  /** Where the distributed engine has copies of its tables; undefined: it has none. */
  readonly lake?: LakeTables;
}

export const POINTER_FORMAT = 1;

/** The gateway itself reads it whole. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const MAX_SEQUENCE_AHEAD_MS = 24 * 3_600_000;
const MAX_FILE_BYTES = 2 ** 44;
/** Of a list of parts: 2 million parts, half a terabyte. */
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_BEFORE = 10_000;
/** A moment that is further ahead is a mistake, and would hold replicas up. */
const MAX_AHEAD_MS = 3_600_000;

/** @throws Error that says what is wrong, to follow "the pointer" */
export function parsePointer(text: string): Pointer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('is no JSON');
  }
  const pointer = recordOf(value, 'it');
  const format = pointer['format'];
  if (format !== POINTER_FORMAT)
    throw new Error(
      typeof format === 'number'
        ? `has format ${format}, this program reads format ${POINTER_FORMAT}`
        : 'has no format',
    );
  const created = momentOf(pointer['created'], 'created');
  const activeAt = pointer['activeAt'] === null ? null : momentOf(pointer['activeAt'], 'activeAt');
  if (activeAt !== null && Date.parse(activeAt) > Date.parse(created) + MAX_AHEAD_MS)
    throw new Error('has an activeAt of more than an hour after it was created');
  const files = filesOf(pointer['files']);
  const partBytes = wholeOf(pointer['partBytes'], 4096, 64 * 1024 * 1024, 'partBytes');
  const parts = fileOf(pointer['parts'], MAX_LIST_BYTES, 'parts');
  const listed = Object.values(files).reduce((sum, { bytes }) => sum + partCount(bytes, partBytes), 0);
  if (parts.bytes !== listed * 32) throw new Error('has a list of parts that does not fit its files');
  return {
    format,
    // It follows the publisher's clock: a far larger one would lock out all that come after it.
    sequence: wholeOf(pointer['sequence'], 1, Date.now() + MAX_SEQUENCE_AHEAD_MS, 'sequence'),
    id: idOf(pointer['id']),
    created,
    activeAt,
    snapshotFormat: wholeOf(pointer['snapshotFormat'], 1, 1e6, 'snapshotFormat'),
    engines: textsOf(pointer['engines']),
    files,
    partBytes,
    parts,
    publisher: textOf(pointer['publisher'], 'publisher'),
    before: beforeOf(pointer['before']),
    ...(pointer['lakeOwner'] === undefined ? {} : { lakeOwner: ownerOf(pointer['lakeOwner']) }),
    ...(pointer['lake'] === undefined ? {} : { lake: parseLake(pointer['lake']) }),
  };
}

export function pointerText(pointer: Pointer): string {
  return `${JSON.stringify(pointer)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

function recordOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`is damaged: ${what} is no object`);
  return value as Fields;
}

function wholeOf(value: unknown, min: number, max: number, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
    throw new Error(`is damaged: ${what} is no whole number from ${min} to ${max}`);
  return value;
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.length > 200)
    throw new Error(`is damaged: ${what} is no short text`);
  return value;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(recordOf(value, 'engines')).slice(0, 16);
  return Object.fromEntries(
    entries.map(([name, release]) => [textOf(name, 'engines'), textOf(release, name)]),
  );
}

function momentOf(value: unknown, what: string): string {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(value) ||
    Number.isNaN(Date.parse(value))
  )
    throw new Error(`is damaged: ${what} is no moment such as 2026-01-02T03:04:05.678Z`);
  return value;
}

function idOf(value: unknown): string {
  if (typeof value !== 'string' || snapshotNumber(value) === undefined)
    throw new Error('is damaged: id is not the name of a snapshot');
  return value;
}

function ownerOf(value: unknown): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{16}$/.test(value))
    throw new Error('is damaged: lakeOwner is not of 16 hexadecimal digits');
  return value;
}

function fileOf(value: unknown, maxBytes: number, what: string): PublishedFile {
  const { bytes, sha256 } = recordOf(value, what);
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw new Error(`is damaged: ${what} has no SHA-256`);
  return { bytes: wholeOf(bytes, 0, maxBytes, `bytes of ${what}`), sha256 };
}

function filesOf(value: unknown): Readonly<Record<string, PublishedFile>> {
  const given = recordOf(value, 'files');
  const names = Object.keys(given);
  const unknown = names.find((name) => !FILE_NAMES.includes(name));
  if (unknown !== undefined)
    throw new Error(`names a file that no snapshot has: ${JSON.stringify(unknown.slice(0, 100))}`);
  const lacking = [ROWS, MANIFEST].find((name) => !names.includes(name));
  if (lacking !== undefined) throw new Error(`is damaged: it names no ${lacking}`);
  const found = FILE_NAMES.filter((name) => names.includes(name));
  return Object.fromEntries(
    found.map((name) => [
      name,
      fileOf(given[name], name === MANIFEST ? MAX_MANIFEST_BYTES : MAX_FILE_BYTES, name),
    ]),
  );
}

function beforeOf(value: unknown): readonly PublishedBefore[] {
  if (!Array.isArray(value) || value.length > MAX_BEFORE)
    throw new Error('is damaged: before is no list of snapshots');
  return value.map((each: unknown) => {
    const { id, parts } = recordOf(each, 'a snapshot before');
    return { id: idOf(id), parts: fileOf(parts, MAX_LIST_BYTES, 'a list of parts before') };
  });
}
