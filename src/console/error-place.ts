// Where in a statement an error's message points to. Messages name a character, the words around the place or
// a name; where none fits, the place is unknown. No DOM.

export interface ErrorPlace {
  readonly from: number;
  readonly to: number;
}

/** @returns undefined where the message tells no place */
export function errorPlace(statement: string, message: string): ErrorPlace | undefined {
  return (
    placeByCharacter(statement, message) ??
    placeByWords(statement, message) ??
    placeByName(statement, message)
  );
}

/** `line 2, column 5`; only the column where there is one line. */
export function placeName(statement: string, { from }: ErrorPlace): string {
  const before = statement.slice(0, from).split('\n');
  const column = `column ${(before.at(-1)?.length ?? 0) + 1}`;
  return statement.includes('\n') ? `line ${before.length}, ${column}` : column;
}

function placeByCharacter(statement: string, message: string): ErrorPlace | undefined {
  const [, digits] = /\bcharacter (\d+)\b/.exec(message) ?? [];
  if (digits === undefined) return undefined;
  const from = Math.min(Number(digits) - 1, Math.max(0, statement.length - 1));
  return { from, to: Math.max(from + 1, wordEnd(statement, from)) };
}

/** `Syntax error near "from" after "select id ,"`: the words are those of the statement, one space between. */
function placeByWords(statement: string, message: string): ErrorPlace | undefined {
  const [, atEnd, near, after] =
    /^Syntax error (?:(at the end)|near ("(?:[^"\\]|\\.)*"))(?: after ("(?:[^"\\]|\\.)*"))?/.exec(message) ??
    [];
  if (atEnd !== undefined) {
    const to = statement.trimEnd().length;
    return to === 0 ? undefined : { from: Math.max(0, wordStart(statement, to)), to };
  }
  if (near === undefined) return undefined;
  const word = cutMark(JSON.parse(near) as string);
  const before = after === undefined ? '' : (JSON.parse(after) as string);
  const pattern = [...before.split(' ').filter((each) => each !== ''), word].map(escaped).join('\\s*');
  const match = new RegExp(pattern, 'i').exec(statement);
  if (match === null) return nameAt(statement, word);
  const to = match.index + match[0].length;
  return { from: to - word.length, to };
}

/** `no such column: t.x`, `no such function: f`, `wrong number of arguments to function f()`. */
function placeByName(statement: string, message: string): ErrorPlace | undefined {
  const [, name] =
    /(?:no such (?:column|table|function)|ambiguous column name): (.+?)\.?$/i.exec(message) ??
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

/** Long words are shown cut. */
function cutMark(word: string): string {
  return word.length > 40 && word.endsWith('...') ? word.slice(0, -3) : word;
}

function wordEnd(text: string, from: number): number {
  const rest = /^[\w$]+/.exec(text.slice(from));
  return from + (rest?.[0].length ?? 1);
}

function wordStart(text: string, to: number): number {
  const word = /[\w$]+$|[^\s]$/.exec(text.slice(0, to));
  return word === null ? to - 1 : word.index;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
