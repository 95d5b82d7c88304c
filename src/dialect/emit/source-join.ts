// Joins: ON, USING, NATURAL, and which columns they merge or make nullable (lang_select.html section 2.1).
import { GatewayError } from '../../base/errors.ts';
import type { Expression, Source } from '../ast.ts';
import { compare } from '../operators/compare.ts';
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { conjunction, nameKey } from './name.ts';
import type { Relation, Scope } from './scope.ts';
import type { Builder, Item } from './source-item.ts';
import { conjuncts, hasSelect } from './tree.ts';

export function joined(source: Extract<Source, { type: 'join' }>, builder: Builder, movable: boolean): Item {
  const { emitter, conditions } = builder;
  const kind = source.join === 'cross' ? 'inner' : source.join;
  const left = builder.build(source.left, builder, movable && kind !== 'right' && kind !== 'full');
  const right = builder.build(source.right, builder, movable && kind !== 'left' && kind !== 'full');
  const relations = [...left.relations, ...right.relations];
  const using = source.natural
    ? commonColumns(left.relations, right.relations)
    : source.using.map((name) => nameKey(name.text));
  const [first] = right.relations;
  if (first !== undefined) {
    first.join = kind;
    if (using.length > 0) first.merged = new Set(using);
  }
  const pairs = using.map((key) => usingPair(key, left.relations, right.relations));
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
  return { condition: truth(emitter.expression(on, watched), emitter), outside, left };
}

function makeNullable(relation: Relation): void {
  relation.columns = relation.columns.map((column) => ({ ...column, value: nullable(column.value) }));
  if (relation.rowid !== undefined)
    relation.rowid = { ...relation.rowid, value: nullable(relation.rowid.value) };
}

function nullable<T extends Value>(value: T): T {
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
  return [a, b];
}
