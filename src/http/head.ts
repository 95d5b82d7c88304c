// What HTTP asks of a request's head beyond what Node's parser holds.
import type { IncomingMessage } from 'node:http';
import type { Answer } from './answer.ts';
import { errorAnswer } from './failure.ts';

/** Node bounds the bytes; this many lines is more than any client or chain of proxies sends. */
const MAX_LINES = 256;
const CLOSE: readonly string[] = ['Connection', 'close'];

function isAbsolute(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** The refusal of a head that could mean one thing to a proxy and another here; undefined where it is fine. */
export function refusalOfHead(message: IncomingMessage): Answer | undefined {
  const { rawHeaders, httpVersionMinor, method, url = '' } = message;
  // RFC 9112 section 3.2: a path, what proxies send, or `*` for the whole server.
  if (!url.startsWith('/') && !isAbsolute(url) && !(url === '*' && method === 'OPTIONS'))
    return errorAnswer('bad-request', 'The request target is neither a path nor an http address.');
  if (rawHeaders.length > 2 * MAX_LINES)
    return errorAnswer('headers-too-large', `The request has more than ${MAX_LINES} header lines.`, {
      headers: CLOSE,
    });
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  // RFC 9112 section 3.2; HTTP/1.0 knew no Host.
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return undefined;
  return errorAnswer('bad-request', 'An HTTP/1.1 request needs exactly one Host header.', { headers: CLOSE });
}
