// Where in a statement an error's message points to. Messages name a byte and the word there, or a name; where
// none fits, the place is unknown. No DOM.

export interface ErrorPlace {
  readonly from: number;
  readonly to: number;
}

/** @returns undefined where the message tells no place */
export function errorPlace(statement: string, message: string): ErrorPlace | undefined {
  return placeByPosition(statement, message) ?? placeByName(statement, message);
}

/** `line 2, column 5`; only the column where there is one line. */
export function placeName(statement: string, { from }: ErrorPlace): string {
  const before = statement.slice(0, from).split('\n');
  const column = `column ${(before.at(-1)?.length ?? 0) + 1}`;
  return statement.includes('\n') ? `line ${before.length}, ${column}` : column;
}

/** `syntax error at position 18 near '3.14'`: bytes up to the end of the word; to its start where it is no token. */
function placeByPosition(statement: string, message: string): ErrorPlace | undefined {
  const [, digits, near = ''] = /syntax error at position (\d+) near '(.*)'$/s.exec(message) ?? [];
  if (digits === undefined || statement === '') return undefined;
  const at = characterAt(statement, Number(digits));
  if (near === '') return { from: Math.max(0, at - 1), to: Math.max(1, at) };
  const before = statement.lastIndexOf(near, at - near.length);
  // What is no token stands after the place; of a name or blob that is not closed, a quote stands before.
  const from = statement.startsWith(near, at) ? at : before;
  if (from >= 0) return { from, to: from + near.length };
  const last = Math.min(Math.max(0, at - 1), statement.length - 1);
  return { from: last, to: last + 1 };
}

/** The index of the character that so many bytes of UTF-8 stand before. */
function characterAt(text: string, bytes: number): number {
  let count = 0;
  let at = 0;
  for (const character of text) {
    if (count >= bytes) break;
    const code = character.codePointAt(0) ?? 0;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += character.length;
  }
  return at;
}

/** `no such column: t.x`, `no such: f` (a function), `wrong number of arguments to function f()`. */
function placeByName(statement: string, message: string): ErrorPlace | undefined {
  const [, name] =
    /(?:no such(?: column| table)?|ambiguous column name): (.+?)\.?$/im.exec(message) ??
    /\bfunction (\w+)\(\)/.exec(message) ??
    [];
  if (name === undefined) return undefined;
  return nameAt(statement, name) ?? nameAt(statement, name.slice(name.lastIndexOf('.') + 1));
}

function nameAt(statement: string, name: string): ErrorPlace | undefined {
  if (name === '') return undefined;
  const whole = new RegExp(`(?<![\\w$])${escaped(name)}(?![\\w$])`, 'i').exec(statement);
  const from = whole?.index ?? statement.toLowerCase().indexOf(name.toLowerCase());
  return from < 0 ? undefined : { from, to: from + name.length };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
