// An update of a database in use by what its log says: the pages that were written since the snapshot before lead to the
// tables that may have changed, and only these are looked at. What it takes depends on them, not on how many tables there
// are. Where that cannot be told, or more than rows has changed, import-database.ts looks at every table.

import { rm } from 'node:fs/promises';
import { sourcesPath } from '../snapshot/layout.ts';
import { readSource } from '../source/source.ts';
import {
  type ImportJob,
  importTable,
  isUnchanged,
  LAYOUT_VERSION,
  listedBy,
  type Record,
  readBlocks,
} from './import-database.ts';
import type { Base } from './snapshot-builder.ts';
import {
  type Moment,
  OF_SCHEMA,
  openSourceRecords,
  type RecordLooks,
  type SourceRecord,
} from './source-records.ts';
import { openExcerpt, writeExcerpt } from './sqlite-excerpt.ts';
import { LEAF_BYTES, readLeaves } from './sqlite-leaves.ts';
import { lockPages } from './sqlite-lock.ts';
import type { PageReader } from './sqlite-pages.ts';
import { readSchemaPages } from './sqlite-schema-pages.ts';
import { createDescriber, foldName, type ListedTable } from './sqlite-tables.ts';

/** With more, a look at every table is as fast. */
const MOST_WRITTEN = 10_000;
/** Of the tables that may have changed: they are copied. */
const MOST_PAGES = 10_000;
const UTF_8 = 1;
/** Which tables there are depends on its rows. */
const REGISTRY = 'registry';

/** A table that may have changed. */
interface Written {
  readonly listed: ListedTable;
  readonly before: SourceRecord;
  readonly now: Record;
  /** That were written. */
  readonly pages: readonly number[];
}

interface Found {
  readonly moment: Moment;
  readonly tables: readonly Written[];
}

/** Something is other than the log said; the long way may do better, and has words for it where not. */
export class LogIsNotEnough extends Error {}

/**
 * @param job its `known` is not asked for
 * @returns undefined where it cannot be done like this, and nothing was done; else whether anything had changed
 * @throws LogIsNotEnough after it was begun: begin anew with another draft
 */
export async function updateFromLog(job: Omit<ImportJob, 'known'>, base: Base): Promise<boolean | undefined> {
  const source = await readSource(job.source).catch(() => undefined);
  if (source?.kind !== 'database') return undefined;
  const excerpt = `${job.scratch}.excerpt`;
  try {
    const found = lookAtLog(source.path, base, excerpt);
    if (found === undefined) return undefined;
    const changed = found.tables.filter(({ before, now }) => !isUnchanged(before, now));
    if (changed.length === 0) return false;
    job.signal.throwIfAborted();
    try {
      await importChanged({ ...job, source: source.path }, found, changed, excerpt);
    } catch (error) {
      throw new LogIsNotEnough('the log is not enough', { cause: error });
    }
    return true;
  } finally {
    await rm(excerpt, { force: true });
  }
}

/** What there is to read of the tables is in the excerpt then. Undefined where it cannot be told. */
function lookAtLog(path: string, base: Base, excerpt: string): Found | undefined {
  let records: RecordLooks | undefined;
  let locked: ReturnType<typeof lockPages>;
  try {
    records = openSourceRecords(sourcesPath(base.folder));
    const before = records.moment();
    if (before?.layout !== LAYOUT_VERSION) return undefined;
    locked = lockPages(path);
    if (locked === undefined) return undefined;
    const { pages, moment } = locked;
    if (moment.file !== before.file || moment.schema !== before.schema || pages.textEncoding !== UTF_8)
      return undefined;
    const written = pages.writtenSince(before.log);
    if (written === undefined || written.length > MOST_WRITTEN) return undefined;
    const tables = readWritten(pages, written, records, excerpt);
    // Nothing else was read than what the transaction sees.
    if (tables === undefined || !pages.confirm()) return undefined;
    return { moment: { ...moment, layout: LAYOUT_VERSION }, tables };
  } catch {
    // Whatever it is, the long way has words for it.
    return undefined;
  } finally {
    locked?.close();
    records?.close();
  }
}

function readWritten(
  pages: PageReader,
  written: readonly number[],
  records: RecordLooks,
  excerpt: string,
): readonly Written[] | undefined {
  const byTable = new Map<string, number[]>();
  for (const page of written) {
    const table = records.tableOf(page);
    if (table === OF_SCHEMA || table === REGISTRY) return undefined;
    if (table !== undefined) byTable.set(table, []);
  }
  if (byTable.size === 0) return [];
  const folded = new Set([...byTable.keys()].map(foldName));
  const schema = readSchemaPages(pages, (table) => folded.has(foldName(table)));
  const roots = new Map(
    schema.entries.flatMap(({ type, table, root }) => (type === 'table' ? [[foldName(table), root]] : [])),
  );
  const isWritten = new Set(written);
  const tables: Written[] = [];
  const all: number[] = [];
  for (const [name, own] of byTable) {
    const before = records.record(name);
    const root = roots.get(foldName(name));
    if (before === undefined || root === undefined) return undefined;
    if (all.length + before.leaves.length / LEAF_BYTES > MOST_PAGES) return undefined;
    const leaves = readLeaves(pages, root, (page) => {
      all.push(page);
      if (isWritten.has(page)) own.push(page);
    });
    const now = { layout: before.layout, leaves };
    tables.push({ listed: listedBy(before.layout, root), before, now, pages: own });
  }
  return writeExcerpt(excerpt, pages, schema, all) ? tables : undefined;
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
    for (const { listed, pages } of found.tables) builder.records.addPages(listed.name, pages);
    builder.records.setMoment(found.moment);
    await job.finish(builder);
  } finally {
    if (database.isTransaction) database.exec('rollback');
    database.close();
  }
}

const BLOCKS = 'system_txn_processor';
