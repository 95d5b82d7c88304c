// Reads statements, most of which are of a pattern that came before. Bounded.
import { createByteCache, createSightings } from '../base/cache.ts';
import { ownText } from '../base/own-text.ts';
import type { ParamValue } from './param.ts';
import { literalsIn, type Pattern, patternOf } from './pattern.ts';
import { checkText, readStatement, type Statement } from './statement.ts';

/** A statement, and whether its shape may have come before. */
export interface Read extends Statement {
  readonly again: boolean;
}

/** Patterns that begin alike; each is compared with a text in turn. */
const ALIKE = 16;
/** Before most literals stands one of these, if they are not a text in quotes. */
const BEFORE_LITERALS = ['=', "'", '<', '>'] as const;
/** Or a number stands behind a word, a parenthesis or a comma. */
const NUMBER = /[ (,]\d/;
/** What patterns are found by. */
const MOST_BEGINNING = 256;
/** Of the patterns that are remembered, two bytes a character. */
const PATTERNS_BYTES = 8 * 1024 * 1024;
const PATTERN_BYTES = 300;
/** Shapes that may come again. */
const SIGHTINGS = 10_000;

/**
 * @param maxBytes of a statement in UTF-8
 * @returns a reader that throws GatewayError with a statement-* or wrong-params code
 */
export function createStatementReader(
  maxBytes: number,
): (text: string, params: readonly ParamValue[]) => Read {
  const patterns = createByteCache<readonly Pattern[]>({ maxBytes: PATTERNS_BYTES, bytesOf });
  const sightings = createSightings(SIGHTINGS);
  let unkept = 0;

  const remember = (beginning: string, pattern: Pattern, alike: readonly Pattern[]): void => {
    // Where more come in turn than are kept, to make one for each would cost more than it saves.
    if (alike.length === ALIKE && ++unkept % ALIKE > 0) return;
    patterns.set(ownText(beginning), [pattern, ...alike].slice(0, ALIKE));
  };

  return (text, params) => {
    const beginning = params.length === 0 ? beginningOf(text) : '';
    const alike = beginning === '' ? [] : (patterns.get(beginning) ?? []);
    if (alike.length > 0) checkText(text, maxBytes);
    for (const pattern of alike) {
      const literals = literalsIn(text, pattern);
      // The very string of before: what is remembered by it is found without a look at its characters.
      if (literals !== undefined) return { shape: pattern.shape, literals, again: true };
    }
    const places: number[] = [];
    const { shape: read, literals } = readStatement(text, params, maxBytes, places);
    // A part of the text keeps all of it in memory, and a shape is kept by whoever remembers something of it.
    const shape = literals.length === 0 && read.length < text.length ? ownText(read) : read;
    // Most shapes that are asked once are never asked again.
    const again = sightings.again(shape);
    const isFound = beginning !== '' && beginning.length <= (places[0] ?? text.length);
    const pattern = again && isFound ? patternOf(text, { shape, literals }, places) : undefined;
    if (pattern !== undefined) remember(beginning, pattern, alike);
    return { shape, literals, again };
  };
}

/** What comes before the first literal, or is a part of that: it mostly names what is asked for. */
function beginningOf(text: string): string {
  let end = MOST_BEGINNING;
  for (const character of BEFORE_LITERALS) {
    const at = text.indexOf(character);
    if (at >= 0 && at < end) end = at;
  }
  const head = text.slice(0, end);
  const number = head.search(NUMBER);
  return number < 0 ? head : text.slice(0, number + 1);
}

function bytesOf(patterns: readonly Pattern[], beginning: string): number {
  let bytes = 2 * beginning.length;
  for (const { shape, pieces } of patterns) {
    bytes += PATTERN_BYTES + 2 * shape.length;
    for (const piece of pieces) bytes += 2 * piece.length;
  }
  return bytes;
}
