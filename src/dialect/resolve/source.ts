// FROM: what its tables, subqueries and common tables offer, and what its joins merge (lang_select.html section 2). ON
// sees all of them, so it is resolved when they are all known.
import { GatewayError } from '../../base/errors.ts';
import type * as ast from '../ast.ts';
import { NotNative } from '../not-native.ts';
import type { SchemaTable } from '../schema.ts';
import { nameKey } from './name.ts';
import { makeRelation, type Resolver } from './resolver.ts';
import { emptyScope, type Scope } from './scope.ts';
import type { Column, Condition, Join, Relation, Source } from './tree.ts';
import { conjuncts } from './walk.ts';

interface From {
  readonly relations: readonly Relation[];
  /** Called once, with the scope that has all the relations. */
  readonly resolve: (scope: Scope) => Source;
}

/** @param around what surrounds the SELECT: subqueries in FROM see that, not their neighbours */
export function from(source: ast.Source, around: Scope, resolver: Resolver): From {
  switch (source.type) {
    case 'table':
      return table(source, around, resolver);
    case 'select': {
      const select = resolver.select(source.select, emptyScope(around.parent, around.common));
      const key = source.alias === undefined ? undefined : nameKey(source.alias.text);
      const relation = resolver.relation(select.columns, key);
      return { relations: [relation], resolve: () => ({ type: 'select', select, relation }) };
    }
    case 'function':
      // json_each and its like.
      throw new NotNative(`table function ${nameKey(source.name.text)}`);
    case 'group': {
      const inner = from(source.source, around, resolver);
      return { ...inner, resolve: (scope) => ({ type: 'group', source: inner.resolve(scope) }) };
    }
    case 'join':
      return join(source, around, resolver);
  }
}

function table(
  { name, alias }: Extract<ast.Source, { readonly type: 'table' }>,
  { common }: Scope,
  resolver: Resolver,
): From {
  const key = nameKey(name.text);
  const called = alias === undefined ? key : nameKey(alias.text);
  for (let at = common; at !== undefined; at = at.parent) {
    const entry = at.entries.get(key)?.();
    if (entry === undefined) continue;
    const relation = resolver.relation(entry.select.columns, called);
    return { relations: [relation], resolve: () => ({ type: 'common', table: entry, relation }) };
  }
  const found = resolver.schema.tables.get(key);
  if (found === undefined) throw new GatewayError('unknown-table', `no such table: ${name.text}`);
  const relation = tableRelation(found, called);
  return { relations: [relation], resolve: () => ({ type: 'table', table: found, relation }) };
}

function tableRelation({ columns, rowid }: SchemaTable, key: string): Relation {
  return makeRelation(key, (owner) => {
    const own = columns.map(
      (column): Column => ({
        name: [column.name],
        key: nameKey(column.name),
        owner,
        origin: { type: 'stored', column },
      }),
    );
    // The rowid is named as the INTEGER PRIMARY KEY where there is one (see names.ts).
    const declared = own[columns.findIndex(({ name }) => name === rowid)];
    const rowidColumn: Column = {
      name: declared?.name ?? ['rowid'],
      key: undefined,
      owner,
      origin: { type: 'rowid' },
    };
    return { columns: own, rowid: rowid === undefined ? undefined : rowidColumn };
  });
}

function join(
  source: Extract<ast.Source, { readonly type: 'join' }>,
  around: Scope,
  resolver: Resolver,
): From {
  const kind = source.join === 'cross' ? 'inner' : source.join;
  const left = from(source.left, around, resolver);
  const right = from(source.right, around, resolver);
  const relations = [...left.relations, ...right.relations];
  const using = source.natural
    ? commonKeys(left.relations, right.relations)
    : source.using.map((name) => nameKey(name.text));
  const [first] = right.relations;
  if (first !== undefined) {
    first.join = kind;
    if (using.length > 0) first.merged = new Set(using);
  }
  const pairs = using.map((key) => usingPair(key, left.relations, right.relations));
  return {
    relations,
    resolve: (scope): Join => {
      const sides = { left: left.resolve(scope), right: right.resolve(scope) };
      const parts = source.on === undefined ? [] : conjuncts(source.on);
      const on = parts.map((part) => condition(part, relations, left.relations, scope, resolver));
      return { type: 'join', join: kind, ...sides, pairs, on };
    },
  };
}

function condition(
  part: ast.Expression,
  own: readonly Relation[],
  leftSide: readonly Relation[],
  scope: Scope,
  resolver: Resolver,
): Condition {
  let outside = false;
  let left = false;
  const watched: Scope = {
    ...scope,
    uses: (relation) => {
      if (!own.includes(relation)) outside = true;
      if (leftSide.includes(relation)) left = true;
    },
  };
  return { expression: resolver.expression(part, watched), outside, left };
}

/** NATURAL: the columns that both sides have, in the order of the right side's first table. */
function commonKeys(left: readonly Relation[], right: readonly Relation[]): readonly string[] {
  const known = new Set(left.flatMap((relation) => relation.columns.map((column) => column.key)));
  const keys = right.flatMap((relation) => relation.columns.map((column) => column.key));
  return [...new Set(keys)].filter((key): key is string => key !== undefined && known.has(key));
}

function usingPair(
  key: string,
  left: readonly Relation[],
  right: readonly Relation[],
): Join['pairs'][number] {
  const find = (relations: readonly Relation[]): readonly Column[] =>
    relations.flatMap(({ columns }) => columns.find((candidate) => candidate.key === key) ?? []);
  const [other] = find(right);
  const candidates = find(left);
  const [own] = candidates;
  if (own === undefined || other === undefined)
    throw new GatewayError(
      'unknown-column',
      `cannot join using column ${key} - column not present in both tables`,
    );
  // After a FULL or RIGHT JOIN the column further left may be NULL where its twin is not (section 2.1).
  const outer = left.some((relation) => relation.join === 'full' || relation.join === 'right');
  return { left: outer ? candidates : [own], right: other };
}
