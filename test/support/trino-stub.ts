// What speaks Trino's protocol and answers as a test says: late, never, too much. Real clusters are test/support/trino.ts's.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../lane/support.ts';

export interface TrinoStub {
  readonly url: string;
  /** All that came: `POST` and the statement, `GET` or `DELETE` and the path. */
  readonly came: readonly string[];
  /** What is not answered in here waits. DELETE is answered already. */
  answer: (request: string, response: ServerResponse) => void;
  /** Until such a request has come. */
  has(request: RegExp): Promise<void>;
  stop(): Promise<void>;
}

/** No test waits for less: a machine may be loaded. */
const PATIENCE_MS = 120_000;

export async function startTrinoStub(answer: TrinoStub['answer']): Promise<TrinoStub> {
  const came: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const what = `${request.method} ${request.method === 'POST' ? body : request.url}`;
    came.push(what);
    if (request.method === 'DELETE') response.writeHead(204).end();
    else stub.answer(what, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stub: TrinoStub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    came,
    answer,
    has: (request) => until(() => came.some((each) => request.test(each)), PATIENCE_MS),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return stub;
}

/** @param of such as `{ data: [[1]] }`, `{ nextUri: 'http://any/1' }` or `{ error: { errorName: 'NOT_SUPPORTED' } }` */
export function page(response: ServerResponse, of: Readonly<Record<string, unknown>>): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'x', ...of }));
}
