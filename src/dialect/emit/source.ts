// FROM: tables, subqueries, common tables, table functions and their joins (lang_select.html section 2).
// Gives the relations at once and the SQL at the end, when it is known whether the order of rows matters.
import { GatewayError } from '../../errors.ts';
import type { Expression, Name, Source } from '../ast.ts';
import { tableFunction } from '../functions/table.ts';
import { compare } from '../operators/compare.ts';
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import type { SchemaTable } from '../schema.ts';
import { identifier, sql, type Value } from '../value.ts';
import type { Emitter, Query, Want } from './emitter.ts';
import type { Condition } from './loop-terms.ts';
import { conjunction, nameKey } from './name.ts';
import { derivedColumns } from './query-column.ts';
import type { CommonTables, CommonUse, Relation, RelationColumn, Scope } from './scope.ts';
import { conjuncts, hasSelect } from './tree.ts';

export interface From {
  readonly relations: readonly Relation[];
  /** Resolves ON, USING and arguments: called once, with the scope that has all the relations. */
  readonly resolve: (scope: Scope) => void;
  /** Conditions of inner joins that had to move into WHERE. */
  readonly conditions: readonly Template[];
  /** ON and USING, for the order of the loops. */
  readonly on: readonly Condition[];
  /** ` FROM ...`; called last. */
  readonly render: (want: Want) => Template;
}

interface Item {
  readonly relations: readonly Relation[];
  readonly resolve: (scope: Scope) => void;
  readonly render: (want: Want) => Template;
}

interface Builder {
  readonly emitter: Emitter;
  /** What surrounds the SELECT: subqueries in FROM see that, not their neighbours. */
  readonly parent: Scope | undefined;
  readonly common: CommonTables | undefined;
  readonly conditions: Template[];
  readonly on: Condition[];
}

export function from(
  source: Source | undefined,
  parent: Scope | undefined,
  common: CommonTables | undefined,
  emitter: Emitter,
): From {
  if (source === undefined)
    return { relations: [], resolve: () => {}, conditions: [], on: [], render: () => [] };
  const conditions: Template[] = [];
  const on: Condition[] = [];
  const item = build(source, { emitter, parent, common, conditions, on }, true);
  return {
    relations: item.relations,
    resolve: item.resolve,
    conditions,
    on,
    render: (want) => sql` FROM ${item.render(want)}`,
  };
}

/** @param movable conditions of inner joins here may stand in WHERE: no outer join is around them */
function build(source: Source, builder: Builder, movable: boolean): Item {
  switch (source.type) {
    case 'table':
      return table(source.name, source.alias, builder);
    case 'select':
      return subquery(source.select, source.alias, builder);
    case 'function':
      return functionCall(source, builder);
    case 'group': {
      const item = build(source.source, builder, movable);
      return { ...item, render: (want) => sql`(${item.render(want)})` };
    }
    case 'join':
      return joined(source, builder, movable);
  }
}

function table(name: Name, alias: Name | undefined, { emitter, common }: Builder): Item {
  const key = nameKey(name.text);
  const aliasKey = alias === undefined ? key : nameKey(alias.text);
  for (let at = common; at !== undefined; at = at.parent) {
    const entry = at.entries.get(key);
    if (entry !== undefined) return commonTable(entry.use(), aliasKey, emitter);
  }
  const schemaTable = emitter.schema.tables.get(key);
  if (schemaTable === undefined) throw new GatewayError('unknown-table', `no such table: ${name.text}`);
  emitter.tables.add(key);
  const relation = tableRelation(schemaTable, emitter.alias('t'), aliasKey);
  return {
    relations: [relation],
    resolve: () => {},
    render: () => [`${identifier(schemaTable.name)} AS ${relation.alias}`],
  };
}

function tableRelation(schemaTable: SchemaTable, alias: string, key: string): Relation {
  const columnValue = (name: string): string => `${alias}.${identifier(name)}`;
  const columns = schemaTable.columns.map(
    ({ name, kind, affinity, notNull, collation }): RelationColumn => ({
      name: [name],
      key: nameKey(name),
      value: {
        sql: [columnValue(name)],
        kind,
        affinity,
        collation: { name: collation, explicit: false },
        simple: true,
        notNull,
      },
    }),
  );
  const { rowid } = schemaTable;
  const declared = columns.find((_, i) => schemaTable.columns[i]?.name === rowid);
  const rowidColumn: RelationColumn | undefined =
    rowid === undefined
      ? undefined
      : {
          // The rowid is named as the INTEGER PRIMARY KEY where there is one (see names.ts).
          name: declared?.name ?? ['rowid'],
          key: undefined,
          value: {
            sql: [columnValue(rowid)],
            kind: 'integer',
            affinity: 'integer',
            collation: undefined,
            simple: true,
            notNull: true,
          },
        };
  const order = rowid === undefined ? undefined : [columnValue(rowid)];
  return {
    alias,
    key,
    columns,
    rowid: rowidColumn,
    merged: new Set(),
    join: 'inner',
    order: () => (order === undefined ? [] : [order]),
    unique: [
      ...(order === undefined ? [] : [order]),
      ...schemaTable.unique.map((set) => set.map((name) => columnValue(name))),
    ],
    single: false,
    ...indexesOf(schemaTable, columnValue),
    used: new Set(),
  };
}

/** SQLite's estimate of bytes a row: 4 for a number, 20 for anything else (build.c, estimateTableWidth). */
function indexesOf(
  { columns, rowid, unique }: SchemaTable,
  sqlOf: (name: string) => string,
): Pick<Relation, 'indexes' | 'width'> {
  const width = (name: string): number => {
    const kind = columns.find((column) => column.name === name)?.kind;
    return kind === 'text' || kind === 'blob' ? 5 : 1;
  };
  const sum = (names: readonly string[]): number => names.reduce((total, name) => total + width(name), 1);
  const names = columns.map((column) => column.name);
  const hidden = rowid === undefined || !names.includes(rowid);
  return {
    indexes: unique
      .filter((set) => set.length !== 1 || set[0] !== rowid)
      .map((set) => ({ columns: set.map(sqlOf), width: sum(set) })),
    width: sum(names) - (hidden ? 0 : 1),
  };
}

function subquery(
  select: Extract<Source, { type: 'select' }>['select'],
  alias: Name | undefined,
  { emitter, parent, common }: Builder,
): Item {
  const query = emitter.query(select, outer(parent, common));
  return derived(query, alias === undefined ? undefined : nameKey(alias.text), emitter);
}

/** A scope without columns of its own: subqueries in FROM see what surrounds the SELECT, and its WITH. */
function outer(parent: Scope | undefined, common: CommonTables | undefined): Scope | undefined {
  if (parent === undefined && common === undefined) return undefined;
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
    order: (always) => {
      if (query.single && !always) return [];
      numbered = true;
      return [[`${alias}.o`]];
    },
    unique: [],
    single: query.single,
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

function commonTable(use: CommonUse, key: string, emitter: Emitter): Item {
  const alias = emitter.alias('t');
  let numbered = false;
  const relation: Relation = {
    alias,
    key,
    columns: use.columns(alias),
    rowid: undefined,
    merged: new Set(),
    join: 'inner',
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

function functionCall(
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
    columns: made.columns.map((column) => ({
      name: [column.name],
      key: column.name,
      value: {
        sql: [`${sqlAlias}.${identifier(column.name)}`],
        kind: column.kind,
        affinity: column.affinity,
        collation: undefined,
        simple: true,
        notNull: false,
      },
    })),
    rowid: undefined,
    merged: new Set(),
    join: 'inner',
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
      body = made.emit(
        args.map((arg) => emitter.expression(arg, scope)),
        emitter,
      );
    },
    render: () => sql`${args.length === 0 ? '' : 'LATERAL '}(${body}) AS ${sqlAlias}`,
  };
}

function joined(source: Extract<Source, { type: 'join' }>, builder: Builder, movable: boolean): Item {
  const { emitter, conditions } = builder;
  const kind = source.join === 'cross' ? 'inner' : source.join;
  const left = build(source.left, builder, movable && kind !== 'right' && kind !== 'full');
  const right = build(source.right, builder, movable && kind !== 'left' && kind !== 'full');
  const relations = [...left.relations, ...right.relations];
  const using = source.natural
    ? commonColumns(left.relations, right.relations)
    : source.using.map((name) => nameKey(name.text));
  const [first] = right.relations;
  if (first !== undefined) {
    first.join = kind;
    if (using.length > 0) first.merged = new Set(using);
  }
  if (source.on !== undefined)
    builder.on.push({ expression: source.on, only: kind === 'inner' ? undefined : first });
  const pairs = using.map((key) => usingPair(key, left.relations, right.relations, kind));
  for (const pair of pairs) builder.on.push({ pair, only: kind === 'inner' ? undefined : first });
  if (kind === 'left' || kind === 'full') right.relations.forEach(makeNullable);
  if (kind === 'right' || kind === 'full') left.relations.forEach(makeNullable);

  let on: Template | undefined;
  /** Conditions with subqueries on the right table alone: the engine takes none in ON of an outer join. */
  let filter: Template | undefined;
  return {
    relations,
    resolve: (scope) => {
      left.resolve(scope);
      right.resolve(scope);
      const equal = pairs.map(([a, b]) => compare('=', a, b, emitter).sql);
      if (source.on === undefined) {
        on = conjunction(equal);
        return;
      }
      const parts = conjuncts(source.on).map((part) => ({
        ...onCondition(part, relations, left.relations, scope, emitter),
        select: hasSelect(part),
      }));
      const outside = parts.some((part) => part.outside);
      const select = parts.some((part) => part.select);
      if (kind === 'inner' && movable && (outside || select))
        conditions.push(...parts.map((part) => part.condition));
      else if (outside)
        throw new GatewayError('statement-syntax', 'ON clause references tables to its right');
      else {
        const inside = kind === 'left' && right.relations.length === 1;
        const [filters, rest] = split(parts, (part) => inside && part.select && !part.left);
        filter = conjunction(filters.map((part) => part.condition));
        on = conjunction(rest.map((part) => part.condition));
      }
    },
    render: (want) => {
      const l = left.render(want);
      const r = filtered(right.render(want), first, filter);
      if (kind === 'inner' && on === undefined) return sql`${l} CROSS JOIN ${r}`;
      const word = kind === 'inner' ? 'JOIN' : `${kind.toUpperCase()} JOIN`;
      return sql`${l} ${word} ${r} ON ${on ?? ['TRUE']}`;
    },
  };
}

function filtered(source: Template, relation: Relation | undefined, filter: Template | undefined): Template {
  if (filter === undefined || relation === undefined) return source;
  return sql`(SELECT * FROM ${source} WHERE ${filter}) AS ${relation.alias}`;
}

function split<T>(items: readonly T[], test: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** ON sees all tables of the FROM clause; where it uses one further right, it is a WHERE (inner joins). */
function onCondition(
  on: Expression,
  own: readonly Relation[],
  leftSide: readonly Relation[],
  scope: Scope,
  emitter: Emitter,
): { readonly condition: Template; readonly outside: boolean; readonly left: boolean } {
  let outside = false;
  let left = false;
  const watched: Scope = {
    ...scope,
    uses: (relation) => {
      if (!own.includes(relation)) outside = true;
      if (leftSide.includes(relation)) left = true;
    },
  };
  return { condition: truth(emitter.expression(on, watched)), outside, left };
}

function makeNullable(relation: Relation): void {
  relation.columns = relation.columns.map((column) => ({ ...column, value: nullable(column.value) }));
  if (relation.rowid !== undefined)
    relation.rowid = { ...relation.rowid, value: nullable(relation.rowid.value) };
}

function nullable(value: Value): Value {
  return value.notNull ? { ...value, notNull: false } : value;
}

/** NATURAL: the columns that both sides have, in the order of the right side's first table. */
function commonColumns(left: readonly Relation[], right: readonly Relation[]): readonly string[] {
  const known = new Set(left.flatMap((relation) => relation.columns.map((column) => column.key)));
  const keys = right.flatMap((relation) => relation.columns.map((column) => column.key));
  return [...new Set(keys)].filter((key): key is string => key !== undefined && known.has(key));
}

function usingPair(
  key: string,
  left: readonly Relation[],
  right: readonly Relation[],
  kind: Relation['join'],
): readonly [Value, Value] {
  const find = (relations: readonly Relation[]): readonly Value[] =>
    relations.flatMap((relation) => {
      const column = relation.columns.find((candidate) => candidate.key === key);
      return column === undefined ? [] : [column.value];
    });
  const [b] = find(right);
  const candidates = find(left);
  const [a] = candidates;
  if (a === undefined || b === undefined)
    throw new GatewayError(
      'unknown-column',
      `cannot join using column ${key} - column not present in both tables`,
    );
  // After a FULL or RIGHT JOIN the column further left may be NULL where its twin is not (section 2.1).
  const outer = left.some((relation) => relation.join === 'full' || relation.join === 'right');
  if (candidates.length > 1 && outer) {
    const parts = candidates.map((value) => value.sql);
    const merged = parts.flatMap((part, i) => (i === 0 ? part : [', ', ...part]));
    return [{ ...a, sql: sql`coalesce(${merged})`, simple: false, notNull: false }, b];
  }
  void kind;
  return [a, b];
}
