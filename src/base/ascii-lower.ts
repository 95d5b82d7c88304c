// Lower case as SQLite has it for names: of ASCII letters alone. JavaScript's own also makes ASCII letters of two others (`k` of
// U+212A, `i` of U+0130), and a name would be taken for another one.

/** Nearly every name is in lower case already: to see that is all that it costs. */
export function asciiLower(text: string): string {
  let hasUpper = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    if (code >= 65 && code <= 90) hasUpper = true;
  }
  return hasUpper ? text.toLowerCase() : text;
}
