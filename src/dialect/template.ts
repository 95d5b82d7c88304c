// Fills the slots of a template: the last step before the engine sees the SQL.
import type { Literal } from '../protocol.ts';
import { literalName } from './names.ts';
import { renderLiteral } from './operators/literal.ts';
import type { Template } from './plan.ts';

/** The SQL or the name that a template stands for with a statement's literals. */
export function fillTemplate(template: Template, literals: readonly Literal[]): string {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const literal = literals[part.index];
    if (literal === undefined) throw new Error(`no literal ${part.index}`);
    text += part.as === 'name' ? literalName(literal) : renderLiteral(literal);
  }
  return text;
}
