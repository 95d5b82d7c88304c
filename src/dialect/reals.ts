// Whether a value may be a real, by the words that make it, and how much of it would be written twice.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Expression } from './ast.ts';
import { isIntegerType, isNumberType } from './cast-types.ts';

/** Of a column by its name in lower case. */
type IsSuch = (column: string) => boolean;

/** They give a real, or what becomes one where it passes 64 bits. */
const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);
const MAKING: ReadonlySet<string> = new Set(
  `acos acosh asin asinh atan atan2 atanh avg ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power
  radians round sin sinh sqrt sum tan tanh total trunc`.split(/\s+/),
);
/** They give one of their arguments. */
const PASSING: ReadonlySet<string> = new Set(
  'abs coalesce if ifnull iif likelihood likely max min nullif unlikely'.split(' '),
);
const OTHERS: ReadonlySet<string> = new Set(['count', 'sign', 'typeof']);
/** Of texts and of parts of JSON. */
const TEXT_OPERATORS: ReadonlySet<string> = new Set(['||', '->', '->>']);

export function mayBeReal(expression: Expression, isReal: IsSuch): boolean {
  const may = (each: Expression | undefined): boolean => each !== undefined && mayBeReal(each, isReal);
  switch (expression.type) {
    case 'literal':
      return expression.kind === 'real';
    case 'column':
      return isReal(asciiLower(expression.name.text));
    case 'unary': {
      const { operator, operand } = expression;
      if (operator === '+') return may(operand);
      return operator === '-' && !(operand.type === 'literal' && operand.kind === 'integer');
    }
    case 'binary':
      return ARITHMETIC.has(expression.operator);
    case 'collate':
      return may(expression.operand);
    case 'cast':
      return isNumberType(expression.to) && !isIntegerType(expression.to);
    case 'case':
      return may(expression.otherwise) || expression.whens.some(({ result }) => may(result));
    case 'call': {
      const name = asciiLower(expression.name.text);
      return MAKING.has(name) || (PASSING.has(name) && expression.args.some(may));
    }
    default:
      return false;
  }
}

/**
 * Of arithmetic with columns, literals and aggregates, which SQLite may as well compute twice.
 * @param mayRepeat whether a column of that name may be in it
 * @returns how many parts it has; Infinity where it has others
 */
export function repeatableParts(expression: Expression, mayRepeat: IsSuch): number {
  const sum = (...parts: readonly (Expression | undefined)[]): number =>
    parts.reduce((all, part) => all + (part === undefined ? 0 : repeatableParts(part, mayRepeat)), 1);
  switch (expression.type) {
    case 'literal':
    case 'null':
    case 'boolean':
      return 1;
    case 'column':
      return mayRepeat(asciiLower(expression.name.text)) ? 1 : NONE;
    case 'unary':
    case 'collate':
    case 'isnull':
      return sum(expression.operand);
    case 'binary':
      return TEXT_OPERATORS.has(expression.operator) ? NONE : sum(expression.left, expression.right);
    case 'between':
      return sum(expression.operand, expression.low, expression.high);
    case 'cast':
      return isNumberType(expression.to) ? sum(expression.operand) : NONE;
    case 'case': {
      const { operand, whens, otherwise } = expression;
      return sum(operand, ...whens.flatMap(({ when, result }) => [when, result]), otherwise);
    }
    case 'call': {
      const name = asciiLower(expression.name.text);
      const isKnown = MAKING.has(name) || PASSING.has(name) || OTHERS.has(name);
      const { args, filter, orderBy, over } = expression;
      const isPlain = filter === undefined && over === undefined && orderBy.length === 0;
      return isKnown && isPlain ? sum(...args) : NONE;
    }
    default:
      return NONE;
  }
}
const NONE = Number.POSITIVE_INFINITY;
