// A request's body, bounded, and read as JSON whatever its Content-Type says, as the reference does: a browser's
// fetch() of a string says text/plain. Knows no members: routes do.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../base/errors.ts';
import { badBody } from '../base/reference-words.ts';
import { jsonFault } from './json-fault.ts';

/**
 * @param begin called when nothing is against reading it
 * @throws GatewayError body-too-large, or bad-request where it is cut off
 */
export async function readBody(
  message: IncomingMessage,
  maxBytes: number,
  begin: () => void,
): Promise<Buffer> {
  const tooLarge = (): GatewayError =>
    new GatewayError('body-too-large', `The request body is larger than ${maxBytes} bytes.`);
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  begin();
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      message.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
    };
    const fail = (error: GatewayError): void => {
      leave();
      // Read on and drop: a connection that is closed on a client that still sends is reset, and the client
      // never sees the answer. The server's timeout for a whole request bounds it.
      message.on('error', () => {}).resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) fail(tooLarge());
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      leave();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const onCut = (): void => fail(new GatewayError('bad-request', 'The request body is cut off.'));
    message.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Strings, and numbers of 16 and more digits that are whole: JSON.parse would round them. */
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const HAS_LONG_INTEGER = /\d{16}/;
/** Key of an object that stands for a long integer; nobody outside can know it. */
const LONG = randomUUID();

/**
 * As JSON.parse, but whole numbers of 16 and more digits come as bigint, so that no digit is lost.
 * @throws GatewayError bad-body
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const value = parse(text, bytes);
  if (!HAS_LONG_INTEGER.test(text)) return value;
  const marked = text.replace(STRING_OR_LONG_INTEGER, (token) =>
    token.startsWith('"') || !/^-?\d{16,}$/.test(token) ? token : `{"${LONG}":"${token}"}`,
  );
  return JSON.parse(marked, (_key, member) =>
    typeof member === 'object' && member !== null && LONG in member ? BigInt(member[LONG]) : member,
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw noJson(jsonFault(bytes) ?? 'invalid UTF-8', 'The body must be JSON in UTF-8, not compressed.');
  }
}

function parse(text: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noJson(
      jsonFault(bytes) ?? 'invalid character after top-level value',
      text === '' ? 'The body is empty.' : 'The body must be one JSON object with the member "statement".',
    );
  }
}

function noJson(why: string, hint: string): GatewayError {
  return new GatewayError('bad-body', badBody(why), { hint });
}
