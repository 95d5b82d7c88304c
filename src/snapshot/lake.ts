// Which tables of a snapshot lie in the lake, too: copies that the distributed engine reads, in a schema of that snapshot
// alone. `lake.json` beside its files says so; whoever published or pulled it wrote that.
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import type { RemoteRelation } from '../dialect/remote.ts';
import { lakePath } from './layout.ts';

export interface LakeTables {
  readonly catalog: string;
  readonly schema: string;
  /** By lower-case name of the table here: its name there. */
  readonly tables: Readonly<Record<string, string>>;
}

const NAME = /^[a-z][a-z0-9_]{0,199}$/;
const MAX_TABLES = 100_000;

/** @throws Error that says what is wrong, to follow the name of what it stands in */
export function parseLake(value: unknown): LakeTables {
  const { catalog, schema, tables } = (value ?? {}) as Partial<LakeTables>;
  const isName = (text: unknown): text is string => typeof text === 'string' && NAME.test(text);
  const entries = typeof tables === 'object' && tables !== null ? Object.entries(tables) : undefined;
  if (!isName(catalog) || !isName(schema) || entries === undefined || entries.length > MAX_TABLES)
    throw new Error('is damaged: lake says no place of tables');
  const odd = entries.find(([name, there]) => name.length > 1_000 || !isName(there));
  if (odd !== undefined) throw new Error('is damaged: lake names a table that none can be');
  return { catalog, schema, tables: Object.fromEntries(entries) };
}

/** @param folder of the snapshot @returns undefined where none of its tables is in a lake, or that cannot be read */
export function readLake(folder: string): LakeTables | undefined {
  try {
    return parseLake(JSON.parse(readFileSync(lakePath(folder), 'utf8')));
  } catch {
    return undefined;
  }
}

/** @param lake undefined: none of its tables is there */
export async function writeLake(folder: string, lake: LakeTables | undefined): Promise<void> {
  if (lake === undefined) {
    await rm(lakePath(folder), { force: true });
    return;
  }
  await mkdir(folder, { recursive: true });
  const own = `${lakePath(folder)}.new`;
  await writeFile(own, `${JSON.stringify(lake)}\n`);
  await rename(own, lakePath(folder));
}

/** @param name in lower case */
export function lakeRelation(lake: LakeTables | undefined, name: string): RemoteRelation | undefined {
  if (lake === undefined || !Object.hasOwn(lake.tables, name)) return undefined;
  return { catalog: lake.catalog, schema: lake.schema, table: lake.tables[name] ?? '' };
}
