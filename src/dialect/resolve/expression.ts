// An expression -> the same with column objects for names. What stands in the place of an alias is resolved already.
import type * as ast from '../ast.ts';
import { isAggregate } from '../functions/aggregate.ts';
import { nameKey } from './name.ts';
import type { Resolver } from './resolver.ts';
import { lookUp, type Scope, unknownColumn } from './scope.ts';
import type { Call, Expression, Select, Window } from './tree.ts';
import { windowOf } from './window.ts';

export function expression(node: ast.Expression, scope: Scope, resolver: Resolver): Expression {
  switch (node.type) {
    case 'column':
      return column(node, scope);
    case 'call':
      return call(node, scope, resolver);
    case 'literal':
    case 'null':
    case 'boolean':
    case 'now':
      return node;
    default:
      return parts<Expression>(
        node,
        (part) => resolver.expression(part, scope),
        (select) => resolver.select(select, scope),
      );
  }
}

function column(
  { table, name }: Extract<ast.Expression, { readonly type: 'column' }>,
  scope: Scope,
): Expression {
  const found = lookUp(scope, table, name);
  if (found?.type === 'column') return { type: 'column', column: found.column };
  if (found?.type === 'alias') return found.expression;
  // A double-quoted name that fits no column is a text (quirks.html section 8).
  if (table === undefined && name.quote === '"') return { type: 'text', text: name.text };
  throw unknownColumn(table, name);
}

function call(
  { over, ...node }: Extract<ast.Expression, { readonly type: 'call' }>,
  scope: Scope,
  resolver: Resolver,
): Call {
  const inside = scopeInside(node, over !== undefined, scope);
  const expression = (part: ast.Expression): Expression => resolver.expression(part, inside);
  const select = (part: ast.Select): Select => resolver.select(part, inside);
  const window = over === undefined ? undefined : windowOf(over, scope.windows, node.name.text);
  return {
    ...parts<Omit<Call, 'over'>>(node, expression, select),
    over: window === undefined ? undefined : parts<Window>(window, expression, select),
  };
}

/** Where the arguments of a call are resolved: windows do not nest, and aggregates see rows, not results. */
function scopeInside(
  { name, args }: Pick<Extract<ast.Expression, { readonly type: 'call' }>, 'name' | 'args'>,
  isWindow: boolean,
  scope: Scope,
): Scope {
  if (isWindow) return { ...scope, windows: undefined };
  if (!scope.grouped || !isAggregate(nameKey(name.text), args.length)) return scope;
  return { ...scope, aliases: [], grouped: false, windows: undefined };
}

/** A part of the tree with the expressions and selects in it replaced. */
function parts<T>(
  node: object,
  expression: (part: ast.Expression) => Expression,
  select: (part: ast.Select) => Select,
): T {
  const within = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(within);
    if ('first' in part) return select(part as ast.Select);
    if ('type' in part && !BOUNDS.has(part.type as string)) return expression(part as ast.Expression);
    return each(part);
  };
  const each = (part: object): object => {
    const made: Record<string, unknown> = {};
    // Without entries and arrays of them: it is most of what resolving takes.
    for (const key in part) made[key] = within((part as Record<string, unknown>)[key]);
    return made;
  };
  return each(node) as T;
}

/** Types of what stands in a window's frame and is no expression. */
const BOUNDS: ReadonlySet<string> = new Set<ast.FrameBound['type']>([
  'unbounded preceding',
  'preceding',
  'current row',
  'following',
  'unbounded following',
]);
