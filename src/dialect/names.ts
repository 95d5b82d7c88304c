// Names of unaliased result columns. SQLite names such a column after its text, and the text that SQLite
// sees in the reference is the reference's own normal form: canonical-text.ts writes that.
//
// Which name a result column has (sqlite.org/c3ref/column_name.html; tried on the reference):
// 1. its alias, as written;
// 2. a column, also in parentheses: the name as the table declares it, not as the statement spells it
//    (`select ID, "id", (t.iD)` of a column `Id` are all `Id`). A column of a subquery has the name that the
//    subquery gave it. `rowid`, `oid` and `_rowid_` are named as the INTEGER PRIMARY KEY where the table has
//    one, else `rowid`. That needs the schema: resolve.ts does it;
// 3. everything else, columns with an operator or COLLATE too: {@link columnName}.
//
// Columns of a subquery, common table or view are named before SQLite looks names up: {@link
// subqueryColumnName} needs no schema. Stars are expanded to the names of their tables' columns, and names that
// come twice get `:1`, `:2` ... ({@link uniqueNames}). A compound select is named by its first term; VALUES is
// named column1, column2 ...
import { asciiLower } from '../base/ascii-lower.ts';
import type { Literal } from '../wire/protocol.ts';
import type { Expression, Name } from './ast.ts';
import { canonicalExpression } from './canonical-text.ts';
import type { Slot, Template } from './plan.ts';

/** The name of an unaliased result column that is no column of a table. */
export function columnName(expression: Expression): Template {
  return canonicalExpression(expression);
}

/** Calls that SQLite's planner looks through, and so do its names of subqueries' columns. */
const HINTS: ReadonlySet<string> = new Set(['likely', 'unlikely', 'likelihood']);

/**
 * The name of a column of a subquery: its alias; a column as the statement spells it (also behind COLLATE);
 * `column3` for what would be named true or false; everything else as {@link columnName}.
 * @param position from 1
 */
export function subqueryColumnName(
  expression: Expression,
  alias: Name | undefined,
  position: number,
): Template {
  const named = alias ?? spelledName(expression);
  if (named === undefined) return columnName(expression);
  return /^(true|false)$/i.test(named.text) ? [`column${position}`] : [named.text];
}

function spelledName(expression: Expression): { readonly text: string } | undefined {
  if (expression.type === 'collate') return spelledName(expression.operand);
  if (expression.type === 'call' && HINTS.has(asciiLower(expression.name.text))) {
    const [hinted] = expression.args;
    return hinted === undefined ? undefined : spelledName(hinted);
  }
  if (expression.type === 'boolean') return { text: String(expression.value) };
  return expression.type === 'column' ? expression.name : undefined;
}

/** A literal as the reference prints it in a column's name. */
export function literalName(literal: Literal): string {
  if (literal.source !== undefined) return literal.source;
  switch (literal.kind) {
    case 'text':
      return `'${literal.text.replaceAll("'", "''")}'`;
    case 'blob':
      return `X'${literal.text}'`;
    case 'null':
      return 'null';
    case 'integer':
    case 'real':
      return literal.text;
  }
}

/** A name with the literals filled in. */
export function nameText(name: Template, literals: readonly Literal[]): string {
  return name.map((part) => (typeof part === 'string' ? part : slotText(part, literals))).join('');
}

function slotText(slot: Slot, literals: readonly Literal[]): string {
  const literal = literals[slot.index];
  return literal === undefined ? '' : literalName(literal);
}

export interface UniqueNames {
  readonly names: readonly Template[];
  /** Literals that decided which names are the same; see Plan.pins. */
  readonly pins: readonly number[];
}

/**
 * Names of a subquery's columns: from the second on, equal names (in ASCII case-blind comparison) get `:1`,
 * `:2` ... as in sqlite3ColumnsFromExprList. (From the fifth on SQLite takes random numbers.)
 */
export function uniqueNames(names: readonly Template[], literals: readonly Literal[]): UniqueNames {
  const taken = new Set<string>();
  const pins = new Set<number>();
  const slotted = names.filter((name) => name.some((part) => typeof part !== 'string'));
  // Two names with literals in them may be equal for some values and differ for others.
  if (slotted.length > 1)
    for (const part of slotted.flat()) if (typeof part !== 'string') pins.add(part.index);
  const unique = names.map((name) => {
    let text = nameText(name, literals);
    if (!taken.has(asciiLower(text))) {
      taken.add(asciiLower(text));
      return name;
    }
    for (let count = 1; taken.has(asciiLower(text)); count++) text = `${text.replace(/:\d*$/, '')}:${count}`;
    taken.add(asciiLower(text));
    return [text];
  });
  return { names: unique, pins: [...pins] };
}
