// The pages of a SQLite database as one read transaction sees them, read from its files: the database with the
// frames of its log (fileformat2.html, sections 1 and 4) laid over it. Knows nothing of what pages hold.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface PageReader {
  readonly pageSize: number;
  /** Bytes of a page that hold content: all but the reserved ones at its end. */
  readonly usableSize: number;
  /** 1: UTF-8; 2 and 3: UTF-16. */
  readonly textEncoding: number;
  readonly pages: number;
  /** @param number from 1 */
  read(number: number): Buffer;
  /** False where the log was begun anew meanwhile: what was read before is worthless, what is read now is right. */
  confirm(): boolean;
  /**
   * Pages that were written since a state of before, whether they are others now or not; undefined where that cannot be
   * told, since another log has begun or its frames of then are not those of now.
   * @param state of {@link DatabaseFiles.state}
   */
  writtenSince(state: string): readonly number[] | undefined;
}

/**
 * The files, each opened when it is read first. A log may be removed and another made until the connection has read
 * something: read no file before. No file of a database may be closed while SQLite has it open in this process, or all
 * of its locks are gone (POSIX): close these when the connection is closed.
 */
export interface DatabaseFiles {
  /**
   * What the next transaction will see, or saw: equal before and after it began, it is what it sees. Undefined
   * where it cannot be told at this moment.
   */
  state(): string | undefined;
  /** @param state of a transaction that began between two equal ones: the log may have grown since */
  reader(state: string): PageReader;
  /**
   * Where the pages begin in the database, in bytes, that its log has: of a log that one connection began and that was never
   * begun anew, without an index.
   * @throws Error where it cannot be read
   */
  placesInLog(): readonly number[];
  /** Which file the database is, whatever is in it. */
  identity(): string;
  close(): void;
}

const HEADER_BYTES = 100;
const WAL_FORMAT = 2;
const WAL_HEADER_BYTES = 32;
const WAL_PAGE_SIZE_AT = 8;
const WAL_SALTS_AT = 16;
const WAL_SALTS_END = 24;
const FRAME_HEADER_BYTES = 24;
/** Two copies of it stand at the start of the index of a log. */
const INDEX_HEADER_BYTES = 48;
/** What a reader must see in both: this version, initialised (walformat.html, section 2.1). */
const INDEX_VERSION = 3_007_000;
/** Within it: the number of frames, the checksum of all of them, and the salts that all frames of a log have. */
const FRAMES_AT = 16;
const CHECKSUM_AT = 24;
const SALTS_AT = 32;
const SALTS_END = 40;
export const NO_LOG = 'no log';

export function openDatabaseFiles(path: string): DatabaseFiles {
  const open = new Map<string, number>();
  const file = (suffix: string): number | undefined => {
    const known = open.get(suffix);
    if (known !== undefined) return known;
    try {
      const opened = openSync(path + suffix, 'r');
      open.set(suffix, opened);
      return opened;
    } catch {
      return undefined;
    }
  };
  const read = (suffix: string, bytes: number, at: number): Buffer | undefined => {
    const from = file(suffix);
    const buffer = Buffer.allocUnsafeSlow(bytes);
    return from !== undefined && readSync(from, buffer, 0, bytes, at) === bytes ? buffer : undefined;
  };
  const isWal = (): boolean => read('', HEADER_BYTES, 0)?.[19] === WAL_FORMAT;
  /** Undefined where a writer is changing it. */
  const index = (): Buffer | undefined => {
    const both = read('-shm', 2 * INDEX_HEADER_BYTES, 0);
    const first = both?.subarray(0, INDEX_HEADER_BYTES);
    const good =
      first?.equals(both?.subarray(INDEX_HEADER_BYTES) ?? Buffer.alloc(0)) === true &&
      nativeNumber(first, 0) === INDEX_VERSION &&
      first[12] === 1;
    return good ? first : undefined;
  };
  return {
    state() {
      if (!isWal()) return NO_LOG;
      // A log without an index has no reader that could change it, and nobody's transaction needs it.
      return file('-wal') === undefined ? NO_LOG : index()?.toString('hex');
    },
    reader(state) {
      const header = read('', HEADER_BYTES, 0);
      const of = state === NO_LOG ? undefined : Buffer.from(state, 'hex');
      if (header === undefined) throw new Error('the database has no header');
      return createReader(header, read, of);
    },
    placesInLog() {
      const header = read('-wal', WAL_HEADER_BYTES, 0);
      if (header === undefined) throw new Error(`${path} has no log`);
      const pageSize = header.readUInt32BE(WAL_PAGE_SIZE_AT);
      const { size } = fstatSync(file('-wal') as number);
      const count = (size - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + pageSize);
      const frames = readFrames(read, count, pageSize, header.subarray(WAL_SALTS_AT, WAL_SALTS_END));
      if (count > 0 && frames.size === 0) throw new Error(`the log of ${path} cannot be read`);
      return [...frames.keys()].map((page) => (page - 1) * pageSize);
    },
    identity() {
      const from = file('');
      if (from === undefined) throw new Error('the database is gone');
      const { dev, ino } = fstatSync(from, { bigint: true });
      return `${dev} ${ino}`;
    },
    close() {
      for (const each of open.values()) closeSync(each);
      open.clear();
    },
  };
}

/** As the machine writes it, which is little-endian everywhere this runs. */
function nativeNumber(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at);
}

type Read = (suffix: string, bytes: number, at: number) => Buffer | undefined;

function createReader(header: Buffer, read: Read, index: Buffer | undefined): PageReader {
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const salts = index?.subarray(SALTS_AT, SALTS_END);
  const inLog = index === undefined ? 0 : nativeNumber(index, FRAMES_AT);
  let frames = inLog === 0 ? NO_FRAMES : readFrames(read, inLog, pageSize, salts);
  const usesLog = frames.size > 0;
  const readStored = createRunReader(read, pageSize);
  const readPage = (number: number): Buffer => {
    const inLog = frames.get(number);
    const page = inLog === undefined ? readStored(number) : read('-wal', pageSize, inLog);
    if (page === undefined) throw new Error(`page ${number} is missing`);
    return page;
  };
  const pageOne = readPage(1);
  return {
    pageSize,
    usableSize: pageSize - (pageOne[20] ?? 0),
    textEncoding: pageOne.readUInt32BE(56),
    // The index of a log without frames counts none.
    pages: index === undefined || inLog === 0 ? pageOne.readUInt32BE(28) : nativeNumber(index, 20),
    read: (number) => (number === 1 ? pageOne : readPage(number)),
    confirm() {
      if (frames.size === 0 || saltsOf(read)?.equals(salts ?? Buffer.alloc(0)) === true) return true;
      // A log is begun anew only when all of it is in the database and no reader needs it.
      frames = NO_FRAMES;
      return !usesLog;
    },
    writtenSince(state) {
      const before = Buffer.from(state, 'hex');
      // A log without an index says nothing, and one that was begun anew has other salts.
      if (salts === undefined || before.length !== index?.length) return undefined;
      if (!salts.equals(before.subarray(SALTS_AT, SALTS_END))) return undefined;
      // An empty log has none: what was written since may be in the database, and the log that told of it gone.
      if (salts.every((byte) => byte === 0)) return undefined;
      const count = nativeNumber(before, FRAMES_AT);
      if (count > inLog || (inLog > 0 && !usesLog)) return undefined;
      if (count > 0 && !isFrame(read, count, pageSize, before)) return undefined;
      const end = WAL_HEADER_BYTES + count * (FRAME_HEADER_BYTES + pageSize);
      return [...frames].flatMap(([page, at]) => (at > end ? [page] : []));
    },
  };
}

/**
 * Whether the frame that was the last one in that state stands there still: its checksum is of all frames up to it. After
 * a power cut a log may have lost its last frames, and have got others in their place.
 */
function isFrame(read: Read, number: number, pageSize: number, state: Buffer): boolean {
  const at = WAL_HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + pageSize);
  const head = read('-wal', FRAME_HEADER_BYTES, at);
  return [0, 4].every((word) => head?.readUInt32BE(16 + word) === nativeNumber(state, CHECKSUM_AT + word));
}

/** Page number -> place of its last content in the log. */
type Frames = ReadonlyMap<number, number>;
const NO_FRAMES: Frames = new Map();

function readFrames(read: Read, count: number, pageSize: number, salts: Buffer | undefined): Frames {
  const frames = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const at = WAL_HEADER_BYTES + i * (FRAME_HEADER_BYTES + pageSize);
    const head = read('-wal', FRAME_HEADER_BYTES, at);
    // Not of this log: it was begun anew, so the database has all that this transaction sees.
    if (head === undefined || salts?.equals(head.subarray(8, 16)) !== true) return NO_FRAMES;
    frames.set(head.readUInt32BE(0), at + FRAME_HEADER_BYTES);
  }
  return frames;
}

function saltsOf(read: Read): Buffer | undefined {
  return read('-wal', WAL_HEADER_BYTES, 0)?.subarray(WAL_SALTS_AT, WAL_SALTS_END);
}

/** Pages of a table mostly stand in a row: a call of the system for each would be half of the time. */
const RUN_PAGES = 32;

function createRunReader(read: Read, pageSize: number): (number: number) => Buffer | undefined {
  let first = 0;
  let run: Buffer | undefined;
  return (number) => {
    if (run !== undefined && number >= first && number < first + RUN_PAGES)
      return run.subarray((number - first) * pageSize, (number - first + 1) * pageSize);
    const place = (number - 1) * pageSize;
    const found = read('', RUN_PAGES * pageSize, place);
    // The last run of the file is shorter.
    if (found === undefined) return read('', pageSize, place);
    first = number;
    run = found;
    return run.subarray(0, pageSize);
  };
}
