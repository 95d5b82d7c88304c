// The limit of the machine and of node:http: a server that does nothing but send prepared bytes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BareAnswer {
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** base64 */
  readonly body: string;
}

process.once('message', (answers: readonly BareAnswer[]) => {
  const prepared = new Map(
    answers.map(({ path, headers, body }) => {
      const bytes = Buffer.from(body, 'base64');
      const list: string[] = [...headers.flat(), 'content-length', String(bytes.length)];
      return [path, { bytes, headers: list }] as const;
    }),
  );
  const first = [...prepared.values()][0];
  if (first === undefined) throw new Error('no answer to send');
  const server = createServer((request, response) => {
    const answer = prepared.get(request.url ?? '') ?? first;
    response.writeHead(200, answer.headers);
    response.end(answer.bytes);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
process.on('disconnect', () => process.exit(0));
