// Puts pieces of the reference's normal form together, with a space only where two words would run together.
// Knows no grammar.
import type { Slot } from './plan.ts';

export class CanonicalWriter {
  readonly parts: (string | Slot)[] = [];
  #last: 'word' | 'atom' | 'mark' | 'space' = 'space';

  /** Keywords. */
  word(text: string): this {
    return this.#add(text, this.#last === 'word' || this.#last === 'atom', 'word');
  }
  /** Names and literals. */
  atom(text: string | Slot): this {
    return this.#add(text, this.#last === 'word' || this.#last === 'atom', 'atom');
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
