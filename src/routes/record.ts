// What the engine answers to a job that is no query: one record as JSON, or null.

const utf8 = new TextDecoder();

/** The engine's own JSON: its shape is protocol.ts's promise, not checked again. */
export function readRecord<T>(body: Uint8Array | string): T | null {
  return JSON.parse(typeof body === 'string' ? body : utf8.decode(body)) as T | null;
}
