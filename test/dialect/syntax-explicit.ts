// Writes an expression with parentheses around every operator, so that its text has only one reading.
import type { Expression } from '../../src/dialect/ast.ts';
import { canonicalExpression } from '../../src/dialect/canonical-text.ts';
import { nameText } from '../../src/dialect/names.ts';
import type { Literal } from '../../src/wire/protocol.ts';

export function explicit(expression: Expression, literals: readonly Literal[]): string {
  const inner = (e: Expression): string => `(${explicit(e, literals)})`;
  const not = (is: boolean): string => (is ? 'not ' : '');
  switch (expression.type) {
    case 'unary':
      return `${expression.operator} ${inner(expression.operand)}`;
    case 'binary':
      return `${inner(expression.left)} ${expression.operator} ${inner(expression.right)}`;
    case 'collate':
      return `${inner(expression.operand)} collate ${expression.collation.text}`;
    case 'isnull':
      return `${inner(expression.operand)} ${expression.not ? 'notnull' : 'isnull'}`;
    case 'between':
      return `${inner(expression.operand)} ${not(expression.not)}between ${inner(expression.low)} and ${inner(expression.high)}`;
    case 'match': {
      const tail = expression.escape === undefined ? '' : ` escape ${inner(expression.escape)}`;
      return `${inner(expression.operand)} ${not(expression.not)}${expression.operator} ${inner(expression.pattern)}${tail}`;
    }
    case 'in':
      return `${inner(expression.operand)} ${not(expression.not)}in (${expression.list.map(inner).join(', ')})`;
    case 'case': {
      const whens = expression.whens.map((w) => `when ${inner(w.when)} then ${inner(w.result)}`);
      const subject = expression.operand === undefined ? '' : `${inner(expression.operand)} `;
      const otherwise = expression.otherwise === undefined ? '' : ` else ${inner(expression.otherwise)}`;
      return `case ${subject}${whens.join(' ')}${otherwise} end`;
    }
    case 'call':
      return `${expression.name.text}(${expression.args.map(inner).join(', ')})`;
    default:
      return nameText(canonicalExpression(expression), literals);
  }
}
