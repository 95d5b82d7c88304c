// Sends cases to a gateway, a bounded number at a time over kept connections, and gives back the replies.
import { Agent, request } from 'node:http';
import { type Case, wireOf } from './case.ts';
import type { Reply } from './compare.ts';

/** A gateway by its base address, such as `http://127.0.0.1:8080/api/v1`. */
export interface Client {
  ask(test: Case): Promise<Reply>;
  close(): void;
}

export function gatewayClient(base: string, connections = 8): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    ask: (test) => ask(agent, base, test),
    close: () => agent.destroy(),
  };
}

function ask(agent: Agent, base: string, test: Case): Promise<Reply> {
  const wire = wireOf(test);
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = {};
    if (wire.body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(wire.body);
    }
    const sent = request(`${base}${wire.path}`, { agent, method: wire.method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const type = (response.headers['content-type'] ?? '').split(';')[0] ?? '';
        const body = Buffer.concat(chunks).toString('utf8');
        const cache = response.headers['cache-status'] as string | undefined;
        resolve({ status: response.statusCode ?? 0, type: type.trim().toLowerCase(), body, cache });
      });
    });
    sent.on('error', reject);
    sent.end(wire.body);
  });
}
