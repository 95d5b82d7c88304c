// WITH: common tables (lang_with.html). One is resolved when it is first named, so that those of one WITH may name each
// other in any order, and none that nobody names.
import { GatewayError } from '../../base/errors.ts';
import type * as ast from '../ast.ts';
import { NotNative } from '../not-native.ts';
import { nameKey } from './name.ts';
import type { Resolver } from './resolver.ts';
import { type CommonTables, emptyScope, type Scope } from './scope.ts';
import type { CommonTable, Select } from './tree.ts';

interface With {
  readonly common: CommonTables | undefined;
  /** Those that have been named; complete when all that may name them is resolved. */
  readonly used: readonly CommonTable[];
}

export function commonTables(clause: ast.Select['with'], scope: Scope | undefined, resolver: Resolver): With {
  const parent = scope?.common;
  if (clause === undefined) return { common: parent, used: [] };
  const used: CommonTable[] = [];
  const entries = new Map<string, () => CommonTable>();
  const common: CommonTables = { parent, entries };
  const around = emptyScope(scope, common);
  for (const table of clause.tables) {
    const key = nameKey(table.name.text);
    if (entries.has(key))
      throw new GatewayError('statement-syntax', `duplicate WITH table name: ${table.name.text}`);
    entries.set(key, resolvedOnce(table, around, used, resolver));
  }
  return { common, used };
}

function resolvedOnce(
  table: ast.CommonTable,
  around: Scope,
  used: CommonTable[],
  resolver: Resolver,
): () => CommonTable {
  let made: CommonTable | undefined;
  let started = false;
  return () => {
    if (made !== undefined) return made;
    if (started) throw new GatewayError('statement-syntax', `circular reference: ${table.name.text}`);
    started = true;
    if (isRecursive(table)) throw new NotNative('WITH RECURSIVE');
    const select = resolver.select(table.select, around);
    made = { key: nameKey(table.name.text), select: { ...select, columns: named(table, select.columns) } };
    used.push(made);
    return made;
  };
}

function named(table: ast.CommonTable, columns: Select['columns']): Select['columns'] {
  if (table.columns.length === 0) return columns;
  if (table.columns.length !== columns.length)
    throw new GatewayError(
      'statement-syntax',
      `table ${table.name.text} has ${columns.length} values for ${table.columns.length} columns`,
    );
  return table.columns.map(({ text }) => ({ name: [text], innerName: undefined }));
}

function isRecursive({ name, select }: ast.CommonTable): boolean {
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
