// Sources whose rows are made: subqueries, common tables, table functions. Where their order matters, rows are
// numbered in it.
import { GatewayError } from '../../errors.ts';
import type { Name, Source } from '../ast.ts';
import { tableFunction } from '../functions/table.ts';
import type { Template } from '../plan.ts';
import { identifier, sql, type Value } from '../value.ts';
import type { Emitter, Query } from './emitter.ts';
import { nameKey } from './name.ts';
import { derivedColumns } from './query-column.ts';
import type { CommonTables, CommonUse, Relation, RelationColumn, Scope } from './scope.ts';
import type { Builder, Item } from './source-item.ts';
import { hasAggregate } from './tree.ts';

export function subquery(
  select: Extract<Source, { type: 'select' }>['select'],
  alias: Name | undefined,
  { emitter, parent, common, orderless }: Builder,
): Item {
  const around = outer(parent, common);
  let query = emitter.query(select, around);
  // Compiled as it is first: what is wrong in its ORDER BY is wrong all the same.
  const last = select.rest.at(-1)?.core ?? select.first;
  const groups =
    last.type === 'select' && (last.groupBy.length > 0 || hasAggregate([last.columns, last.having]));
  if (orderless && !groups && select.orderBy.length > 0 && select.limit === undefined)
    query = emitter.query({ ...select, orderBy: [] }, around);
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
    join: 'inner',
    barrier: false,
    order: (always) => {
      if (query.single && !always) return [];
      numbered = true;
      return [[`${alias}.o`]];
    },
    unique: [],
    single: query.single,
    estimate: query.estimate,
    indexes: [],
    width: 1,
    used: new Set(),
  };
  return {
    relations: [relation],
    resolve: () => {},
    render: (want) => {
      const inner = query.render(numbered || want !== 'any' ? 'rows' : 'any');
      return numbered ? numberedRows(sql`(${inner})`, alias) : sql`(${inner}) AS ${alias}`;
    },
  };
}

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
    join: 'inner',
    barrier: false,
    order: (always) => {
      if (use.single && !always) return [];
      numbered = true;
      use.orderMatters();
      return [[`${alias}.o`]];
    },
    unique: [],
    single: use.single,
    indexes: [],
    width: 1,
    used: new Set(),
  };
  return {
    relations: [relation],
    resolve: () => {},
    render: (want) => {
      if (want !== 'any') use.orderMatters();
      return numbered ? numberedRows(use.sql, alias) : sql`${use.sql} AS ${alias}`;
    },
  };
}

export function functionCall(
  { name, args, alias }: Extract<Source, { type: 'function' }>,
  { emitter }: Builder,
): Item {
  const key = nameKey(name.text);
  const made = tableFunction(key);
  if (made === undefined) throw new GatewayError('unknown-table', `no such table: ${name.text}`);
  const sqlAlias = emitter.alias('t');
  const relation: Relation = {
    alias: sqlAlias,
    key: alias === undefined ? key : nameKey(alias.text),
    columns: made.columns.map((column): RelationColumn => {
      const sqlName: Template = [`${sqlAlias}.${identifier(column.name)}`];
      const json: Pick<Value, 'json' | 'asJson'> =
        column.json === undefined
          ? {}
          : { json: 'maybe', asJson: { of: sqlName, sql: [`${sqlAlias}.${identifier(column.json)}`] } };
      const { kind, affinity } = column;
      const value = { sql: sqlName, kind, affinity, collation: undefined, simple: true, notNull: false };
      return { name: [column.name], key: column.name, value: { ...value, ...json } };
    }),
    rowid: undefined,
    merged: new Set(),
    join: 'inner',
    barrier: false,
    order: () => [[`${sqlAlias}.${identifier(made.order)}`]],
    unique: [],
    single: false,
    indexes: [],
    width: 1,
    used: new Set(),
  };
  let body: Template = [];
  return {
    relations: [relation],
    // Its arguments may use the columns of any table beside it.
    resolve: (scope) => {
      body = made.emit(args.map((arg) => emitter.expression(arg, scope)));
    },
    render: () => sql`${args.length === 0 ? '' : 'LATERAL '}(${body}) AS ${sqlAlias}`,
  };
}
