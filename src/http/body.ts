// A request's body, bounded: JSON in UTF-8, not compressed. Knows no members: routes do.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';

/**
 * @throws GatewayError unsupported-media-type, body-too-large
 */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  checkType(message);
  const tooLarge = (): GatewayError =>
    new GatewayError('body-too-large', `The request body is larger than ${maxBytes} bytes.`);
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
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

/** A missing Content-Type is taken for JSON, as the reference takes every one. */
function checkType(message: IncomingMessage): void {
  const encoding = message.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new GatewayError('unsupported-media-type', 'The request body must not be compressed.');
  const header = message.headers['content-type'];
  if (header === undefined || header === 'application/json') return;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8);
  if (type !== 'application/json')
    throw new GatewayError('unsupported-media-type', 'The request body must be application/json.');
  if (charset !== undefined && charset.replaceAll('"', '').replace('-', '') !== 'utf8')
    throw new GatewayError('unsupported-media-type', 'The request body must be in UTF-8.');
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
  if (bytes.byteLength === 0) throw new GatewayError('bad-body', 'The request body is empty.');
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new GatewayError('bad-body', 'The request body is not UTF-8.');
  }
  const value = parse(text);
  if (!HAS_LONG_INTEGER.test(text)) return value;
  const marked = text.replace(STRING_OR_LONG_INTEGER, (token) =>
    token.startsWith('"') || !/^-?\d{16,}$/.test(token) ? token : `{"${LONG}":"${token}"}`,
  );
  return JSON.parse(marked, (_key, member) =>
    typeof member === 'object' && member !== null && LONG in member ? BigInt(member[LONG]) : member,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // V8's message quotes the client's own text and a position, nothing of ours.
    const why = error instanceof Error ? error.message : '';
    throw new GatewayError('bad-body', `The request body is not valid JSON: ${why}`);
  }
}
