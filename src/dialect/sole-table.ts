// Of a statement that reads one table alone: by which columns of it rows can be found, and in which order they are given.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Expression, OrderTerm, Select } from './ast.ts';
import { COMPARISONS, isConstant, isPlain } from './conditions.ts';
import type { Core } from './reading.ts';

/** A part of WHERE that every row has to fulfil: a column beside constants. */
export interface Term {
  /** In lower case. */
  readonly column: string;
  /** Equal to one of some values; or not below, or not above, a value. */
  readonly bounds: 'equal' | 'from' | 'to';
  /** How many values. */
  readonly values: number;
  /** Index of the literal, where that alone is the value. */
  readonly literal: number | undefined;
  /** One of both ends of a BETWEEN. */
  readonly paired: boolean;
}

export interface SoleTable {
  readonly terms: readonly Term[];
  /** Lower-case names of the columns by which its rows are ordered; undefined where they are sorted by anything else. */
  readonly order: readonly string[] | undefined;
  /** Whether it has an OR in its WHERE: SQLite may look for the rows of each side by themselves. */
  readonly divides: boolean;
  /** Whether {@link terms} are all that can say between which values of a column rows are looked for. */
  readonly exact: boolean;
  /** The column, in lower case, of which it gives the least or the largest value of all rows, and no more. */
  readonly extreme: string | undefined;
}

/** @returns undefined where it is no single SELECT of a single table */
export function soleTable(select: Select): SoleTable | undefined {
  const { first } = select;
  if (select.with !== undefined || select.rest.length > 0 || first.type === 'values') return undefined;
  if (first.from?.type !== 'table') return undefined;
  const terms: Term[] = [];
  if (first.where !== undefined) addTerms(first.where, terms);
  return {
    terms,
    order: orderOf(first, select.orderBy),
    divides: first.where !== undefined && hasOr(first.where),
    exact: isExact(first),
    extreme: extremeOf(first),
  };
}

/** Behind NOT and between AND, too; what is in other words is a value to SQLite. */
function hasOr(condition: Expression): boolean {
  if (condition.type === 'unary') return hasOr(condition.operand);
  if (condition.type !== 'binary') return false;
  return condition.operator === 'or' || hasOr(condition.left) || hasOr(condition.right);
}

function extremeOf({ columns, where, groupBy, having }: Core): string | undefined {
  const [column, ...more] = columns;
  if (column?.type !== 'expression' || more.length > 0 || where !== undefined) return undefined;
  if (groupBy.length > 0 || having !== undefined || column.expression.type !== 'call') return undefined;
  const { name, args, filter, over, orderBy } = column.expression;
  const [arg] = args;
  if (!/^(?:min|max)$/i.test(name.text) || arg?.type !== 'column' || args.length > 1) return undefined;
  return filter === undefined && over === undefined && orderBy.length === 0 ? nameOf(arg) : undefined;
}

function orderOf(core: Core, terms: readonly OrderTerm[]): readonly string[] | undefined {
  if (core.distinct || core.groupBy.length > 0 || core.having !== undefined) return undefined;
  const made = aliasesOf(core.columns);
  const names: string[] = [];
  for (const { expression, nulls } of terms) {
    if (expression.type !== 'column' || nulls !== undefined) return undefined;
    const name = asciiLower(expression.name.text);
    // The result's column of that name comes before the table's.
    if (made.has(name)) return undefined;
    names.push(name);
  }
  return names;
}

/** In lower case. */
function aliasesOf(columns: Core['columns']): ReadonlySet<string> {
  const aliases = new Set<string>();
  for (const column of columns)
    if (column.type === 'expression' && column.alias !== undefined)
      aliases.add(asciiLower(column.alias.text));
  return aliases;
}

function addTerms(condition: Expression, terms: Term[]): void {
  if (condition.type === 'binary') {
    const { operator, left, right } = condition;
    if (operator === 'and') {
      addTerms(left, terms);
      addTerms(right, terms);
      return;
    }
    addTerm(left, BOUNDS.get(operator), right, terms, false);
    addTerm(right, TURNED.get(operator), left, terms, false);
  } else if (condition.type === 'between' && !condition.not) {
    addTerm(condition.operand, 'from', condition.low, terms, true);
    addTerm(condition.operand, 'to', condition.high, terms, true);
  } else if (condition.type === 'in' && !condition.not) {
    const { operand, list } = condition;
    if (operand.type === 'column' && list.every(isKnown))
      terms.push({
        column: nameOf(operand),
        bounds: 'equal',
        values: list.length,
        literal: undefined,
        paired: false,
      });
  }
}

function addTerm(
  side: Expression,
  bounds: Term['bounds'] | undefined,
  value: Expression,
  terms: Term[],
  paired: boolean,
): void {
  if (bounds === undefined || side.type !== 'column' || !isKnown(value)) return;
  const literal = value.type === 'literal' ? value.index : undefined;
  terms.push({ column: nameOf(side), bounds, values: 1, literal, paired });
}

const isKnown = (value: Expression): boolean => isPlain(value) && isConstant(value);

/**
 * An equality of two columns carries what is said of one over to the other, HAVING is moved to WHERE, and a name may be a
 * result's column: all of that is something else to begin or end at.
 */
function isExact({ columns, where, having }: Core): boolean {
  if (having !== undefined) return false;
  const made = aliasesOf(columns);
  const isColumn = (side: Expression): boolean =>
    side.type === 'column' && (side.table !== undefined || !made.has(nameOf(side)));
  const isPlainCondition = (condition: Expression): boolean => {
    switch (condition.type) {
      case 'binary': {
        const { operator, left, right } = condition;
        if (operator === 'and') return isPlainCondition(left) && isPlainCondition(right);
        if (!COMPARISONS.has(operator)) return false;
        return (isColumn(left) && isKnown(right)) || (isColumn(right) && isKnown(left));
      }
      case 'between':
        return isColumn(condition.operand) && isKnown(condition.low) && isKnown(condition.high);
      case 'in':
        return isColumn(condition.operand) && condition.list.every(isKnown);
      case 'isnull':
        return isColumn(condition.operand);
      default:
        return false;
    }
  };
  return where === undefined || isPlainCondition(where);
}

const nameOf = (column: Extract<Expression, { readonly type: 'column' }>): string =>
  asciiLower(column.name.text);

const BOUNDS: ReadonlyMap<string, Term['bounds']> = new Map([
  ['=', 'equal'],
  ['>', 'from'],
  ['>=', 'from'],
  ['<', 'to'],
  ['<=', 'to'],
]);
/** Of the value that stands before its column. */
const TURNED: ReadonlyMap<string, Term['bounds']> = new Map([
  ['=', 'equal'],
  ['<', 'from'],
  ['<=', 'from'],
  ['>', 'to'],
  ['>=', 'to'],
]);
