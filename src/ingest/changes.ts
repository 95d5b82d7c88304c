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

type Tables = Pick<Manifest, 'versions' | 'rows'>;

export function servedBy(tables: Tables): ServedTables {
  return new Map(Object.keys(tables.versions).map((name) => [foldName(name), servedOf(tables, name)]));
}

function servedOf({ versions, rows }: Tables, name: string): ServedTable {
  return { name, rows: rows[name] ?? 0, version: versions[name] ?? '' };
}

/** What the name of a user's table says of it; undefined for what is none. */
function idOf({ name }: ServedTable): { readonly chainId: number; readonly tableId: string } | undefined {
  const [, chainId, tableId] = /_(\d+)_(\d+)$/.exec(name) ?? [];
  return chainId === undefined || tableId === undefined ? undefined : { chainId: Number(chainId), tableId };
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
    const id = idOf(table);
    const by = id === undefined ? undefined : ids.get(`${id.chainId} ${id.tableId}`);
    return id === undefined || by === undefined || isGone(table) ? [] : [{ table, by, id }];
  });
  if (!replace && mode === 'whole' && gone.length > 0)
    throw new ImportError(
      `${countOf(gone)} served now would be removed: ${listOf(gone)}; add --replace if that is meant`,
    );
  const [clash] = clashes;
  if (!replace && clash !== undefined)
    throw new ImportError(
      `table ${clash.id.tableId} of chain ${clash.id.chainId} is served as ${nameAndRows(clash.table)}: import it by this name, or add --replace to have ${clash.by} in its place`,
    );
  return [...gone, ...clashes.map(({ table }) => table)];
}

/**
 * Of tens of thousands of tables nearly all are as they were: these are only gone past.
 * @param before undefined where nothing is known of it @param id of the snapshot that was made
 */
export function changesOf(before: Tables = { versions: {}, rows: {} }, after: Tables, id: string): Changes {
  const added: ServedTable[] = [];
  const replaced: Replaced[] = [];
  const old = finder(before);
  for (const [name, version] of Object.entries(after.versions)) {
    if (version !== id) continue;
    const known = old(name);
    const now = servedOf(after, name);
    if (known === undefined) added.push(now);
    else replaced.push({ before: servedOf(before, known), after: now });
  }
  const isThere = finder(after);
  const removed = Object.keys(before.versions).filter((name) => isThere(name) === undefined);
  return { added, replaced, removed: removed.map((name) => servedOf(before, name)) };
}

/** Finds tables by their names, however these are written. */
function finder({ versions }: Tables): (name: string) => string | undefined {
  let folded: ReadonlyMap<string, string> | undefined;
  return (name) => {
    if (Object.hasOwn(versions, name)) return name;
    folded ??= new Map(Object.keys(versions).map((each) => [foldName(each), each]));
    return folded.get(foldName(name));
  };
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
