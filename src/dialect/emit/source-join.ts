// Joins: their conditions, and which columns they make nullable (lang_select.html section 2.1).
import { GatewayError } from '../../base/errors.ts';
import { compare } from '../operators/compare.ts';
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import type { Column, Join } from '../resolve/tree.ts';
import { hasSelect } from '../resolve/walk.ts';
import { join, sql, type Value } from '../value.ts';
import { columnAmong, type Relation } from './scope.ts';
import type { Builder, Item } from './source-item.ts';
import { conjunction } from './templates.ts';

export function joined(source: Join, builder: Builder, movable: boolean): Item {
  const { emitter, conditions } = builder;
  const kind = source.join;
  const left = builder.build(source.left, builder, movable && kind !== 'right' && kind !== 'full');
  const right = builder.build(source.right, builder, movable && kind !== 'left' && kind !== 'full');
  const relations = [...left.relations, ...right.relations];
  const [first] = right.relations;
  const pairs = source.pairs.map(
    (pair) => [firstOf(pair.left, relations), read(pair.right, relations)] as const,
  );
  if (kind === 'left' || kind === 'full') right.relations.forEach(makeNullable);
  if (kind === 'right' || kind === 'full') left.relations.forEach(makeNullable);

  let on: Template | undefined;
  /** Conditions with subqueries on the right table alone: the engine takes none in ON of an outer join. */
  let filter: Template | undefined;
  return {
    relations,
    writeConditions: (scope) => {
      left.writeConditions(scope);
      right.writeConditions(scope);
      const equal = pairs.map(([a, b]) => compare('=', a, b, emitter).sql);
      if (source.on.length === 0) {
        on = conjunction(equal);
        return;
      }
      const parts = source.on.map((part) => ({
        ...part,
        condition: truth(emitter.expression(part.expression, scope), emitter),
        select: hasSelect(part.expression),
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

function makeNullable(relation: Relation): void {
  relation.columns = relation.columns.map((column) => ({ ...column, value: nullable(column.value) }));
  if (relation.rowid !== undefined)
    relation.rowid = { ...relation.rowid, value: nullable(relation.rowid.value) };
}

function nullable<T extends Value>(value: T): T {
  return value.notNull ? { ...value, notNull: false } : value;
}

function read(column: Column, relations: readonly Relation[]): Value {
  const found = columnAmong(relations, column);
  if (found === undefined) throw new Error('a join merges a column that is not of it');
  return found.value;
}

/** Of columns that joins further left have merged, whichever is not NULL. */
function firstOf(columns: readonly Column[], relations: readonly Relation[]): Value {
  const [first, ...rest] = columns.map((column) => read(column, relations));
  if (rest.length === 0) return first as Value;
  const merged = join(
    [first, ...rest].map((value) => (value as Value).sql),
    ', ',
  );
  return { ...(first as Value), sql: sql`coalesce(${merged})`, simple: false, notNull: false };
}
