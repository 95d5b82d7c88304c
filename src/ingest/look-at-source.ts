// Which known tables of a database in use may have other rows than the snapshot before. The log says it where it is the log
// of then: the pages that were written since lead to tables. Else the pages of all tables are compared with what is
// recorded of them. Both read pages under SQLite's lock of a reader, and have it read no schema.
import { sourcesPath } from '../snapshot/layout.ts';
import { LAYOUT_VERSION, listedBy, type Record } from './import-database.ts';
import type { Base } from './snapshot-builder.ts';
import {
  type Moment,
  OF_SCHEMA,
  openSourceRecords,
  type RecordLooks,
  type SourceRecord,
} from './source-records.ts';
import { createExcerpt } from './sqlite-excerpt.ts';
import { LEAF_BYTES, readLeaves } from './sqlite-leaves.ts';
import { lockPages } from './sqlite-lock.ts';
import type { PageReader } from './sqlite-pages.ts';
import { digestOfEntries, readSchemaPages } from './sqlite-schema-pages.ts';
import { foldName, type ListedTable } from './sqlite-tables.ts';

/** With more, a look at every table is as fast. */
const MOST_WRITTEN = 10_000;
/** Of the tables that may have changed, whatever is in them: they are copied. */
const MOST_PAGES = 10_000;
const UTF_8 = 1;
/** Which tables there are depends on its rows. */
const REGISTRY = 'registry';

/** A table that may have changed. */
export interface Written {
  readonly listed: ListedTable;
  readonly before: SourceRecord;
  readonly now: Record;
  /** That were written since. */
  readonly pages: readonly number[];
}

export interface Found {
  readonly moment: Moment;
  readonly tables: readonly Written[];
  readonly byLog: boolean;
  /** Of every table, and of the schema, where all were looked at. */
  readonly allPages: ReadonlyMap<string, Uint32Array> | undefined;
}

type AllPages = ReadonlyMap<string, Uint32Array>;

/**
 * @param excerpt a file that has what is to be read of the tables afterwards
 * @returns undefined where it cannot be told, or more than rows has changed
 */
export function lookAtSource(path: string, base: Base, excerpt: string): Found | undefined {
  let records: RecordLooks | undefined;
  let locked: ReturnType<typeof lockPages>;
  try {
    records = openSourceRecords(sourcesPath(base.folder));
    const before = records.moment();
    if (before?.layout !== LAYOUT_VERSION) return undefined;
    locked = lockPages(path);
    if (locked === undefined || locked.pages.textEncoding !== UTF_8) return undefined;
    const { pages, moment } = locked;
    const isSame = moment.file === before.file && moment.schema === before.schema;
    const written = isSame ? pages.writtenSince(before.log) : undefined;
    const byLog = written !== undefined && written.length <= MOST_WRITTEN;
    const all = byLog ? undefined : lookAtAll(pages, before, records);
    const names = byLog ? tablesOf(written, records) : all?.names;
    if (names === undefined || isMoreThanRows(names)) return undefined;
    const tables = readTables(pages, names, new Set(written), records, excerpt);
    // Nothing else was read than what the transaction sees.
    if (tables === undefined || !pages.confirm()) return undefined;
    const { entries } = before;
    return { moment: { ...moment, layout: LAYOUT_VERSION, entries }, tables, byLog, allPages: all?.pages };
  } catch {
    // Whatever it is, the long way has words for it.
    return undefined;
  } finally {
    locked?.close();
    records?.close();
  }
}

function isMoreThanRows(names: ReadonlySet<string>): boolean {
  return names.has(OF_SCHEMA) || [...names].some((name) => foldName(name) === REGISTRY);
}

function tablesOf(pages: readonly number[], records: RecordLooks): ReadonlySet<string> {
  return new Set(pages.map(records.tableOf).filter((table) => table !== undefined));
}

/** Undefined where the schema is another one, or a table that changed is too large to be copied. */
function lookAtAll(
  pages: PageReader,
  { entries }: Moment,
  records: RecordLooks,
): { readonly names: ReadonlySet<string>; readonly pages: AllPages } | undefined {
  if (digestOfEntries(pages) !== entries) return undefined;
  const schema = readSchemaPages(pages, () => true);
  const roots = rootsOf(schema);
  const names = new Set<string>();
  const all = new Map([[OF_SCHEMA, Uint32Array.from(schema.pages)]]);
  for (const [name, before] of records.leaves()) {
    const root = roots.get(foldName(name));
    if (root === undefined) return undefined;
    const own: number[] = [];
    const leaves = readLeaves(pages, root, (page) => own.push(page));
    all.set(name, Uint32Array.from(own));
    if (leaves.equals(before)) continue;
    if (own.length > MOST_PAGES) return undefined;
    names.add(name);
  }
  return { names, pages: all };
}

function rootsOf({ entries }: ReturnType<typeof readSchemaPages>): ReadonlyMap<string, number> {
  return new Map(
    entries.flatMap(({ type, table, root }) => (type === 'table' ? [[foldName(table), root]] : [])),
  );
}

function readTables(
  pages: PageReader,
  names: ReadonlySet<string>,
  written: ReadonlySet<number>,
  records: RecordLooks,
  excerpt: string,
): readonly Written[] | undefined {
  if (names.size === 0) return [];
  const folded = new Set([...names].map(foldName));
  const schema = readSchemaPages(pages, (table) => folded.has(foldName(table)));
  const roots = rootsOf(schema);
  const tables: Written[] = [];
  const copy = createExcerpt(excerpt, pages, MOST_PAGES);
  try {
    for (const name of names) {
      const before = records.record(name);
      const root = roots.get(foldName(name));
      if (before === undefined || root === undefined) return undefined;
      // Most likely it has as many now, and need not be begun.
      if (before.leaves.length / LEAF_BYTES > MOST_PAGES) return undefined;
      const own: number[] = [];
      const leaves = readLeaves(pages, root, (page, content) => {
        copy.add(page, content);
        if (written.has(page)) own.push(page);
      });
      const now = { layout: before.layout, leaves };
      tables.push({ listed: listedBy(before.layout, root), before, now, pages: own });
    }
    return copy.finish(schema) ? tables : undefined;
  } finally {
    copy.close();
  }
}
