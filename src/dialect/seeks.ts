// Equalities by which rows of a table could be looked up, if it had an index of the column: `a.rig_id = r.id`,
// `owner = '0x..'`. Only those that every row of the loop has to fulfil.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Expression, Source } from './ast.ts';
import { isPlain } from './conditions.ts';
import type { Core } from './reading.ts';

export type TableSource = Extract<Source, { readonly type: 'table' }>;

export interface Seek {
  readonly source: TableSource;
  /** Lower-case name of the table, and what SQLite's plan calls it. */
  readonly table: string;
  readonly called: string;
  /** In lower case. */
  readonly column: string;
  /** What it has to be equal to. */
  readonly value: Expression;
  /** The WHERE or ON that it is a part of. */
  readonly place: Expression;
}

/**
 * @param commons lower-case names of all common tables
 * @param columnsOf lower-case names of a served table's columns
 */
export function seeksOf(
  cores: readonly Core[],
  commons: ReadonlySet<string>,
  columnsOf: (table: string) => ReadonlySet<string>,
): readonly Seek[] {
  const seeks: Seek[] = [];
  for (const core of cores) {
    if (core.from === undefined) continue;
    const sources: TableSource[] = [];
    const places: Expression[] = core.where === undefined ? [] : [core.where];
    flatten(core.from, sources, places);
    const tables = sources.filter(({ name }) => !commons.has(asciiLower(name.text)));
    const owner = ownerAmong(tables, columnsOf);
    for (const place of places) addSeeks(place, place, owner, seeks);
  }
  return seeks;
}

function flatten(source: Source, sources: TableSource[], places: Expression[]): void {
  if (source.type === 'table') sources.push(source);
  else if (source.type === 'group') flatten(source.source, sources, places);
  else if (source.type === 'join') {
    flatten(source.left, sources, places);
    flatten(source.right, sources, places);
    if (source.on !== undefined) places.push(source.on);
  }
}

function addSeeks(expression: Expression, place: Expression, owner: Owner, seeks: Seek[]): void {
  if (expression.type !== 'binary') return;
  if (expression.operator === 'and') {
    addSeeks(expression.left, place, owner, seeks);
    addSeeks(expression.right, place, owner, seeks);
    return;
  }
  if (expression.operator !== '=') return;
  for (const [side, value] of [
    [expression.left, expression.right],
    [expression.right, expression.left],
  ] as const) {
    if (side.type !== 'column' || !isPlain(value)) continue;
    const source = owner(side);
    if (source === undefined) continue;
    seeks.push({
      source,
      table: asciiLower(source.name.text),
      called: calledOf(source),
      column: asciiLower(side.name.text),
      value,
      place,
    });
  }
}

/** The one table of a FROM clause that a column is of; undefined where it is none or not known. */
export type Owner = (column: Extract<Expression, { readonly type: 'column' }>) => TableSource | undefined;

/** @param columnsOf lower-case names of a served table's columns */
export function ownerAmong(
  tables: readonly TableSource[],
  columnsOf: (table: string) => ReadonlySet<string>,
): Owner {
  return ({ table, name }) => {
    const column = asciiLower(name.text);
    const owners = tables.filter((source) =>
      table === undefined
        ? columnsOf(asciiLower(source.name.text)).has(column)
        : calledOf(source) === asciiLower(table.text),
    );
    return owners.length === 1 ? owners[0] : undefined;
  };
}

export function calledOf({ name, alias }: TableSource): string {
  return asciiLower((alias ?? name).text);
}
