// The result columns of a SELECT: `*`, names, aliases (lang_select.html section 2.3).
import { GatewayError } from '../../base/errors.ts';
import type { Expression, Name, ResultColumn } from '../ast.ts';
import { columnName, subqueryColumnName } from '../names.ts';
import type { Template } from '../plan.ts';
import type { Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { nameKey } from './name.ts';
import { type AliasEntry, lookUp, type Relation, type RelationColumn, type Scope } from './scope.ts';

export interface ResultItem {
  readonly name: Template;
  /** The name where the SELECT is a source (names.ts); undefined where that is the same. */
  readonly innerName?: Template;
  readonly aliasKey: string | undefined;
  /** Undefined for a column that `*` stands for. */
  readonly expression: Expression | undefined;
  readonly value: (scope: Scope) => Value;
}

/** At most so many result columns, as SQLite (limits.html section 3). */
const MAX_COLUMNS = 2000;

export function resultItems(columns: readonly ResultColumn[], scope: Scope, emitter: Emitter): ResultItem[] {
  const items: ResultItem[] = [];
  for (const column of columns)
    items.push(
      ...(column.type === 'star'
        ? star(column.table, scope)
        : [expressionItem(column.expression, column.alias, items.length + 1, scope, emitter)]),
    );
  if (items.length > MAX_COLUMNS)
    throw new GatewayError('statement-too-complex', 'too many columns in result set');
  return items;
}

function expressionItem(
  expression: Expression,
  alias: Name | undefined,
  position: number,
  scope: Scope,
  emitter: Emitter,
): ResultItem {
  return {
    name: alias === undefined ? itemName(expression, scope) : [alias.text],
    innerName: subqueryColumnName(expression, alias, position),
    aliasKey: alias === undefined ? undefined : nameKey(alias.text),
    expression,
    value: (inner) => emitter.expression(expression, inner),
  };
}

/** A column is named as its table declares it; see names.ts. */
function itemName(expression: Expression, scope: Scope): Template {
  if (expression.type !== 'column') return columnName(expression);
  const found = lookUp(scope, expression.table, expression.name);
  // What FULL JOIN merges is no column but coalesce(...) to SQLite.
  return found?.type === 'column' && found.column.value.simple ? found.column.name : columnName(expression);
}

function star(table: Name | undefined, scope: Scope): readonly ResultItem[] {
  if (scope.relations.length === 0) throw new GatewayError('statement-syntax', 'no tables specified');
  const key = table === undefined ? undefined : nameKey(table.text);
  const relations = scope.relations.filter((relation) => key === undefined || relation.key === key);
  if (relations.length === 0) throw new GatewayError('unknown-table', `no such table: ${table?.text ?? ''}`);
  return relations.flatMap((relation) => relationStar(relation, key !== undefined, scope));
}

/** Columns that a USING or NATURAL join merges are shown once, at their place in the left table. */
function relationStar(relation: Relation, qualified: boolean, scope: Scope): readonly ResultItem[] {
  const shown = qualified
    ? relation.columns
    : relation.columns.filter(({ key }) => key === undefined || !relation.merged.has(key));
  return shown.map((column) => ({
    name: column.name,
    aliasKey: undefined,
    expression: undefined,
    value: (inner) => columnIn(inner, qualified ? column : merged(column, scope)),
  }));
}

/** After a RIGHT or FULL join a merged column is not the left table's own (lang_select.html section 2.3). */
function merged(column: RelationColumn, scope: Scope): RelationColumn {
  const { key } = column;
  if (key === undefined) return column;
  const isMerged = scope.relations.some(
    (relation) => relation.merged.has(key) && (relation.join === 'right' || relation.join === 'full'),
  );
  if (!isMerged) return column;
  const found = lookUp({ ...scope, parent: undefined }, undefined, { text: key, quote: '' });
  return found?.type === 'column' ? { ...found.column, name: column.name } : column;
}

function columnIn(scope: Scope, column: RelationColumn): Value {
  return scope.group === undefined ? column.value : scope.group.column(column);
}

export function aliasEntries(items: readonly ResultItem[]): readonly AliasEntry[] {
  return items.flatMap(({ aliasKey, expression }) =>
    aliasKey === undefined || expression === undefined ? [] : [{ key: aliasKey, expression }],
  );
}
