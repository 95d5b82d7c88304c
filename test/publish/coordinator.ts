// What a publisher sees of Trino's coordinator when it makes schemas and tables: which there are, how many statements were
// under way at once, and one that takes requests and never answers. A real one is test/long/remote-lake.test.ts's.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Coordinator {
  readonly url: string;
  /** Schema -> its tables. */
  readonly schemas: ReadonlyMap<string, ReadonlySet<string>>;
  /** Statements in order. */
  readonly asked: string[];
  /** Whether statements are to be answered; those that came before it was so never are. */
  isSilent: (sql: string) => boolean;
  /** Of statements: the most that were there before one of them was answered. */
  readonly most: number;
  stop(): void;
}

export async function startCoordinator(): Promise<Coordinator> {
  const schemas = new Map<string, Set<string>>();
  let isSilent = (_sql: string): boolean => false;
  const asked: string[] = [];
  let underWay = 0;
  let most = 0;
  const run = (sql: string): void => {
    const [, what = '', schema = '', table = ''] =
      /^(\w+ (?:SCHEMA|TABLE))(?: IF (?:NOT )?EXISTS)? lake_publish\."(\w+)"(?:\."(\w+)")?/.exec(sql) ?? [];
    if (what === 'CREATE SCHEMA') schemas.set(schema, schemas.get(schema) ?? new Set());
    else if (what === 'DROP SCHEMA') schemas.delete(schema);
    else if (what === 'CREATE TABLE') schemas.get(schema)?.add(table);
    else if (what === 'DROP TABLE') schemas.get(schema)?.delete(table);
    else throw new Error(`no publisher asks ${sql}`);
  };
  const answer = (response: ServerResponse, sql: string): void => {
    underWay -= 1;
    run(sql);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'one', stats: { state: 'FINISHED' } }));
  };
  const server = createServer(async (request, response) => {
    const sql = await text(request);
    asked.push(sql);
    if (isSilent(sql)) return;
    underWay += 1;
    most = Math.max(most, underWay);
    // Others that were sent with it come first.
    setImmediate(() => setImmediate(() => answer(response, sql)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ schemas, asked },
    get isSilent() {
      return isSilent;
    },
    set isSilent(is) {
      isSilent = is;
    },
    get most() {
      return most;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
