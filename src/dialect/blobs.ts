// Whether a value may be a blob, by the words that make it.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Expression, Select, SelectCore } from './ast.ts';
import { isBlobType } from './cast-types.ts';

/** They give one of their arguments, or a part of it. */
const PASSING: ReadonlySet<string> = new Set(
  'substr substring coalesce ifnull nullif iif if min max likely unlikely likelihood first_value last_value nth_value lag lead'.split(
    ' ',
  ),
);
const MAKING: ReadonlySet<string> = new Set(['zeroblob', 'randomblob', 'unhex']);

/** @param isBlob whether a column of that name, in lower case, may hold blobs */
export function mayBeBlob(expression: Expression, isBlob: (column: string) => boolean): boolean {
  const may = (each: Expression | undefined): boolean => each !== undefined && mayBeBlob(each, isBlob);
  switch (expression.type) {
    case 'literal':
      return expression.kind === 'blob';
    case 'column':
      return isBlob(asciiLower(expression.name.text));
    case 'unary':
      return expression.operator === '+' && may(expression.operand);
    case 'collate':
      return may(expression.operand);
    case 'cast':
      return isBlobType(expression.to);
    case 'case':
      return may(expression.otherwise) || expression.whens.some(({ result }) => may(result));
    case 'call': {
      const name = asciiLower(expression.name.text);
      return MAKING.has(name) || (PASSING.has(name) && expression.args.some(may));
    }
    case 'subquery':
      return resultsOf(expression.select).some(may);
    default:
      return false;
  }
}

/** What the columns of its result are made of; of a star, nothing. */
export function resultsOf({ first, rest }: Select): readonly Expression[] {
  return [first, ...rest.map(({ core }) => core)].flatMap(valuesOf);
}

/** Names of results, and what they are made of. */
export interface MadeNames {
  readonly names: readonly string[];
  readonly values: readonly Expression[];
}

/** The same of a column that may be a result of the statement itself. @param isBlob of the tables' columns */
export function madeBlobs(
  made: readonly MadeNames[],
  isBlob: (column: string) => boolean,
): (column: string) => boolean {
  const found = new Set<string>();
  const may = (column: string): boolean => found.has(column) || isBlob(column);
  for (let size = -1; size < found.size; ) {
    size = found.size;
    for (const { names, values } of made)
      if (values.some((value) => mayBeBlob(value, may))) for (const name of names) found.add(name);
  }
  return may;
}

function valuesOf(core: SelectCore): readonly Expression[] {
  if (core.type === 'values') return core.rows.flat();
  return core.columns.flatMap((column) => (column.type === 'expression' ? [column.expression] : []));
}
