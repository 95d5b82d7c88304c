// An expression of a CHECK, a default or a generated column in the reference's normal form.
import { canonicalExpression } from '../dialect/canonical-text.ts';
import { parse } from '../dialect/parse.ts';
import { textLiteral } from '../dialect/value.ts';
import { readStatement } from '../statement/statement.ts';
import type { Literal } from '../wire/protocol.ts';

const MAX_EXPRESSION_BYTES = 1_000_000;

/** As the reference prints it; as written, with single spaces, where our parser does not know it. */
export function normalExpression(text: string): string {
  try {
    const { shape, literals } = readStatement(`select ${text}`, [], MAX_EXPRESSION_BYTES);
    const column = parse(shape, literals).select.first;
    const only = column.type === 'select' && column.columns.length === 1 ? column.columns[0] : undefined;
    if (only?.type !== 'expression' || only.alias !== undefined) return text.replace(/\s+/g, ' ');
    return canonicalExpression(only.expression)
      .map((part) => (typeof part === 'string' ? part : literalText(literals[part.index])))
      .join('');
  } catch {
    return text.replace(/\s+/g, ' ');
  }
}

function literalText(literal: Literal | undefined): string {
  switch (literal?.kind) {
    case 'text':
      return textLiteral(literal.text);
    case 'blob':
      return `X'${literal.text}'`;
    case undefined:
    case 'null':
      return 'null';
    case 'integer':
    case 'real':
      return literal.text;
  }
}
