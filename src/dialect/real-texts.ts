// Where the result of a statement puts reals into texts and into JSON. Only there are they written in another way: in a
// condition, an order or a subquery, SQLite's planner would see other words, and choose another order of rows.
import type { Expression, Select } from './ast.ts';
import { resultsOf } from './blobs.ts';
import type { Operand } from './canonical-writer.ts';
import { isTextType } from './cast-types.ts';
import { operandOf } from './operands.ts';
import { mayBeReal, repeatableParts } from './reals.ts';

/** Of a column by its name in lower case, whichever table it is of. */
export interface RealColumns {
  readonly isReal: (column: string) => boolean;
  /** The statement itself gives the name to something, which may take long, or be JSON. */
  readonly isMade: (column: string) => boolean;
}

/** Of a statement with more, none is written twice. */
const MOST_PARTS = 1_000;

/** @returns what may be a real and becomes a text or a value of JSON; each may be written twice */
export function realTexts(select: Select, { isReal, isMade }: RealColumns): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  let parts = 0;
  const take = (expression: Expression): void => {
    if (!mayBeReal(expression, isReal)) return;
    const own = repeatableParts(expression, (column) => !isMade(column));
    if (own === Number.POSITIVE_INFINITY) return;
    parts += own;
    found.add(expression);
  };
  const walkAll = (...expressions: readonly (Expression | undefined)[]): void => {
    for (const each of expressions) if (each !== undefined) walk(each);
  };
  const walk = (expression: Expression): void => {
    switch (expression.type) {
      case 'binary':
        if (expression.operator === '||') for (const each of [expression.left, expression.right]) take(each);
        walkAll(expression.left, expression.right);
        return;
      case 'cast':
        if (isTextType(expression.to) && !hasCollation(expression.operand)) take(expression.operand);
        walk(expression.operand);
        return;
      case 'match':
        for (const each of [expression.operand, expression.pattern]) take(each);
        walkAll(expression.operand, expression.pattern);
        return;
      case 'call': {
        const { name, distinct, args } = expression;
        for (const [i, arg] of args.entries()) if (AS_TEXT.has(operandOf(name, distinct, i))) take(arg);
        walkAll(...args);
        return;
      }
      case 'unary':
      case 'collate':
      case 'isnull':
        walk(expression.operand);
        return;
      case 'between':
        walkAll(expression.operand, expression.low, expression.high);
        return;
      case 'in':
        walkAll(expression.operand, ...expression.list);
        return;
      case 'case': {
        const { operand, whens, otherwise } = expression;
        walkAll(operand, ...whens.flatMap(({ when, result }) => [when, result]), otherwise);
        return;
      }
    }
  };
  for (const column of resultOf(select)) walk(column);
  return parts > MOST_PARTS ? NOTHING : found;
}

const NOTHING: ReadonlySet<Expression> = new Set();
const AS_TEXT: ReadonlySet<Operand | undefined> = new Set(['like', 'text', 'json']);

/** None where the order of a compound may have to be one of its columns, word by word. */
function resultOf(select: Select): readonly Expression[] {
  const { rest, orderBy } = select;
  const isNamed = orderBy.every(({ expression }) => NAMES.has(expression.type));
  if (rest.length > 0 && !isNamed) return [];
  return resultsOf(select);
}
const NAMES: ReadonlySet<Expression['type']> = new Set(['column', 'literal']);

/** CAST passes its operand's collation on. */
function hasCollation(expression: Expression): boolean {
  const { type } = expression;
  if (type === 'unary') return expression.operator === '+' && hasCollation(expression.operand);
  return type === 'column' || type === 'collate' || type === 'cast';
}
