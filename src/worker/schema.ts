// Reads what the compiler knows of a snapshot (dialect/schema.ts) from its `tablegate` schema, once a session.
import type { Schema, SchemaColumn, SchemaTable } from '../dialect/schema.ts';
import { type EngineConnection, textRows } from './engine.ts';

const KINDS: ReadonlySet<string> = new Set(['integer', 'real', 'text', 'blob', 'any']);
const AFFINITIES: ReadonlySet<string> = new Set(['integer', 'real', 'numeric', 'text', 'blob']);
const COLLATIONS: ReadonlySet<string> = new Set(['binary', 'nocase', 'rtrim']);

function oneOf<T extends string>(known: ReadonlySet<string>, word: string | null, what: string): T {
  if (word === null || !known.has(word)) throw new Error(`the snapshot has an unknown ${what}: ${word}`);
  return word as T;
}

/** @throws Error where the snapshot is of another format */
export async function readSchema(connection: EngineConnection): Promise<Schema> {
  const version = await textRows(
    connection,
    "SELECT value FROM tablegate.snapshot WHERE key = 'format_version'",
  );
  if (version[0]?.[0] !== '1')
    throw new Error(`the snapshot has format ${version[0]?.[0] ?? 'none'}, this program reads format 1`);

  const columns = new Map<string, SchemaColumn[]>();
  for (const [table, name, kind, affinity, notNull, collation] of await textRows(
    connection,
    `SELECT table_name, name, kind, affinity, not_null::VARCHAR, "collation"
     FROM tablegate.columns ORDER BY table_name, position`,
  )) {
    const column: SchemaColumn = {
      name: name ?? '',
      kind: oneOf<SchemaColumn['kind']>(KINDS, kind ?? null, 'kind of column'),
      affinity: oneOf<SchemaColumn['affinity']>(AFFINITIES, affinity ?? null, 'affinity'),
      notNull: notNull === 'true',
      collation: oneOf<SchemaColumn['collation']>(COLLATIONS, collation ?? null, 'collation'),
    };
    const of = columns.get(table ?? '');
    if (of === undefined) columns.set(table ?? '', [column]);
    else of.push(column);
  }

  const tables = new Map<string, SchemaTable>();
  for (const [name, rows, rowid, unique] of await textRows(
    connection,
    'SELECT name, rows::VARCHAR, rowid_column, unique_sets FROM tablegate.tables',
  )) {
    if (name === null || name === undefined) continue;
    tables.set(asciiLower(name), {
      name,
      columns: columns.get(name) ?? [],
      rowid: rowid === null || rowid === '' ? undefined : rowid,
      rows: Number(rows ?? 0),
      unique: JSON.parse(unique ?? '[]') as string[][],
    });
  }

  const blocks = new Map<number, number>();
  for (const [chain, block] of await textRows(
    connection,
    'SELECT chain_id::VARCHAR, block_number::VARCHAR FROM tablegate.blocks',
  ))
    blocks.set(Number(chain), Number(block));
  return { tables, blocks };
}

/** SQLite folds the case of ASCII letters only in names. */
function asciiLower(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
