// Reads JSON without losing a digit: JSON.parse would round 9007199254740993. Gives one canonical text a
// value, so that two values are equal exactly when their texts are.

/**
 * Members sorted by key (repeated keys in their order), whole numbers digit by digit, numbers with a
 * fraction or an exponent as the double they name. Throws a SyntaxError where the text is no JSON.
 */
export function canonicalJson(text: string): string {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

/** The canonical texts of an array's items, or undefined where the text is no array. */
export function canonicalItems(text: string): string[] | undefined {
  const reader = new Reader(text);
  reader.space();
  if (text[reader.at] !== '[') return undefined;
  const items = reader.items();
  reader.end();
  return items;
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const WORD = /true|false|null/y;

class Reader {
  readonly text: string;
  at = 0;
  constructor(text: string) {
    this.text = text;
  }
  space(): void {
    while (' \t\n\r'.includes(this.text[this.at] ?? 'x')) this.at++;
  }
  end(): void {
    this.space();
    if (this.at < this.text.length) throw new SyntaxError(`more text at ${this.at}`);
  }
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text) ?? undefined;
    if (match !== undefined) this.at = pattern.lastIndex;
    return match;
  }
  value(): string {
    this.space();
    const start = this.text[this.at];
    if (start === '[') return `[${this.items().join(',')}]`;
    if (start === '{') return `{${this.members().join(',')}}`;
    const string = this.match(STRING);
    if (string !== undefined) return JSON.stringify(JSON.parse(string[0]));
    const number = this.match(NUMBER);
    if (number !== undefined) {
      const real = number[1] !== undefined || number[2] !== undefined;
      return real ? String(Number(number[0]) + 0) : number[0] === '-0' ? '0' : number[0];
    }
    const word = this.match(WORD);
    if (word !== undefined) return word[0];
    throw new SyntaxError(`no JSON value at ${this.at}`);
  }
  items(): string[] {
    const items: string[] = [];
    this.list(']', () => items.push(this.value()));
    return items;
  }
  members(): string[] {
    const members: [string, string][] = [];
    this.list('}', () => {
      this.space();
      const key = this.match(STRING);
      if (key === undefined) throw new SyntaxError(`no key at ${this.at}`);
      this.space();
      if (this.text[this.at++] !== ':') throw new SyntaxError(`no colon at ${this.at}`);
      members.push([JSON.stringify(JSON.parse(key[0])), this.value()]);
    });
    members.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    return members.map(([key, value]) => `${key}:${value}`);
  }
  list(close: string, item: () => void): void {
    this.at++;
    this.space();
    if (this.text[this.at] === close) {
      this.at++;
      return;
    }
    for (;;) {
      item();
      this.space();
      const next = this.text[this.at++];
      if (next === close) return;
      if (next !== ',') throw new SyntaxError(`no comma at ${this.at}`);
    }
  }
}
