// An update of a database in use where nothing but rows of known tables has changed: SQLite sees these tables alone, of the
// source and of the row store. What it takes depends on them, not on how many tables there are. Where more than that has
// changed, or it cannot be told, import-database.ts reads all of both.
import { rm } from 'node:fs/promises';
import { readSource } from '../source/source.ts';
import { type ImportJob, importTable, isUnchanged, readBlocks } from './import-database.ts';
import { type Found, lookAtSource, type Written } from './look-at-source.ts';
import type { Base } from './snapshot-builder.ts';
import { openExcerpt } from './sqlite-excerpt.ts';
import { createDescriber } from './sqlite-tables.ts';

/** Something is other than it seemed; the long way may do better, and has words for it where not. */
export class MoreThanRows extends Error {}

export interface RowsUpdated {
  /** Else nothing was done. */
  readonly changed: boolean;
  /** Whether the log told which tables to look at; else all were. */
  readonly byLog: boolean;
}

/**
 * @returns undefined where it cannot be done like this, and nothing was done
 * @throws MoreThanRows after it was begun: begin anew with another draft
 */
export async function updateRows(
  job: Omit<ImportJob, 'known'>,
  base: Base,
): Promise<RowsUpdated | undefined> {
  const source = await readSource(job.source).catch(() => undefined);
  if (source?.kind !== 'database') return undefined;
  const excerpt = `${job.scratch}.excerpt`;
  try {
    job.progress.stage('looking for changes');
    const found = lookAtSource(source.path, base, excerpt);
    if (found === undefined) return undefined;
    const { byLog } = found;
    const changed = found.tables.filter(({ before, now }) => !isUnchanged(before, now));
    if (changed.length === 0) return { changed: false, byLog };
    job.signal.throwIfAborted();
    try {
      await importChanged({ ...job, source: source.path }, found, changed, excerpt);
    } catch (error) {
      throw new MoreThanRows('more than rows has changed', { cause: error });
    }
    return { changed: true, byLog };
  } finally {
    await rm(excerpt, { force: true });
  }
}

async function importChanged(
  job: Omit<ImportJob, 'known'>,
  found: Found,
  changed: readonly Written[],
  excerpt: string,
): Promise<void> {
  const { progress } = job;
  const names = changed.map(({ listed }) => listed.name);
  const known = { sources: new Map(changed.map(({ listed, before }) => [listed.name, before])) };
  const database = openExcerpt(excerpt);
  try {
    const builder = await job.open('current');
    builder.attachTables(database, names);
    const describe = createDescriber(database);
    progress.expect(changed.length);
    for (const { listed, now } of changed)
      await importTable({ ...job, known }, builder, database, describe(listed), now, progress.part(1));
    if (names.includes(BLOCKS)) builder.rows.setBlocks(readBlocks(database, [{ name: BLOCKS }]));
    if (found.allPages !== undefined) builder.records.setPages(found.allPages);
    else for (const { listed, pages } of found.tables) builder.records.addPages(listed.name, pages);
    builder.records.setMoment(found.moment);
    await job.finish(builder);
  } finally {
    if (database.isTransaction) database.exec('rollback');
    database.close();
  }
}

const BLOCKS = 'system_txn_processor';
