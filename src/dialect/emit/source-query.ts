// Sources whose rows are made: subqueries, common tables, table functions. Where their order matters, rows are
// numbered in it.
import type { Name, Source } from '../ast.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import { madeBlock, unknownBlock } from '../row-plan.ts';
import { sql } from '../value.ts';
import type { Emitter, Query } from './emitter.ts';
import { nameKey } from './name.ts';
import type { OrderKey } from './order-key.ts';
import { derivedColumns } from './query-column.ts';
import type { CommonTables, CommonUse, Relation, Scope } from './scope.ts';
import type { Builder, Item } from './source-item.ts';
import { hasAggregate } from './tree.ts';

export function subquery(
  select: Extract<Source, { type: 'select' }>['select'],
  alias: Name | undefined,
  { emitter, parent, common, orderless, block, alone }: Builder,
): Item {
  const around = outer(parent, common);
  const inner = madeBlock(block, alias === undefined ? [] : [nameKey(alias.text)], alone);
  let query = emitter.query(select, around, inner);
  // Compiled as it is first: what is wrong in its ORDER BY is wrong all the same.
  const last = select.rest.at(-1)?.core ?? select.first;
  const groups =
    last.type === 'select' && (last.groupBy.length > 0 || hasAggregate([last.columns, last.having]));
  if (orderless && !groups && select.orderBy.length > 0 && select.limit === undefined)
    query = emitter.query({ ...select, orderBy: [] }, around, inner);
  return derived(query, alias === undefined ? undefined : nameKey(alias.text), emitter);
}

/** A scope without columns of its own: subqueries in FROM see what surrounds the SELECT, and its WITH. */
function outer(parent: Scope | undefined, common: CommonTables | undefined): Scope {
  return {
    relations: [],
    aliases: [],
    group: undefined,
    windows: undefined,
    uses: undefined,
    order: () => [],
    block: unknownBlock('a subquery'),
    parent,
    common,
  };
}

function derived(query: Query, key: string | undefined, emitter: Emitter): Item {
  const alias = emitter.alias('t');
  let numbered = false;
  const relation: Relation = {
    alias,
    key,
    columns: derivedColumns(query.columns, alias, emitter),
    rowid: undefined,
    merged: new Set(),
    coalesced: new Map(),
    join: 'inner',
    stored: false,
    order: () => {
      if (query.single) return [];
      numbered = true;
      return [placeKey(alias)];
    },
    unique: [],
    single: query.single,
  };
  return {
    relations: [relation],
    resolve: () => {},
    render: (want) => {
      if (!emitter.engine.keepsOrder)
        return sql`(${query.render(numbered ? 'numbered' : 'any')}) AS ${alias}`;
      const inner = query.render(numbered || want !== 'any' ? 'rows' : 'any');
      return numbered ? numberedRows(sql`(${inner})`, alias) : sql`(${inner}) AS ${alias}`;
    },
  };
}

/** Their place in their own order, which nothing else names. */
const placeKey = (alias: string): OrderKey => ({
  by: [`${alias}.o`],
  column: undefined,
  direction: undefined,
});

/** Rows with their place in order, for those who must keep it. */
function numberedRows(source: Template, alias: string): Template {
  return sql`(SELECT *, row_number() OVER () AS o FROM ${source} AS ${alias}n) AS ${alias}`;
}

export function commonTable(use: CommonUse, key: string, emitter: Emitter): Item {
  const alias = emitter.alias('t');
  let numbered = false;
  const relation: Relation = {
    alias,
    key,
    columns: use.columns(alias),
    rowid: undefined,
    merged: new Set(),
    coalesced: new Map(),
    join: 'inner',
    stored: false,
    order: () => {
      if (use.single) return [];
      numbered = true;
      use.orderMatters();
      return [placeKey(alias)];
    },
    unique: [],
    single: use.single,
  };
  return {
    relations: [relation],
    resolve: () => {},
    render: (want) => {
      if (want !== 'any') use.orderMatters();
      return numbered && emitter.engine.keepsOrder
        ? numberedRows(use.sql, alias)
        : sql`${use.sql} AS ${alias}`;
    },
  };
}

/** json_each and its like. */
export function functionCall({ name }: Extract<Source, { type: 'function' }>): Item {
  throw new NotNative(`table function ${nameKey(name.text)}`);
}
