// The Content-Disposition header of an answer that is saved as a file (RFC 6266). Names come from clients'
// statements, so only letters, digits, `_` and `-` of them are kept.

/** Characters; with the ending it fits any file system. */
const MAX_NAME = 60;

/**
 * @param name of anything; `result` where nothing of it can be kept
 * @param extension ASCII, without the point
 */
export function contentDisposition(name: string, extension: string): string {
  const letters = [...name.slice(0, 2 * MAX_NAME).toWellFormed()].slice(0, MAX_NAME).join('');
  const plain = letters
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}_-]+/gu, '_')
    .replace(/^-+/, '');
  const named = /[\p{L}\p{N}]/u.test(plain) ? plain : 'result';
  const ascii = named.replace(/[^\w-]+/g, '_');
  const fallback = `attachment; filename="${/[^\W_]/.test(ascii) ? ascii : 'result'}.${extension}"`;
  // RFC 8187; letters and digits of other scripts are all that is left to encode.
  return ascii === named
    ? fallback
    : `${fallback}; filename*=UTF-8''${encodeURIComponent(named)}.${extension}`;
}
