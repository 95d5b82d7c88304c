// What statements of one shape mostly have in common to the letter: the text between their literals. A statement of a
// known pattern is not read again: its text is compared piece by piece, and only its literals are looked at.
import { ownText } from '../base/own-text.ts';
import type { Literal } from '../wire/protocol.ts';
import { blobLiteral, numberLiteral, textLiteral } from './literal.ts';
import { endOfBlob, endOfNumber, endOfQuoted, isDigit, isNamePart } from './scan.ts';
import type { Statement } from './statement.ts';

export interface Pattern {
  readonly shape: string;
  /** Before the first literal, between two, and after the last. */
  readonly pieces: readonly string[];
  /** A literal of another kind is of another shape. */
  readonly kinds: readonly Literal['kind'][];
}

/** With more literals, or longer, a statement is read each time: a comparison must cost less than that. */
const MOST_LITERALS = 32;
const MOST_CHARACTERS = 4_096;

const QUOTE = 39;
const DOT = 46;
/** In lower case; that of upper case has one bit less. */
const X = 120;

/**
 * @param places where each literal begins and ends, by turns
 * @returns undefined where a statement with other literals between the same pieces might be another one
 */
export function patternOf(
  text: string,
  { shape, literals }: Statement,
  places: readonly number[],
): Pattern | undefined {
  if (literals.length > MOST_LITERALS || text.length > MOST_CHARACTERS) return undefined;
  const pieces: string[] = [];
  let at = 0;
  for (let i = 0; i < places.length; i += 2) {
    const [from = 0, to = 0] = places.slice(i, i + 2);
    // `a.5` are a name and a number, `a5` is one name; `..5` are a point and a number, and so are `.5` and `.` not.
    const before = text.charCodeAt(from - 1);
    if (isNamePart(before) || before === DOT) return undefined;
    // Quicker to compare, too.
    pieces.push(ownText(text.slice(at, from)));
    at = to;
  }
  pieces.push(ownText(text.slice(at)));
  return { shape, pieces, kinds: literals.map(({ kind }) => kind) };
}

/** Undefined where the text is of another pattern, or so long that to find that out would take its time. */
export function literalsIn(text: string, { pieces, kinds }: Pattern): readonly Literal[] | undefined {
  const [first = ''] = pieces;
  if (text.length > MOST_CHARACTERS) return undefined;
  // Of most others this is enough to tell.
  if (text.charCodeAt(first.length - 1) !== first.charCodeAt(first.length - 1)) return undefined;
  if (text.slice(0, first.length) !== first) return undefined;
  const ends: number[] = [];
  let at = first.length;
  for (let i = 0; i < kinds.length; i++) {
    const end = endOfLiteral(text, at, kinds[i] as Literal['kind']);
    if (end < 0) return undefined;
    const piece = pieces[i + 1] as string;
    at = end + piece.length;
    if (text.slice(end, at) !== piece) return undefined;
    ends.push(end);
  }
  return at === text.length ? literalsBetween(text, pieces, kinds, ends) : undefined;
}

/** Undefined where a number is of another kind. */
function literalsBetween(
  text: string,
  pieces: readonly string[],
  kinds: readonly Literal['kind'][],
  ends: readonly number[],
): readonly Literal[] | undefined {
  const literals: Literal[] = [];
  let at = 0;
  for (let i = 0; i < kinds.length; i++) {
    const kind = kinds[i] as Literal['kind'];
    const end = ends[i] as number;
    at += (pieces[i] as string).length;
    if (kind === 'text') literals.push(textLiteral(text, at, end));
    else if (kind === 'blob') literals.push(blobLiteral(text, at, end));
    else {
      const literal = numberLiteral(text, at, end);
      if (literal.kind !== kind) return undefined;
      literals.push(literal);
    }
    at = end;
  }
  return literals;
}

/** -1 where none of the kind begins there, or it is not closed. */
function endOfLiteral(text: string, at: number, kind: Literal['kind']): number {
  const code = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  if (kind === 'text') return code === QUOTE ? endOfQuoted(text, at, code) : -1;
  if (kind === 'blob') return (code | 32) === X && next === QUOTE ? endOfBlob(text, at) : -1;
  return isDigit(code) || (code === DOT && isDigit(next)) ? endOfNumber(text, at) : -1;
}
