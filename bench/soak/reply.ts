// One answer over HTTP, whole or not at all, and what its status says of the gateway.
import { type Agent, get, type IncomingMessage } from 'node:http';
import type { Outcome } from './record.ts';

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly cacheStatus: string;
}

/** @throws where the connection ends before the answer is whole. */
export function readReply(url: string, agent?: Agent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = get(url, agent === undefined ? {} : { agent }, (message: IncomingMessage) => {
      const parts: Buffer[] = [];
      message.on('data', (part: Buffer) => parts.push(part));
      message.on('error', reject);
      message.on('end', () => {
        if (!message.complete) reject(new Error('the answer is not whole'));
        else
          resolve({
            status: message.statusCode ?? 0,
            body: Buffer.concat(parts).toString('utf8'),
            cacheStatus: String(message.headers['cache-status'] ?? 'none'),
          });
      });
    });
    request.on('error', reject);
  });
}

/** An answer of the gateway's own that says "not now" or "not this" is no fault of it; a 500 is. */
export function outcomeOf(status: number): Outcome {
  if (status === 200) return 'answered';
  if (status === 429 || status === 503) return 'busy';
  return status >= 500 ? 'failed' : 'refused';
}

/**
 * The outcome of a statement that is right in itself. A 400 is a failure then, but for two: the deadline's own, and
 * that of a shape which ran when a lane had to be killed.
 */
export function outcomeOfGood({ status, body }: Reply): Outcome {
  if (status !== 400) return outcomeOf(status);
  if (body.includes('"limit-time"')) return 'stopped';
  return body.includes('"statement-refused"') ? 'struck' : 'failed';
}
