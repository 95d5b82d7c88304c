// Fills the slots of a template, for one statement or for many lookups at once: the last step before the engine
// sees the SQL.
import type { Literal } from '../protocol.ts';
import { literalName } from './names.ts';
import { renderLiteral } from './operators/literal.ts';
import type { Gathering, Template } from './plan.ts';

/** The SQL or the name that a template stands for with a statement's literals. */
export function fillTemplate(template: Template, literals: readonly Literal[]): string {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const literal = literalAt(literals, part.index);
    text += part.as === 'name' ? literalName(literal) : renderLiteral(literal);
  }
  return text;
}

/** The values of the key literal, in the form in which equal keys are equal texts. */
export function keyText({ key }: Gathering, literals: readonly Literal[]): string {
  return renderLiteral(literalAt(literals, key));
}

/**
 * The SQL of many lookups at once. A literal that is not the same in all of them is taken from a list of them
 * all, by the place of the row's key in the list of keys.
 */
export function fillGathered(
  template: Template,
  { key, column }: Gathering,
  lookups: readonly (readonly Literal[])[],
): string {
  const keys = lookups.map((literals) => renderLiteral(literalAt(literals, key))).join(', ');
  const values = new Map<number, string>();
  const value = (index: number): string => {
    // Every row that is taken has one of the keys, so the key column stands for the literal.
    if (index === key) return column;
    const texts = lookups.map((literals) => renderLiteral(literalAt(literals, index)));
    const [first = ''] = texts;
    if (texts.every((text) => text === first)) return first;
    return `list_extract([${texts.join(', ')}], list_position([${keys}], ${column}))`;
  };
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') text += part;
    else if (part.as === 'keys') text += keys;
    else {
      let filled = values.get(part.index);
      if (filled === undefined) {
        filled = value(part.index);
        values.set(part.index, filled);
      }
      text += filled;
    }
  }
  return text;
}

function literalAt(literals: readonly Literal[], index: number): Literal {
  const literal = literals[index];
  if (literal === undefined) throw new Error(`no literal ${index}`);
  return literal;
}
