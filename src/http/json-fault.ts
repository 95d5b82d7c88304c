// Where bytes stop being JSON, in the words of the reader that the reference uses (Go's encoding/json, scanner.go):
// clients that sent something else find the same text. Runs only on what JSON.parse refused.

/** @returns undefined where nothing is wrong with the first value */
export function jsonFault(bytes: Uint8Array): string | undefined {
  // A byte a character, as Go's scanner goes.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  if (/^[ \t\r\n]*$/.test(text)) return 'EOF';
  const scanner = new Scanner(text);
  try {
    scanner.value();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

class Fault extends Error {}

/** Go's own bound (scanner.go, maxNestingDepth). */
const MAX_DEPTH = 10_000;

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Not recursive: a body may be a million brackets. */
  value(): void {
    const open: ('{' | '[')[] = [];
    for (;;) {
      this.#space();
      const character = this.#next();
      if (character === '{' || character === '[') {
        if (open.push(character) > MAX_DEPTH) throw new Fault('exceeded max depth');
        this.#space();
        if (this.#peek() !== (character === '{' ? '}' : ']')) {
          if (character === '{') this.#key();
          continue;
        }
      } else {
        this.#scalar(character);
      }
      // After a value: the next of what it is in, or the ends of all that it ends.
      for (;;) {
        const inside = open.at(-1);
        if (inside === undefined) return;
        this.#space();
        const after = inside === '{' ? 'after object key:value pair' : 'after array element';
        const next = this.#next();
        if (next === (inside === '{' ? '}' : ']')) {
          open.pop();
          continue;
        }
        if (next !== ',') throw this.#wrong(next, after);
        if (inside === '{') this.#key();
        break;
      }
    }
  }

  #key(): void {
    this.#space();
    const quote = this.#next();
    if (quote !== '"') throw this.#wrong(quote, 'looking for beginning of object key string');
    this.#string();
    this.#space();
    const colon = this.#next();
    if (colon !== ':') throw this.#wrong(colon, 'after object key');
  }

  #scalar(first: string): void {
    if (first === '"') this.#string();
    else if (first === '-' || isDigit(first)) this.#number(first);
    else this.#word(first);
  }

  #word(first: string): void {
    const word = first === 't' ? 'true' : first === 'f' ? 'false' : first === 'n' ? 'null' : undefined;
    if (word === undefined) throw this.#wrong(first, 'looking for beginning of value');
    for (const expected of word.slice(1)) {
      const place = `in literal ${word} (expecting ${quoted(expected)})`;
      const found = this.#next();
      if (found !== expected) throw this.#wrong(found, place);
    }
  }

  #string(): void {
    for (;;) {
      const character = this.#next();
      if (character === '"') return;
      if (character < ' ') throw this.#wrong(character, 'in string literal');
      if (character !== '\\') continue;
      const escaped = this.#next();
      if (!'"\\/bfnrtu'.includes(escaped)) throw this.#wrong(escaped, 'in string escape code');
      for (let digit = 0; escaped === 'u' && digit < 4; digit++) {
        const hex = this.#next();
        if (!/[0-9a-fA-F]/.test(hex)) throw this.#wrong(hex, 'in \\u hexadecimal character escape');
      }
    }
  }

  #number(first: string): void {
    let digit = first;
    if (digit === '-') {
      digit = this.#next();
      if (!isDigit(digit)) throw this.#wrong(digit, 'in numeric literal');
    }
    if (digit !== '0') this.#digits();
    if (this.#peek() === '.') {
      this.#at++;
      this.#oneDigit('after decimal point in numeric literal');
    }
    if (this.#peek() === 'e' || this.#peek() === 'E') {
      this.#at++;
      if (this.#peek() === '+' || this.#peek() === '-') this.#at++;
      this.#oneDigit('in exponent of numeric literal');
    }
  }

  #oneDigit(place: string): void {
    const digit = this.#next();
    if (!isDigit(digit)) throw this.#wrong(digit, place);
    this.#digits();
  }

  #digits(): void {
    while (isDigit(this.#peek())) this.#at++;
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text.charAt(this.#at) || 'x')) this.#at++;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #next(): string {
    const character = this.#text.charAt(this.#at++);
    if (character === '') throw new Fault('unexpected EOF');
    return character;
  }

  #wrong(character: string, place: string): Fault {
    return new Fault(`invalid character ${quoted(character)} ${place}`);
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '"': '"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A byte as Go quotes it, as the character of that number. */
function quoted(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  const shown =
    ESCAPES[character] ??
    (code < 32 || code === 127
      ? `\\x${hex.padStart(2, '0')}`
      : (code >= 128 && code <= 160) || code === 173
        ? `\\u${hex.padStart(4, '0')}`
        : character);
  return `'${shown}'`;
}
