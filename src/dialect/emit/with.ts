// WITH: common tables (lang_with.html). A table is compiled at its first use, when it is known how SQLite's plan calls it,
// and written once.
import type { Template } from '../plan.ts';
import type { CommonTable } from '../resolve/tree.ts';
import { type Block, madeBlock, unknownBlock } from '../row-plan.ts';
import { identifier, sql } from '../value.ts';
import type { Emitter, QueryColumn } from './emitter.ts';
import { derivedColumns } from './query-column.ts';
import { type CommonEntry, type CommonTables, type CommonUse, emptyScope, type Scope } from './scope.ts';

export interface With {
  readonly common: CommonTables | undefined;
  /** `name AS (...)`, each after those that it names; to be asked for last. */
  readonly definitions: () => readonly Template[];
}

export function commonTables(
  tables: readonly CommonTable[],
  scope: Scope | undefined,
  emitter: Emitter,
): With {
  const parent = scope?.common;
  if (tables.length === 0) return { common: parent, definitions: () => [] };
  const order: (() => readonly Template[])[] = [];
  const entries = new Map<CommonTable, CommonEntry>();
  const common: CommonTables = { parent, entries };
  const around = emptyScope(scope, common, unknownBlock('a common table'));
  for (const table of tables) entries.set(table, entry(table, around, order, emitter));
  return { common, definitions: () => order.flatMap((definition) => definition()) };
}

type Definitions = (() => readonly Template[])[];

function entry(table: CommonTable, around: Scope, order: Definitions, emitter: Emitter): CommonEntry {
  let made: CommonUse | undefined;
  return {
    use: (block, called, alone) => {
      made ??= plain(table, around, madeBlock(block, [called, table.key], alone), order, emitter);
      return made;
    },
  };
}

function plain(
  table: CommonTable,
  around: Scope,
  block: Block,
  order: Definitions,
  emitter: Emitter,
): CommonUse {
  const query = emitter.query(table.select, around, block);
  const name = emitter.alias('w');
  let ordered = false;
  order.push(() => {
    const numbered = ordered && !emitter.engine.keepsOrder;
    const columns = columnList(query.columns.length) + (numbered ? ', o' : '');
    return [sql`${name}(${columns}) AS (${query.render(numbered ? 'numbered' : ordered ? 'rows' : 'any')})`];
  });
  return commonUse(name, query.columns, query.single, () => {
    ordered = true;
  });
}

function commonUse(
  name: string,
  columns: readonly QueryColumn[],
  single: boolean,
  orderMatters: () => void,
): CommonUse {
  return {
    sql: [identifier(name)],
    columns: (of, alias) => derivedColumns(of, columns, alias),
    single,
    orderMatters,
  };
}

function columnList(width: number): string {
  return Array.from({ length: width }, (_, i) => `c${i}`).join(', ');
}
