// Puts pieces of the reference's normal form together, with a space only where two words would run together.
// Knows no grammar.
import type { Expression } from './ast.ts';
import type { Slot, Template } from './plan.ts';

type Literal = Extract<Expression, { readonly type: 'literal' }>;

/**
 * Of `->` or `->>`, of LIKE or GLOB, of a test for NULL, of substr() behind its text; what becomes a text, or a value of
 * JSON.
 */
export type Operand = '->' | 'like' | 'is null' | 'place' | 'text' | 'json';

export class CanonicalWriter {
  readonly parts: (string | Slot)[] = [];
  /**
   * False: as the reference writes it, which drops the parentheses around a join and says OUTER twice. True: so that
   * SQLite reads what the client wrote.
   */
  readonly runs: boolean = false;
  #last: 'word' | 'atom' | 'mark' | 'space' = 'space';

  /** Keywords. */
  word(text: string): this {
    return this.#add(text, this.#last === 'word' || this.#last === 'atom', 'word');
  }
  /** Names and literals. */
  atom(text: string | Slot): this {
    return this.#add(text, this.#last === 'word' || this.#last === 'atom', 'atom');
  }
  /** A literal of the statement. */
  literal({ index }: Literal): this {
    return this.atom({ index, as: 'name' });
  }
  /** What is to be written in place of an operand; undefined: itself. */
  operand(_of: Operand, _expression: Expression): (() => void) | undefined {
    return undefined;
  }
  /** Writes conditions that are added to a WHERE or ON, each with an AND behind it. False: there is none. */
  guard(_place: Expression): boolean {
    return false;
  }
  /** How often {@link operand} gave something else. */
  changes = 0;
  /** A text with literals as a quoted name. */
  quoted(name: Template): this {
    this.atom('"');
    for (const part of name)
      this.#push(typeof part === 'string' ? part.replaceAll('"', '""') : { ...part, as: 'quoted' });
    this.#push('"');
    return this;
  }
  /** Operators and punctuation between or around operands. */
  mark(text: string): this {
    return this.#add(text, false, 'mark');
  }
  /** The star of SELECT *: to what follows it is like a name. */
  star(): this {
    return this.#add('*', this.#last === 'word', 'atom');
  }
  /** An operator in front of its operand. */
  prefix(text: string): this {
    return this.#add(text, this.#last === 'word', 'mark');
  }
  /** A space, whatever comes next. */
  space(): this {
    return this.#last === 'space' ? this : this.#add(' ', false, 'space');
  }
  list<T>(items: readonly T[], write: (writer: CanonicalWriter, item: T) => void): this {
    items.forEach((item, i) => {
      if (i > 0) this.mark(',');
      write(this, item);
    });
    return this;
  }

  #add(text: string | Slot, space: boolean, kind: 'word' | 'atom' | 'mark' | 'space'): this {
    if (space) this.#push(' ');
    this.#push(text);
    this.#last = kind;
    return this;
  }
  #push(text: string | Slot): void {
    const last = this.parts.length - 1;
    if (typeof text === 'string' && typeof this.parts[last] === 'string') this.parts[last] += text;
    else this.parts.push(text);
  }
}
