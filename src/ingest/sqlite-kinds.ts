// What the columns of a SQLite table hold: integers, reals, texts, blobs or any of them.
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Kind } from '../columns/column-buffer.ts';
import type { RowRange } from '../columns/copy-source.ts';
import { quoteName, type SourceTable } from './sqlite-tables.ts';

/** Known for STRICT tables, read from the values for others. */
export function columnKinds(database: DatabaseSyncInstance, source: SourceTable): readonly Kind[] {
  const loose = looseKinds(database, source, undefined);
  return source.table.columns.map(({ name, kind }) => {
    const found = loose.get(name);
    if (found === undefined) return kind;
    return found.length > 1 ? 'any' : (found[0] ?? kind);
  });
}

/** The same where only some rows changed; undefined where these do not tell. */
export function kindsOfRanges(
  database: DatabaseSyncInstance,
  source: SourceTable,
  before: readonly Kind[],
  ranges: readonly RowRange[],
): readonly Kind[] | undefined {
  // The last value of another kind may have gone.
  if (source.table.columns.some(({ name }, i) => source.loose.has(name) && before[i] === 'any'))
    return undefined;
  const loose = looseKinds(database, source, ranges);
  const same = source.table.columns.every(({ name }, i) =>
    (loose.get(name) ?? []).every((kind) => kind === before[i]),
  );
  return same ? before : undefined;
}

const KINDS = ['integer', 'real', 'text', 'blob'] as const;

function looseKinds(
  database: DatabaseSyncInstance,
  source: SourceTable,
  ranges: readonly RowRange[] | undefined,
): ReadonlyMap<string, readonly Kind[]> {
  const columns = source.table.columns.filter(({ name }) => source.loose.has(name));
  const kinds = new Map<string, Kind[]>(columns.map(({ name }) => [name, []]));
  if (columns.length === 0) return kinds;
  const within =
    ranges === undefined
      ? ''
      : ` where ${ranges.map(([first, last]) => `${source.rowid} between ${first} and ${last}`).join(' or ') || 'false'}`;
  const from = `source.${quoteName(source.name)} not indexed${within}`;
  for (let at = 0; at < columns.length; at += COLUMNS_AT_ONCE) {
    const some = columns.slice(at, at + COLUMNS_AT_ONCE);
    const found = some.flatMap(({ name }) =>
      KINDS.map((kind) => `max(typeof(${quoteName(name)})='${kind}')`),
    );
    const statement = database.prepare(`select ${found.join(', ')} from ${from}`);
    statement.setReturnArrays(true);
    const row = statement.get() as unknown as readonly (number | null)[];
    for (const [i, { name }] of some.entries())
      kinds.get(name)?.push(...KINDS.filter((_, kind) => row[i * KINDS.length + kind] === 1));
  }
  return kinds;
}

/** SQLite returns at most 2,000. */
const COLUMNS_AT_ONCE = 400;
