// Fills the slots of a template, for one statement or for many lookups at once: the last step before the engine
// sees the SQL.
import type { Literal } from '../protocol.ts';
import { literalName } from './names.ts';
import { integerOf, NEGATIVE_COUNT, renderLiteral } from './operators/literal.ts';
import type { Gathering, Slot, Template } from './plan.ts';

/** The SQL or the name that a template stands for with a statement's literals. */
export function fillTemplate(template: Template, literals: readonly Literal[]): string {
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const literal = literalAt(literals, part.index);
    text += part.as === 'name' ? literalName(literal) : rendered(part.as, literal);
  }
  return text;
}

function rendered(as: Slot['as'], literal: Literal): string {
  const isCount = as === 'limit' || as === 'offset';
  return isCount && integerOf(literal.text) < 0n ? NEGATIVE_COUNT[as] : renderLiteral(literal);
}

/** Of the key literal: equal for equal keys, and what {@link integerKey} or the bytes of a text give for a row. */
export function keyOf({ key, kind }: Gathering, literals: readonly Literal[]): string | number {
  const literal = literalAt(literals, key);
  return kind === 'integer'
    ? integerKey(integerOf(literal.text))
    : Buffer.from(literal.text).toString('latin1');
}

/** Numbers as far as they are exact; see {@link keyOf}. */
export function integerKey(value: bigint): string | number {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
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
  const all = (index: number): readonly Literal[] => lookups.map((literals) => literalAt(literals, index));
  const keyList = listOf(all(key));
  const values = new Map<number, string>();
  const value = (index: number): string => {
    // Every row that is taken has one of the keys, so the key column stands for the literal.
    if (index === key) return column;
    const literals = all(index);
    const [first] = literals;
    if (first !== undefined && literals.every(({ text, kind }) => text === first.text && kind === first.kind))
      return renderLiteral(first);
    return `list_extract(${listOf(literals)}, list_position(${keyList}, ${column}))`;
  };
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') text += part;
    else if (part.as === 'keys') text += all(key).map(renderLiteral).join(', ');
    else if (part.as === 'keyList') text += keyList;
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

/** The engine reads a text of numbers several times faster than it plans as many constants. */
function listOf(literals: readonly Literal[]): string {
  return literals.every(({ kind }) => kind === 'integer')
    ? `CAST('[${literals.map(({ text }) => integerOf(text)).join()}]' AS BIGINT[])`
    : `[${literals.map(renderLiteral).join(', ')}]`;
}

function literalAt(literals: readonly Literal[], index: number): Literal {
  const literal = literals[index];
  if (literal === undefined) throw new Error(`no literal ${index}`);
  return literal;
}
