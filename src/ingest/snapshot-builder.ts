// A snapshot while it is being built: its stores, filled table by table, then its manifest; and the check of what was
// built. Where it is built and when it is published is snapshot/publish.ts's business.
import { constants, copyFile, link, rm } from 'node:fs/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  digestOfFile,
  digestOfParts,
  type FileParts,
  readParts,
  rereadParts,
} from '../snapshot/file-parts.ts';
import {
  COLUMNS,
  columnsPath,
  FORMAT_VERSION,
  ROWS,
  rowsPath,
  SOURCES,
  sourcesPath,
} from '../snapshot/layout.ts';
import { describeFile, entryOf, type FileEntry, type Manifest, writeManifest } from '../snapshot/manifest.ts';
import type { ColumnStore } from './column-store.ts';
import { ImportError, reasonOf } from './failure.ts';
import { type NarrowSchema, narrowSchema } from './narrow-schema.ts';
import type { IndexWishes } from './own-indexes.ts';
import { type Catalogue, type Finished, RowStore } from './row-store.ts';
import { SourceRecords } from './source-records.ts';
import { encodingNameOf } from './sqlite-open.ts';
import { quoteName } from './sqlite-tables.ts';

/** The snapshot that is to be changed. */
export interface Base {
  readonly folder: string;
  readonly manifest: Manifest;
}

export interface BuilderOptions {
  /** Empty; becomes the snapshot. */
  readonly folder: string;
  /** What the snapshot will be called. */
  readonly id: string;
  /** Undefined where it begins with nothing. */
  readonly base: Base | undefined;
  /** Tables of fewer rows are not in columns.duckdb. */
  readonly columnarRows: number;
  readonly indexes: IndexWishes;
  /** Of the whole process. */
  readonly memoryBytes: number;
}

export interface Built {
  readonly manifest: Manifest;
  /** Of each table that is new or was built again: its columns' names and types. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** Of all files. */
  readonly bytes: number;
}

export class SnapshotBuilder {
  readonly folder: string;
  readonly id: string;
  readonly columnarRows: number;
  readonly indexes: IndexWishes;
  readonly #memoryBytes: number;
  readonly #base: Base | undefined;
  #rows: RowStore | undefined;
  #narrow: NarrowSchema | undefined;
  #columns: ColumnStore | undefined;
  #records: SourceRecords | undefined;
  #own: DatabaseSyncInstance | undefined;

  private constructor({ folder, id, base, columnarRows, indexes, memoryBytes }: BuilderOptions) {
    this.folder = folder;
    this.id = id;
    this.columnarRows = columnarRows;
    this.indexes = indexes;
    this.#memoryBytes = memoryBytes;
    this.#base = base;
  }

  static async open(options: BuilderOptions): Promise<SnapshotBuilder> {
    const { folder, base } = options;
    const builder = new SnapshotBuilder(options);
    if (base !== undefined) {
      await copyOrShare(rowsPath(base.folder), rowsPath(folder));
      await copyOrShare(sourcesPath(base.folder), sourcesPath(folder));
    }
    builder.#records = new SourceRecords(sourcesPath(folder));
    return builder;
  }

  get rowsPath(): string {
    return rowsPath(this.folder);
  }

  /** Where no source has a connection to lend, the builder makes one. */
  get rows(): RowStore {
    if (this.#rows === undefined) {
      this.#own = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false, defensive: true });
      this.#own.exec(`pragma encoding='${encodingNameOf(this.rowsPath)}'`);
      this.#rows = RowStore.attach(this.#own, this.rowsPath);
    }
    return this.#rows;
  }

  /**
   * Puts rows.sqlite beside the source on its connection, in its transaction. Before anything is written to it.
   * @param served see {@link RowStore.attach}
   */
  attachRows(database: DatabaseSyncInstance, served?: ReadonlySet<string>): void {
    this.#rows = RowStore.attach(database, this.rowsPath, served);
  }

  /**
   * The same where rows of these tables change and nothing else: SQLite does not read the schema of the others.
   * @throws Error where it cannot be done like this
   */
  attachTables(database: DatabaseSyncInstance, names: readonly string[]): void {
    this.#narrow = narrowSchema(this.rowsPath, names);
    this.#rows = RowStore.attach(database, this.rowsPath, undefined, true);
  }

  get records(): SourceRecords {
    if (this.#records === undefined) throw new Error('the builder is not open');
    return this.#records;
  }

  /** Opened, and DuckDB loaded, by the first who needs it: where no large table changes, the file stays as it is. */
  async columns(): Promise<ColumnStore> {
    if (this.#columns === undefined) {
      const path = columnsPath(this.folder);
      if (this.#base?.manifest.files[COLUMNS] !== undefined)
        await copyOrShare(columnsPath(this.#base.folder), path);
      const { ColumnStore } = await import('./column-store.ts');
      this.#columns = await ColumnStore.open(path, `${this.folder}.tmp`, this.#memoryBytes);
    }
    return this.#columns;
  }

  /** Takes the table out of every store. */
  async dropTable(name: string): Promise<void> {
    if (this.rows.known(name)?.facts !== undefined) await (await this.columns()).dropTable(name);
    this.rows.dropTable(name);
    this.records.delete(name);
  }

  /** Writes what the snapshot is and closes its files, whole and without logs beside them. */
  async finish({
    source,
    createdAt,
  }: {
    readonly source: string;
    readonly createdAt: number;
  }): Promise<Built> {
    const { id, folder } = this;
    const about = { id, format_version: String(FORMAT_VERSION), created_at: String(createdAt), source };
    const built = this.rows.finish(about, this.#narrow === undefined ? undefined : this.#base?.manifest);
    this.#narrow?.widen();
    this.#own?.close();
    const parts = await this.#partsOfRows(built);
    this.records.setRowsDigests(parts.digests);
    this.records.finish();
    const engines: Record<string, string> = { sqlite: built.sqlite };
    const files: Record<string, FileEntry> = {
      [ROWS]: entryOf(parts, built.free),
      [SOURCES]: await describeFile(sourcesPath(folder), 0),
    };
    const columns = await this.#finishColumns(built);
    if (columns !== undefined) {
      files[COLUMNS] = columns.entry;
      engines['duckdb'] = columns.release;
    }
    if (this.#base === undefined) checkRows(this.rowsPath, built);
    const { blocks, versions, rows, remote } = built;
    const manifest = {
      formatVersion: FORMAT_VERSION,
      id,
      createdAt,
      source,
      engines,
      files,
      blocks,
      versions,
      rows,
      ...(Object.keys(remote).length > 0 ? { remote } : {}),
    };
    await writeManifest(folder, manifest);
    const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    return { manifest, columns: this.rows.described, bytes };
  }

  async #partsOfRows({ written }: Finished): Promise<FileParts> {
    const before = this.#base?.manifest.files[ROWS];
    if (written === undefined || before === undefined) return readParts(this.rowsPath);
    const digests = this.records.rowsDigests();
    return digests !== undefined && digestOfParts(digests) === before.sha256
      ? rereadParts(this.rowsPath, { bytes: before.bytes, digests }, written)
      : readParts(this.rowsPath);
  }

  /** Undefined where no table is in it: then there is no such file. */
  async #finishColumns({
    columnar,
  }: Catalogue): Promise<{ readonly entry: FileEntry; readonly release: string } | undefined> {
    const path = columnsPath(this.folder);
    if (this.#columns === undefined) {
      const entry = this.#base?.manifest.files[COLUMNS];
      if (this.#base === undefined || entry === undefined) return undefined;
      const from = columnsPath(this.#base.folder);
      // One file under two names: a snapshot never changes.
      await link(from, path).catch(() => copyOrShare(from, path));
      const { formatVersion, engines } = this.#base.manifest;
      const release = engines['duckdb'] ?? '';
      if (formatVersion === FORMAT_VERSION) return { entry, release };
      if ((await digestOfFile(path, formatVersion)) !== entry.sha256)
        throw new ImportError(
          `the current snapshot is damaged: ${COLUMNS} is not what was written; import again, without --update`,
        );
      return { entry: await describeFile(path, entry.free), release };
    }
    const { release, free } = await this.#columns.finish();
    if (columnar.size === 0) {
      await rm(path, { force: true });
      return undefined;
    }
    await this.#columns.check(columnar);
    return { entry: await describeFile(path, free), release };
  }

  interrupt(): void {
    this.#columns?.interrupt();
  }

  /** Harmless when closed already. */
  close(): void {
    this.#columns?.close();
    this.#records?.close();
    if (this.#own?.isOpen === true) this.#own.close();
  }
}

/** Shared with the original where the file system can. */
async function copyOrShare(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    throw new ImportError(`the current snapshot cannot be copied: ${reasonOf(error)}`, { cause: error });
  }
}

/** Opens the finished file as a reader will. @throws ImportError where it is not what was built */
function checkRows(path: string, built: Catalogue): void {
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      // Prepared, not run: every table that is promised is there.
      for (const name of Object.keys(built.versions))
        if (built.remote[name] === undefined) database.prepare(`select 1 from ${quoteName(name)}`);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new ImportError(`the built snapshot cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
