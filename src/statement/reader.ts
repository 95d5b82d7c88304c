// Reads statements, most of which are of a pattern that came before. Bounded.
import { createByteCache, createSightings } from '../base/cache.ts';
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
/** What patterns are found by: so many characters at most, and so many where none of these is there. */
const MOST_BEGINNING = 256;
const PLAIN_BEGINNING = 24;
/** Of the patterns that are remembered, two bytes a character. */
const PATTERNS_BYTES = 8 * 1024 * 1024;
const PATTERN_BYTES = 300;
/** Shapes that may come again. */
const SIGHTINGS = 10_000;

/**
 * @param maxBytes of a statement in UTF-8
 * @returns throws GatewayError with a statement-* or wrong-params code
 */
export function createStatementReader(
  maxBytes: number,
): (text: string, params: readonly ParamValue[]) => Read {
  const patterns = createByteCache<readonly Pattern[]>({ maxBytes: PATTERNS_BYTES, bytesOf });
  const sightings = createSightings(SIGHTINGS);
  return (text, params) => {
    const beginning = params.length === 0 ? beginningOf(text) : '';
    const alike = beginning === '' ? undefined : patterns.get(beginning);
    if (alike !== undefined) {
      checkText(text, maxBytes);
      for (const pattern of alike) {
        const literals = literalsIn(text, pattern);
        // The very string of before: what is remembered by it is found without a look at its characters.
        if (literals !== undefined) return { shape: pattern.shape, literals, again: true };
      }
    }
    const places: number[] = [];
    const read = readStatement(text, params, maxBytes, places);
    // Most shapes that are asked once are never asked again.
    const again = sightings.again(read.shape);
    const isFound = beginning !== '' && beginning.length <= (places[0] ?? text.length);
    const pattern = again && isFound ? patternOf(text, read, places) : undefined;
    if (pattern !== undefined) patterns.set(beginning, [pattern, ...(alike ?? [])].slice(0, ALIKE));
    return { shape: read.shape, literals: read.literals, again };
  };
}

/** What comes before the first literal, or is a part of that: it mostly names what is asked for. */
function beginningOf(text: string): string {
  let end = MOST_BEGINNING;
  for (const character of BEFORE_LITERALS) {
    const at = text.indexOf(character);
    if (at >= 0 && at < end) end = at;
  }
  return text.slice(0, end < MOST_BEGINNING ? end : PLAIN_BEGINNING);
}

function bytesOf(patterns: readonly Pattern[]): number {
  let bytes = 0;
  for (const { shape, pieces } of patterns) {
    bytes += PATTERN_BYTES + 2 * shape.length;
    for (const piece of pieces) bytes += 2 * piece.length;
  }
  return bytes;
}
