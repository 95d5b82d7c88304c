// Sources whose rows are made: subqueries and common tables. Where their order matters, rows are numbered in it.
import type { Template } from '../plan.ts';
import type { Relation as ResolvedRelation, Select } from '../resolve/tree.ts';
import { hasAggregate } from '../resolve/walk.ts';
import { madeBlock, unknownBlock } from '../row-plan.ts';
import { sql } from '../value.ts';
import type { Emitter, Query } from './emitter.ts';
import type { OrderKey } from './order-key.ts';
import { derivedColumns } from './query-column.ts';
import { type CommonUse, emptyScope, type Relation } from './scope.ts';
import type { Builder, Item } from './source-item.ts';

export function subquery(
  select: Select,
  of: ResolvedRelation,
  { emitter, parent, common, orderless, block, alone }: Builder,
): Item {
  // It sees what surrounds the SELECT, and its WITH.
  const around = emptyScope(parent, common, unknownBlock('a subquery'));
  const inner = madeBlock(block, of.key === undefined ? [] : [of.key], alone);
  let query = emitter.query(select, around, inner);
  // Compiled as it is first: what is wrong in its ORDER BY is wrong all the same.
  const last = select.rest.at(-1)?.core ?? select.first;
  const groups = last.type === 'select' && (last.isAggregate || hasAggregate(last.having));
  if (orderless && !groups && select.orderBy.length > 0 && select.limit === undefined)
    query = emitter.query({ ...select, orderBy: [] }, around, inner);
  return derived(query, of, emitter);
}

function derived(query: Query, of: ResolvedRelation, emitter: Emitter): Item {
  const alias = emitter.alias('t');
  let numbered = false;
  const relation = madeRelation(of, alias, derivedColumns(of, query.columns, alias), query.single, () => {
    numbered = true;
  });
  return {
    relations: [relation],
    writeConditions: () => {},
    render: (want) => {
      if (!emitter.engine.keepsOrder)
        return sql`(${query.render(numbered ? 'numbered' : 'any')}) AS ${alias}`;
      const inner = query.render(numbered || want !== 'any' ? 'rows' : 'any');
      return numbered ? numberedRows(sql`(${inner})`, alias) : sql`(${inner}) AS ${alias}`;
    },
  };
}

/** @param orderMatters called when it does */
function madeRelation(
  of: ResolvedRelation,
  alias: string,
  columns: Relation['columns'],
  single: boolean,
  orderMatters: () => void,
): Relation {
  return {
    of,
    alias,
    columns,
    rowid: undefined,
    merged: new Map(),
    stored: false,
    order: () => {
      if (single) return [];
      orderMatters();
      return [placeKey(alias)];
    },
    unique: [],
    single,
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

export function commonTable(use: CommonUse, of: ResolvedRelation, emitter: Emitter): Item {
  const alias = emitter.alias('t');
  let numbered = false;
  const relation = madeRelation(of, alias, use.columns(of, alias), use.single, () => {
    numbered = true;
    use.orderMatters();
  });
  return {
    relations: [relation],
    writeConditions: () => {},
    render: (want) => {
      if (want !== 'any') use.orderMatters();
      return numbered && emitter.engine.keepsOrder
        ? numberedRows(use.sql, alias)
        : sql`${use.sql} AS ${alias}`;
    },
  };
}
