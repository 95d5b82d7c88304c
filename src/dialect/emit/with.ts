// WITH: common tables, recursive ones too (lang_with.html). A table is compiled at its first use, so that
// those of one WITH may name each other in any order, and written once.
import { GatewayError } from '../../errors.ts';
import type { CommonTable, Select, SelectCore } from '../ast.ts';
import { ENGINE_TYPE } from '../operators/computed.ts';
import { unify } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { identifier, join, sql, type Value } from '../value.ts';
import type { Emitter, Query, QueryColumn } from './emitter.ts';
import { limitClause } from './limit.ts';
import { nameKey } from './name.ts';
import { columnValue, derivedColumns, isPlainKey } from './query-column.ts';
import type { CommonEntry, CommonTables, CommonUse, Scope } from './scope.ts';

export interface With {
  readonly common: CommonTables | undefined;
  /** `name AS (...)`, each after those that it names; to be asked for last. */
  readonly definitions: () => readonly Template[];
}

/** How select.ts compiles a SELECT without its WITH, and one term of it. */
export interface Parts {
  readonly body: (select: Select, around: Scope, emitter: Emitter) => Query;
  readonly term: (core: SelectCore, around: Scope, emitter: Emitter) => Query;
}

export function commonTables(
  clause: Select['with'],
  scope: Scope | undefined,
  emitter: Emitter,
  parts: Parts,
): With {
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
    parent: scope,
    common,
  };
  for (const table of clause.tables) {
    const key = nameKey(table.name.text);
    if (entries.has(key))
      throw new GatewayError('statement-syntax', `duplicate WITH table name: ${table.name.text}`);
    entries.set(key, entry(table, around, order, emitter, parts));
  }
  return { common, definitions: () => order.flatMap((definition) => definition()) };
}

type Definitions = (() => readonly Template[])[];

function entry(
  table: CommonTable,
  around: Scope,
  order: Definitions,
  emitter: Emitter,
  parts: Parts,
): CommonEntry {
  let made: CommonUse | undefined;
  let started = false;
  const make = (): CommonUse =>
    isRecursive(table)
      ? recursive(table, around, order, emitter, parts, (self) => {
          made = self;
        })
      : plain(table, around, order, emitter);
  return {
    use: () => {
      if (made !== undefined) return made;
      if (started) throw new GatewayError('statement-syntax', `circular reference: ${table.name.text}`);
      started = true;
      made = make();
      return made;
    },
  };
}

function plain(table: CommonTable, around: Scope, order: Definitions, emitter: Emitter): CommonUse {
  const query = emitter.query(table.select, around);
  const name = emitter.alias('w');
  let ordered = false;
  order.push(() => [
    sql`${name}(${columnList(query.columns.length)}) AS (${query.render(ordered ? 'rows' : 'any')})`,
  ]);
  return commonUse(name, named(table, query.columns), query.single, emitter, () => {
    ordered = true;
  });
}

/** Rows of the last step go through the recursive SELECT until there are none (lang_with.html section 3). */
function recursive(
  table: CommonTable,
  around: Scope,
  order: Definitions,
  emitter: Emitter,
  parts: Parts,
  define: (self: CommonUse) => void,
): CommonUse {
  const { select } = table;
  if (select.orderBy.length > 0)
    throw new GatewayError('unsupported', 'ORDER BY in a recursive common table is not supported here.');
  if (select.with !== undefined)
    throw new GatewayError('unsupported', 'WITH inside a recursive common table is not supported here.');
  const split = select.rest.findIndex(({ core }) => names(core, nameKey(table.name.text)));
  const steps = select.rest.slice(split);
  const [{ operator }] = steps as [(typeof steps)[number]];
  if (steps.some((step) => step.operator !== operator) || !operator.startsWith('union'))
    throw new GatewayError('unsupported', 'A recursive common table needs UNION ALL or UNION throughout.');
  const start = parts.body(
    { ...select, rest: select.rest.slice(0, split), limit: undefined, offset: undefined },
    around,
    emitter,
  );
  const name = emitter.alias('w');
  const limit = limitClause(select, around, emitter);
  let columns = named(table, start.columns).map((column) => ({ ...column, notNull: false }));
  // The kinds of the columns must hold for every step: integer + real is `any`, and then the step is too.
  for (let tries = 0; tries < 4; tries++) {
    const self = commonUse(name, columns, false, emitter, () => {});
    define(self);
    const queries = steps.map(({ core }) => parts.term(core, around, emitter));
    const all = [start, ...queries];
    checkWidths(table, all, columns.length);
    const values = columns.map((column, i) =>
      unify(
        [
          columnValue(column, 'x.c'),
          ...all.map((query) => columnValue(query.columns[i] as QueryColumn, `x.c${i}`)),
        ],
        emitter,
      ).slice(1),
    );
    const kinds = values.map(
      (column) => (column.find((value) => value.kind !== 'null')?.kind ?? 'null') as QueryColumn['kind'],
    );
    if (kinds.some((kind, i) => kind !== columns[i]?.kind)) {
      columns = columns.map((column, i) => ({ ...column, kind: kinds[i] as QueryColumn['kind'] }));
      continue;
    }
    if (operator === 'union' && !columns.every((column) => isPlainKey(columnValue(column, 'c'), emitter)))
      throw new GatewayError(
        'unsupported',
        'UNION of such columns in a recursive common table: use UNION ALL.',
      );
    const convert = (query: Query, i: number): Template =>
      sql`(SELECT ${join(
        values.map((column, j) => sql`${engineValue(column[i] as Value)} AS c${j}`),
        ', ',
      )} FROM (${query.render('any')}) AS x)`;
    order.push(() => {
      const [first, ...rest] = all.map(convert) as [Template, ...Template[]];
      const step =
        rest.length === 1 ? (rest[0] as Template) : sql`(${join(rest, ` ${operator.toUpperCase()} `)})`;
      return [
        sql`${name}(${columnList(columns.length)}) AS (${first} ${operator.toUpperCase()} ${step})`,
        ...(limit.length === 0 ? [] : [sql`${name}l AS (SELECT * FROM ${name}${limit})`]),
      ];
    });
    const use = commonUse(limit.length === 0 ? name : `${name}l`, columns, false, emitter, () => {});
    define(use);
    return use;
  }
  throw new GatewayError('unsupported', `The columns of ${table.name.text} change their type at every step.`);
}

function engineValue(value: Value): Template {
  return value.kind === 'null' ? [`CAST(NULL AS ${ENGINE_TYPE.null})`] : value.sql;
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

function checkWidths(table: CommonTable, queries: readonly Query[], width: number): void {
  if (queries.some((query) => query.columns.length !== width))
    throw new GatewayError(
      'statement-syntax',
      `SELECTs of ${table.name.text} do not have the same number of result columns`,
    );
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
