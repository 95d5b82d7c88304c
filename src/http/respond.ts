// Puts an answer on the wire: one head with the prepared headers, then the body, with back-pressure where it
// comes in parts. Decides nothing about what is answered.
import type { ServerResponse } from 'node:http';
import { release } from '../base/release.ts';
import type { Answer } from './answer.ts';
import type { Unread } from './unread.ts';

const EXPOSED = [
  'Content-Disposition',
  'Cache-Status',
  'ETag',
  'Preference-Applied',
  'Tablegate-Snapshot',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Trace-Id',
  'Server-Timing',
  'Traceparent',
].join(', ');

/** On every answer. The reference sends the allow-lists on every answer too, not only on OPTIONS. */
export const CORS_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, OPTIONS',
  'Access-Control-Allow-Headers',
  'Accept, Accept-Language, Api-Key, Authorization, Content-Type, If-None-Match, Prefer, Tablegate-Min-Block, Tablegate-Min-Snapshot, Traceparent, Tracestate, X-Request-Id',
  'Access-Control-Expose-Headers',
  EXPOSED,
];

/** `Trace-Id` is the reference's name for it. */
export function requestIdHeaders(requestId: string): readonly string[] {
  return ['X-Request-Id', requestId, 'Trace-Id', requestId];
}

/** Of every answer that has a body: it is what its Content-Type says, and no browser is to guess. */
export const NOSNIFF: readonly string[] = ['X-Content-Type-Options', 'nosniff'];

const ONE_WRITE_BYTES = 16 * 1024;

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Of a body in parts: what its lane may send ahead, and a part that is on its way. */
const AHEAD_BYTES = 1.25 * 1024 * 1024;

/**
 * @param headers all but those of the body, which are added to them
 * @param unread is told where the client does not take it at once
 * @returns bytes of the body that were handed to the socket
 * @throws what `rest` throws, after the connection was cut so that the answer does not look whole
 */
export function respond(
  res: ServerResponse,
  answer: Answer,
  headers: string[],
  withBody: boolean,
  client: string,
  unread: Unread,
): number | Promise<number> {
  const { body, rest } = answer;
  if (rest !== undefined) return respondInParts(res, answer, rest, headers, withBody, client, unread);
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
  // 204 and 304 have no body and no length of one (RFC 9110 section 8.6).
  if (bytes > 0) headers.push(...NOSNIFF);
  if (answer.status !== 204 && answer.status !== 304) headers.push('Content-Length', String(bytes));
  res.writeHead(answer.status, headers);
  if (withBody && bytes > 0) {
    // Node joins the head with a first piece that is a string; end(piece) would add an empty one and take the
    // dearer writev. One byte a character, small bodies leave in a single plain write.
    if (bytes <= ONE_WRITE_BYTES) {
      if (typeof body !== 'string') res.write(latin1(body), 'latin1');
      // As many bytes as characters: ASCII.
      else res.write(body, bytes === body.length ? 'latin1' : 'utf8');
      res.socket?.uncork();
      res.end();
    } else {
      res.end(body);
      if (res.writableLength > 0) unread.waits(client, res, 0);
    }
    return bytes;
  }
  res.end();
  return 0;
}

async function respondInParts(
  res: ServerResponse,
  answer: Answer,
  rest: AsyncIterable<Uint8Array>,
  headers: string[],
  withBody: boolean,
  client: string,
  unread: Unread,
): Promise<number> {
  headers.push(...NOSNIFF);
  res.writeHead(answer.status, headers);
  let bytes = 0;
  const send = async (part: Uint8Array | string, sent?: () => void): Promise<void> => {
    bytes += part.length;
    if (res.write(part, sent)) return;
    unread.waits(client, res, AHEAD_BYTES);
    await drained(res);
    unread.took(res);
  };
  try {
    if (withBody) {
      await send(answer.body);
      for await (const part of rest) {
        if (res.destroyed) break;
        await send(part, () => release(part));
      }
    } else {
      // The lane's worker is free only when the parts were left.
      for await (const _part of rest) break;
    }
    res.end();
  } catch (error) {
    res.destroy();
    throw error;
  }
  return bytes;
}

/** Until the socket takes more, or is gone. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    if (res.destroyed) resolve();
    else res.on('drain', done).on('close', done);
  });
}
