// The large tables of a snapshot where the distributed engine reads them: Parquet files in its folder, and over them the
// tables of a schema that is of that snapshot alone. A table that did not change has its files already.
import { createHash } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { SchemaTable } from '../dialect/schema.ts';
import { identifier, textLiteral } from '../dialect/value.ts';
import { askOf } from '../snapshot/ask.ts';
import type { LakeTables } from '../snapshot/lake.ts';
import { columnsPath, rowsPath } from '../snapshot/layout.ts';
import { openRows } from '../snapshot/rows.ts';
import { openSchema } from '../snapshot/schema.ts';
import type { TrinoAddress } from '../trino/client.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { writeParquet } from './parquet.ts';
import {
  filesLocation,
  hasFiles,
  hasRecord,
  type LakeRecord,
  openFiles,
  readRecords,
  removeFiles,
  removeRecord,
  writeRecord,
} from './records.ts';
import { eachOf, inTime, type StatementBounds } from './statements.ts';

/** `withinMs`: for the tables of one snapshot, to make them or to drop them. */
export interface LakeOptions extends StatementBounds {
  /** What is `local:///` in Trino's catalogs `lake` and `lake_publish`. */
  readonly folder: string;
  /** Who may make schemas in `lake_publish`. */
  readonly to: TrinoAddress;
  /** From when a snapshot was first seen to be gone from the store to the end of its tables. */
  readonly graceMs: number;
  /** For the engine that writes the files. */
  readonly memoryBytes: number;
}

export interface Lake {
  /**
   * Puts the large tables of a snapshot there, as far as they are not: nobody removes it meanwhile.
   * @param owner of the store that has it: 16 hexadecimal digits
   * @returns undefined where it has none
   * @throws Error of the engine, the file system or Trino
   */
  put(snapshot: SnapshotRef, owner: string): Promise<LakeTables | undefined>;
  /** Whether it was put there for that store, and nobody took it away since. */
  has(id: string, owner: string): Promise<boolean>;
  /**
   * Drops tables of the store's snapshots that are no more. What other stores have stays.
   * @param stay ids of those that are
   * @throws as put()
   */
  clean(stay: ReadonlySet<string>, owner: string): Promise<void>;
}

/** The catalogs of deploy/trino: the gateway reads one, the publisher alone writes the other, over the same folder. */
const READ = 'lake';
const WRITE = 'lake_publish';
/** Of the files: a change here writes them anew. */
const FORMAT = 1;
const TYPES = { integer: 'BIGINT', real: 'DOUBLE', text: 'VARCHAR', blob: 'VARBINARY' } as const;
/** Names that Trino has as they are; of columns it knows no cases. */
const PLAIN = /^[a-z][a-z0-9_]{0,120}$/;
const PLAIN_COLUMN = /^\w{1,120}$/;
/** Nobody takes longer from the files of a table to the record of its snapshot. */
const YOUNG_MS = 3_600_000;

interface Copied {
  readonly name: string;
  readonly table: string;
  readonly files: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

export function createLake(options: LakeOptions): Lake {
  const { folder, to, graceMs, memoryBytes, signal } = options;
  /** Tables that were made of a schema whose others were not in time: the next attempt goes on from there. */
  let begun: { readonly schema: string; readonly made: Set<string> } | undefined;

  const copy = async (path: string, { name, files, columns }: Copied): Promise<void> => {
    if (await hasFiles(folder, files)) return;
    const draft = await openFiles(folder, files);
    try {
      const file = join(draft.path, 'rows.parquet');
      const names = columns.map(([column]) => column);
      await writeParquet(path, [{ table: name, columns: names, path: file }], memoryBytes, signal);
      await draft.finish();
    } finally {
      await draft.close();
    }
  };

  const drop = async ({ id, tables }: LakeRecord): Promise<void> => {
    const schema = `${WRITE}.${identifier(schemaOf(id))}`;
    if (begun?.schema === schemaOf(id)) begun = undefined;
    await inTime(to, options, async (run) => {
      // A schema that was never made is there after this, and the tables need one to be none of it.
      await run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await eachOf(Object.values(tables), ({ table }) =>
        run(`DROP TABLE IF EXISTS ${schema}.${identifier(table)}`),
      );
      await run(`DROP SCHEMA ${schema}`);
    });
  };

  const make = async (schema: string, copies: readonly Copied[]): Promise<void> => {
    const place = `${WRITE}.${identifier(schema)}`;
    const made = begun?.schema === schema ? begun.made : new Set<string>();
    begun = { schema, made };
    const rest = copies.filter(({ table }) => !made.has(table));
    await inTime(to, options, async (run) => {
      await run(`CREATE SCHEMA IF NOT EXISTS ${place}`);
      await eachOf(rest, async ({ table, files, columns }) => {
        const list = columns.map(([name, type]) => `${identifier(name)} ${type}`).join(', ');
        await run(
          `CREATE TABLE IF NOT EXISTS ${place}.${identifier(table)} (${list}) WITH (external_location = ${textLiteral(filesLocation(files))}, format = 'PARQUET')`,
        );
        made.add(table);
      });
    });
    begun = undefined;
  };

  return {
    async put({ id, path }, owner) {
      await access(folder, constants.R_OK | constants.W_OK);
      const copies = largeTables(path);
      if (copies.length === 0) return undefined;
      const record: LakeRecord = {
        ...{ id, owner },
        tables: Object.fromEntries(copies.map(({ name, table, files }) => [name, { table, files }])),
        leftAt: null,
      };
      await writeRecord(folder, record);
      for (const each of copies) await copy(columnsPath(path), each);
      const schema = schemaOf(id);
      await make(schema, copies);
      // Another store's publisher may have removed a file before it saw the record.
      for (const each of copies) await copy(columnsPath(path), each);
      return {
        ...{ catalog: READ, schema },
        tables: Object.fromEntries(copies.map(({ name, table }) => [name.toLowerCase(), table])),
      };
    },

    has: (id, owner) => hasRecord(folder, { id, owner }),

    async clean(stay, owner) {
      const now = Date.now();
      const gone = new Set<string>();
      for (const record of await readRecords(folder)) {
        if (record.owner !== owner) continue;
        if (stay.has(record.id)) {
          // Somebody went back to it.
          if (record.leftAt !== null) await writeRecord(folder, { ...record, leftAt: null });
        } else if (now - (record.leftAt ?? now) >= graceMs) {
          const others = await readRecords(folder);
          if (!others.some((other) => other.id === record.id && other.owner !== owner)) await drop(record);
          await removeRecord(folder, record);
          for (const each of filesOf(record)) gone.add(each);
        } else if (record.leftAt === null) await writeRecord(folder, { ...record, leftAt: now });
      }
      // By what is recorded now: to drop tables takes its time.
      const needed = new Set((await readRecords(folder)).flatMap(filesOf));
      await removeFiles(folder, needed, gone, YOUNG_MS);
    },
  };
}

function filesOf({ tables }: LakeRecord): readonly string[] {
  return Object.values(tables).map(({ files }) => files);
}

/** By its id, which no other snapshot has. */
function schemaOf(id: string): string {
  return `s${id.replaceAll('-', '_')}`;
}

/** Those that have columns, each of one kind of value and with names that Trino can tell apart. */
function largeTables(path: string): readonly Copied[] {
  const database = openRows(rowsPath(path));
  try {
    const { tables } = openSchema(database);
    const names = askOf(database)('select name from tablegate_tables where columnar = 1 order by name');
    return names.flatMap(([name]) => {
      const table = tables.get(String(name));
      const columns = table === undefined ? undefined : columnsOf(table);
      if (table === undefined || columns === undefined) return [];
      const files = digest([FORMAT, table.name, table.version, columns]);
      const lower = table.name.toLowerCase();
      return [{ name: table.name, table: PLAIN.test(lower) ? lower : `t_${files}`, files, columns }];
    });
  } finally {
    database.close();
  }
}

function columnsOf({ columns, rowid }: SchemaTable): Copied['columns'] | undefined {
  const found: (readonly [string, string])[] = [];
  for (const { name, kind } of columns) {
    if (kind === 'any') return undefined;
    found.push([name, TYPES[kind]]);
  }
  if (rowid !== undefined && !columns.some(({ name }) => name === rowid)) found.push([rowid, TYPES.integer]);
  const names = new Set(found.map(([name]) => name.toLowerCase()));
  return names.size === found.length && found.every(([name]) => PLAIN_COLUMN.test(name)) ? found : undefined;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
