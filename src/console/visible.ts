// Characters that are not seen, but turn the direction of what stands around them or hide in it: shown by their number,
// so that a text is read as what it is. No DOM.

/** Marks of direction, zero-width spaces, controls. Joiners make letters and emoji, and stay. */
export const HIDDEN =
  /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/g;

/** For texts that are only looked at: `[U+202E]`. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character) => hiddenName(character.charCodeAt(0)));
}

export function hiddenName(code: number): string {
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** A JSON text of the same value: `\u202e`. */
export function visibleJson(text: string): string {
  return text.replaceAll(
    HIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
