/** The bytes of a reply's body, which is a string where it is ASCII. */
export function bodyBytes(body: Uint8Array | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : Buffer.from(body);
}
