// WITH: common tables, recursive ones too (lang_with.html). A table is compiled at its first use, so that
// those of one WITH may name each other in any order, and written once.
import { GatewayError } from '../../base/errors.ts';
import type { CommonTable, Select } from '../ast.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { type Block, madeBlock, unknownBlock } from '../row-plan.ts';
import { identifier, sql } from '../value.ts';
import type { Emitter, QueryColumn } from './emitter.ts';
import { nameKey } from './name.ts';
import { derivedColumns } from './query-column.ts';
import type { CommonEntry, CommonTables, CommonUse, Scope } from './scope.ts';

export interface With {
  readonly common: CommonTables | undefined;
  /** `name AS (...)`, each after those that it names; to be asked for last. */
  readonly definitions: () => readonly Template[];
}

export function commonTables(clause: Select['with'], scope: Scope | undefined, emitter: Emitter): With {
  const parent = scope?.common;
  if (clause === undefined) return { common: parent, definitions: () => [] };
  const order: (() => Template[])[] = [];
  const entries = new Map<string, CommonEntry>();
  const common: CommonTables = { parent, entries };
  const around: Scope = {
    relations: [],
    aliases: [],
    group: undefined,
    windows: undefined,
    uses: undefined,
    order: () => [],
    block: unknownBlock('a common table'),
    parent: scope,
    common,
  };
  for (const table of clause.tables) {
    const key = nameKey(table.name.text);
    if (entries.has(key))
      throw new GatewayError('statement-syntax', `duplicate WITH table name: ${table.name.text}`);
    entries.set(key, entry(table, around, order, emitter));
  }
  return { common, definitions: () => order.flatMap((definition) => definition()) };
}

type Definitions = (() => readonly Template[])[];

function entry(table: CommonTable, around: Scope, order: Definitions, emitter: Emitter): CommonEntry {
  let made: CommonUse | undefined;
  let started = false;
  return {
    use: (block, called, alone) => {
      if (made !== undefined) return made;
      if (started) throw new GatewayError('statement-syntax', `circular reference: ${table.name.text}`);
      started = true;
      if (isRecursive(table)) throw new NotNative('WITH RECURSIVE');
      const inner = madeBlock(block, [called, nameKey(table.name.text)], alone);
      made = plain(table, around, inner, order, emitter);
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
  return commonUse(name, named(table, query.columns), query.single, emitter, () => {
    ordered = true;
  });
}

function commonUse(
  name: string,
  columns: readonly QueryColumn[],
  single: boolean,
  emitter: Emitter,
  orderMatters: () => void,
): CommonUse {
  return {
    sql: [identifier(name)],
    columns: (alias) => derivedColumns(columns, alias, emitter),
    single,
    orderMatters,
  };
}

function named(table: CommonTable, columns: readonly QueryColumn[]): readonly QueryColumn[] {
  if (table.columns.length === 0) return columns;
  if (table.columns.length !== columns.length)
    throw new GatewayError(
      'statement-syntax',
      `table ${table.name.text} has ${columns.length} values for ${table.columns.length} columns`,
    );
  return columns.map((column, i) => ({
    ...column,
    name: [table.columns[i]?.text ?? ''],
    innerName: undefined,
  }));
}

function columnList(width: number): string {
  return Array.from({ length: width }, (_, i) => `c${i}`).join(', ');
}

function isRecursive({ name, select }: CommonTable): boolean {
  const key = nameKey(name.text);
  return select.rest.some(({ core }) => names(core, key));
}

/** Whether a FROM clause in it names the table. */
function names(node: unknown, key: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (Array.isArray(node)) return node.some((item) => names(item, key));
  const source = node as { readonly type?: string; readonly name?: { readonly text: string } };
  if (source.type === 'table' && source.name !== undefined && nameKey(source.name.text) === key) return true;
  return Object.values(node).some((child) => names(child, key));
}
