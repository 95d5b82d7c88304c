// The result columns of a SELECT: `*`, names, aliases (lang_select.html section 2.3).
import { GatewayError } from '../../base/errors.ts';
import type * as ast from '../ast.ts';
import { columnName, subqueryColumnName } from '../names.ts';
import type { Template } from '../plan.ts';
import { nameKey } from './name.ts';
import type { Resolver } from './resolver.ts';
import { type Alias, lookUp, type Scope } from './scope.ts';
import type { Column, Relation, ResultColumn } from './tree.ts';

/** At most so many result columns, as SQLite (limits.html section 3). */
const MAX_COLUMNS = 2000;

export function resultColumns(
  columns: readonly ast.ResultColumn[],
  scope: Scope,
  resolver: Resolver,
): readonly ResultColumn[] {
  const made: ResultColumn[] = [];
  for (const column of columns)
    made.push(
      ...(column.type === 'star'
        ? star(column.table, scope)
        : [resultColumn(column.expression, column.alias, made.length + 1, scope, resolver)]),
    );
  if (made.length > MAX_COLUMNS)
    throw new GatewayError('statement-too-complex', 'too many columns in result set');
  return made;
}

function resultColumn(
  expression: ast.Expression,
  alias: ast.Name | undefined,
  position: number,
  scope: Scope,
  resolver: Resolver,
): ResultColumn {
  return {
    name: alias === undefined ? ownName(expression, scope) : [alias.text],
    innerName: subqueryColumnName(expression, alias, position),
    aliasKey: alias === undefined ? undefined : nameKey(alias.text),
    expression: resolver.expression(expression, scope),
  };
}

/** A column is named as its table declares it; see names.ts. */
function ownName(expression: ast.Expression, scope: Scope): Template {
  if (expression.type !== 'column') return columnName(expression);
  const found = lookUp(scope, expression.table, expression.name);
  // What FULL JOIN merges is no column but coalesce(...) to SQLite.
  return found?.type === 'column' && found.column.origin.type !== 'merged'
    ? found.column.name
    : columnName(expression);
}

function star(table: ast.Name | undefined, scope: Scope): readonly ResultColumn[] {
  if (scope.relations.length === 0) throw new GatewayError('statement-syntax', 'no tables specified');
  const key = table === undefined ? undefined : nameKey(table.text);
  const relations = scope.relations.filter((relation) => key === undefined || relation.key === key);
  if (relations.length === 0) throw new GatewayError('unknown-table', `no such table: ${table?.text ?? ''}`);
  return relations.flatMap((relation) => relationStar(relation, key !== undefined, scope));
}

/** Columns that a USING or NATURAL join merges are shown once, at their place in the left table. */
function relationStar(relation: Relation, qualified: boolean, scope: Scope): readonly ResultColumn[] {
  const shown = qualified
    ? relation.columns
    : relation.columns.filter(({ key }) => key === undefined || !relation.merged.has(key));
  return shown.map((column) => ({
    name: column.name,
    innerName: undefined,
    aliasKey: undefined,
    expression: { type: 'column', column: qualified ? column : merged(column, scope) },
  }));
}

/** After a RIGHT or FULL join a merged column is not the left table's own (lang_select.html section 2.3). */
function merged(column: Column, scope: Scope): Column {
  const { key } = column;
  if (key === undefined) return column;
  const isMerged = scope.relations.some(
    (relation) => relation.merged.has(key) && (relation.join === 'right' || relation.join === 'full'),
  );
  if (!isMerged) return column;
  const found = lookUp({ ...scope, parent: undefined }, undefined, { text: key, quote: '' });
  return found?.type === 'column' ? found.column : column;
}

export function aliasesOf(columns: readonly ResultColumn[]): readonly Alias[] {
  return columns.flatMap(({ aliasKey, expression }) =>
    aliasKey === undefined ? [] : [{ key: aliasKey, expression }],
  );
}
