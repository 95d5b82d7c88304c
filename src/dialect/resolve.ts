// Syntax tree -> the same with column objects for names: who uses a table's column, a subquery's or an outer SELECT's knows
// its owner, and two names of one column are one object. Knows no engine and writes no SQL.
import type { Literal } from '../wire/protocol.ts';
import type * as ast from './ast.ts';
import { expression } from './resolve/expression.ts';
import { Resolver } from './resolve/resolver.ts';
import { select } from './resolve/select.ts';
import type { Select } from './resolve/tree.ts';
import type { Schema } from './schema.ts';

export interface ResolvedStatement {
  readonly select: Select;
  /** Literals whose values decided what a name or a position stands for: see Plan.pins. */
  readonly pins: ReadonlySet<number>;
}

/**
 * @throws NotNative where names belong to what no engine but SQLite is asked for
 * @throws GatewayError unknown-*, ambiguous-column, statement-syntax
 */
export function resolve(
  parsed: ast.Select,
  schema: Pick<Schema, 'tables'>,
  literals: readonly Literal[],
): ResolvedStatement {
  const resolver = new Resolver(schema, literals, { expression, select });
  return { select: resolver.select(parsed, undefined), pins: resolver.pins };
}
