// Temporary files of an engine that has no file system: each is opened before the file systems are taken from it, kept
// open by a block that nobody reads, and then removed from its folder. So there is no path to them, for a statement or
// for anybody else, and the system takes them back with the process, however that ends.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SPILL_PREFIX } from '../wire/protocol.ts';
import type { EngineConnection } from './engine.ts';

export interface Spill {
  /** Where the files are until they are open. */
  readonly folder: string;
  /** Of all files of this engine together. */
  readonly bytes: number;
}

/** The engine's files, one for each size that a compressed block may have; and that share of a block is random for it. */
const FILES: Readonly<Record<string, number>> = {
  ...{ S32K: 0.05, S64K: 0.17, S96K: 0.3, S128K: 0.42, S160K: 0.55, S192K: 0.67, S224K: 0.8, DEFAULT: 1 },
};
/** Whether it compresses a block at all, the engine tries out by chance. */
const ROUNDS = 100;
/** Values of 8 bytes: of one block of the engine, and two of them. */
const VALUES = 2 * 32_768;
/** What the blocks of all rounds may take, and room to work with. */
const LEAST_BYTES = 32 * 1024 * 1024;

/** Of the tables that keep the files open: what the session itself has brought over is elsewhere. */
const HOLDERS = 'memory.spill';

/**
 * Of one size: once its file has had so many, and some of them were freed, the engine opens another file, which it
 * cannot. To have that opened before, the first would have to be filled: with a gigabyte for whole blocks.
 */
const MOST_BLOCKS = 4_000;
/** Of all files together: no engine uses more. */
const MOST_BYTES = MOST_BLOCKS * (32 + 64 + 96 + 128 + 160 + 192 + 224 + 256) * 1024;

/** @throws Error where the folder cannot be written, or the bytes are too few or too many */
export function makeSpill(parent: string, bytes: number): Spill {
  if (bytes < LEAST_BYTES || bytes > MOST_BYTES)
    throw new Error(
      `--spill-bytes leaves ${bytes} bytes to each worker, and has to leave ${LEAST_BYTES} to ${MOST_BYTES}`,
    );
  return { folder: mkdtempSync(join(parent, SPILL_PREFIX)), bytes };
}

/**
 * Opens all files, and takes them out of the folder, which is gone then. Before the engine is locked.
 * @param memoryLimit of the engine, in its own words
 * @throws Error where a file was not opened
 */
export async function openFiles(
  connection: EngineConnection,
  { folder, bytes }: Spill,
  memoryLimit: string,
): Promise<void> {
  const missing = (): readonly (readonly [string, number])[] =>
    Object.entries(FILES).filter(([size]) => !existsSync(join(folder, `duckdb_temp_storage_${size}-0.tmp`)));
  await connection.query(`SET max_temp_directory_size = '${Math.floor(bytes / 1024)}KiB'`);
  await connection.query(`CREATE SCHEMA ${HOLDERS}`);
  for (let round = 0; missing().length > 0; round++) {
    if (round === ROUNDS) throw new Error(`the engine did not open its temporary files: ${missing()}`);
    for (const [size, random] of missing())
      await connection.query(
        `CREATE TABLE ${HOLDERS}.round_${round}_${size} AS SELECT CASE WHEN hash(i * 7919 + ${round}) % 1000 < ${random * 1000} ` +
          `THEN hash(i) ELSE 0::UBIGINT END AS v FROM range(${VALUES}) r(i)`,
      );
    // Whatever nobody uses is written to the files.
    await connection.query("SET memory_limit = '1MiB'");
    await connection.query(`SET memory_limit = '${memoryLimit}'`);
  }
  rmSync(folder, { recursive: true });
}
