// Fills the slots of a template with a statement's literals: the last step before the engine sees the SQL.
import type { Literal } from '../wire/protocol.ts';
import { literalName } from './names.ts';
import { integerOf, NEGATIVE_COUNT, renderLiteral, renderReal } from './operators/literal.ts';
import type { Slot, Template } from './plan.ts';

/** How an engine reads a literal. */
export type Render = (as: Slot['as'], literal: Literal) => string;

/** The SQL or the name that a template stands for with a statement's literals. */
export function fillTemplate(
  template: Template,
  literals: readonly Literal[],
  render: Render = rendered,
): string {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const literal = literalAt(literals, part.index);
    text += part.as === 'name' ? literalName(literal) : render(part.as, literal);
  }
  return text;
}

export function rendered(as: Slot['as'], literal: Literal): string {
  if (as === 'real') return renderReal(literal);
  const isCount = as === 'limit' || as === 'offset';
  return isCount && integerOf(literal.text) < 0n ? NEGATIVE_COUNT[as] : renderLiteral(literal);
}

function literalAt(literals: readonly Literal[], index: number): Literal {
  const literal = literals[index];
  if (literal === undefined) throw new Error(`no literal ${index}`);
  return literal;
}
