// Lower case as SQLite has it for names: of ASCII letters alone. JavaScript's own also makes ASCII letters of two others (`k` of
// U+212A, `i` of U+0130), and a name would be taken for another one.

const OTHERS = /[^\0-\x7f]/;

export function asciiLower(text: string): string {
  // The plain way is several times quicker, and nearly every name is ASCII.
  return OTHERS.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}
