// Splits a CREATE TABLE statement, which SQLite accepted and keeps as text, into tokens. Never fails: what it
// does not know is a token of one character.

export interface DdlToken {
  /** `word`: keyword or bare name; `name`: in " ` or [ ]; the rest as in SQL. */
  readonly kind: 'word' | 'name' | 'text' | 'blob' | 'number' | 'mark';
  /** As written, quotes included. */
  readonly text: string;
  /** Of a word or name: quotes removed; of the rest as `text`. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const PATTERNS: readonly (readonly [DdlToken['kind'] | 'space', RegExp])[] = [
  ['space', /[\s\ufeff]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['blob', /[xX]'[0-9a-fA-F]*'/y],
  ['text', /'(?:[^']|'')*'/y],
  ['name', /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ['number', /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['word', /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y],
  ['mark', /->>?|\|\||<<|>>|<=|>=|<>|!=|==|[\s\S]/y],
];

export function ddlTokens(sql: string): readonly DdlToken[] {
  const tokens: DdlToken[] = [];
  for (let at = 0; at < sql.length; ) {
    for (const [kind, pattern] of PATTERNS) {
      pattern.lastIndex = at;
      const text = pattern.exec(sql)?.[0];
      if (text === undefined) continue;
      const end = at + text.length;
      if (kind !== 'space')
        tokens.push({ kind, text, value: kind === 'name' ? unquoted(text) : text, start: at, end });
      at = end;
      break;
    }
  }
  return tokens;
}

function unquoted(text: string): string {
  const quote = text[0] ?? '';
  const inner = text.slice(1, -1);
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote);
}
