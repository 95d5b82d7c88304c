// What an import does to the tables that are served: which are added, replaced and removed, with their rows; and which
// may not be removed unless the operator says so.
import type { Manifest } from '../snapshot/manifest.ts';
import { ImportError } from './failure.ts';
import { grouped } from './progress.ts';
import type { KnownTables } from './source-records.ts';
import { foldName } from './sqlite-tables.ts';

/** A table as the manifest of a snapshot has it. */
export interface ServedTable {
  readonly name: string;
  readonly rows: number;
  /** Undefined for what is no table of a user. */
  readonly chainId: number | undefined;
  readonly tableId: string | undefined;
  /** Id of the snapshot in which it changed last. */
  readonly version: string;
}

/** By folded name: names that differ by case only are one table. */
export type ServedTables = ReadonlyMap<string, ServedTable>;

/** A table that is to be served after the import. */
export interface Incoming {
  readonly name: string;
  readonly chainId: number | undefined;
  readonly tableId: string | undefined;
}

export interface Replaced {
  readonly before: ServedTable;
  readonly after: ServedTable;
}

export interface Changes {
  readonly added: readonly ServedTable[];
  readonly replaced: readonly Replaced[];
  readonly removed: readonly ServedTable[];
}

/** What the name of a user's table says of it. */
const USER_TABLE = /_(\d+)_(\d+)$/;

export function servedBy({ versions, rows }: Pick<Manifest, 'versions' | 'rows'>): ServedTables {
  return new Map(
    Object.entries(versions).map(([name, version]) => {
      const [, chainId, tableId] = USER_TABLE.exec(name) ?? [];
      const chain = chainId === undefined ? undefined : Number(chainId);
      return [foldName(name), { name, rows: rows[name] ?? 0, chainId: chain, tableId, version }];
    }),
  );
}

export interface Coming {
  readonly served: ServedTables;
  /** All that the source has; or the one table that is added. */
  readonly incoming: readonly Incoming[];
  /** `whole`: the snapshot will have these and no others; `one`: a table beside those that are there. */
  readonly mode: 'whole' | 'update' | 'one';
  /** Of an update: what came from the source before. Undefined where all is read again. */
  readonly known: KnownTables | undefined;
  /** Whether tables may be removed that only the operator can say it of. */
  readonly replace: boolean;
}

/**
 * Served tables that the import takes out. An update follows its source, so what the source lost goes; tables from
 * elsewhere stay, unless one has the chain and id of another that comes in: an id is one table.
 * @throws ImportError where only --replace removes them
 */
export function tablesThatGo(coming: Coming): readonly ServedTable[] {
  const { served, incoming, mode, known, replace } = coming;
  const names = new Set(incoming.map(({ name }) => foldName(name)));
  const others = [...served].filter(([name]) => !names.has(name)).map(([, table]) => table);
  const ours = new Set([...(known?.sources.keys() ?? [])].map(foldName));
  const isGone = ({ name }: ServedTable): boolean =>
    mode === 'whole' || (mode === 'update' && (known === undefined || ours.has(foldName(name))));
  const gone = others.filter(isGone);
  const ids = new Map(
    incoming.flatMap(({ name, chainId, tableId }) =>
      tableId === undefined ? [] : [[`${chainId} ${tableId}`, name]],
    ),
  );
  const clashes = others.flatMap((table) => {
    const by = ids.get(`${table.chainId} ${table.tableId}`);
    return by === undefined || isGone(table) ? [] : [{ table, by }];
  });
  if (!replace && mode === 'whole' && gone.length > 0)
    throw new ImportError(
      `${countOf(gone)} served now would be removed: ${listOf(gone)}; add --replace if that is meant`,
    );
  const [clash] = clashes;
  if (!replace && clash !== undefined)
    throw new ImportError(
      `table ${clash.table.tableId} of chain ${clash.table.chainId} is served as ${nameAndRows(clash.table)}: import it by this name, or add --replace to have ${clash.by} in its place`,
    );
  return [...gone, ...clashes.map(({ table }) => table)];
}

/** @param id of the snapshot that was made */
export function changesOf(before: ServedTables, after: ServedTables, id: string): Changes {
  const added: ServedTable[] = [];
  const replaced: Replaced[] = [];
  for (const [name, table] of after) {
    const old = before.get(name);
    if (old === undefined) added.push(table);
    else if (table.version === id) replaced.push({ before: old, after: table });
  }
  return { added, replaced, removed: [...before].flatMap(([name, old]) => (after.has(name) ? [] : [old])) };
}

/** Names that are listed in one line. */
const MAX_LISTED = 10;

function listOf(tables: readonly ServedTable[]): string {
  const listed = tables.slice(0, MAX_LISTED).map(nameAndRows).join(', ');
  return tables.length > MAX_LISTED ? `${listed} and ${tables.length - MAX_LISTED} more` : listed;
}

const nameAndRows = ({ name, rows }: ServedTable): string => `${name} (${rowsText(rows)})`;

const countOf = (tables: readonly ServedTable[]): string =>
  tables.length === 1 ? '1 table that is' : `${grouped(tables.length)} tables that are`;

export const rowsText = (rows: number): string => `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
