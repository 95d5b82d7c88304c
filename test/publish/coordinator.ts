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
  /** Which statements are never answered. */
  isSilent: (sql: string) => boolean;
  /** Which are answered with an error. */
  isWrong: (sql: string) => boolean;
  /** CREATE TABLE is answered when so many of them wait. */
  together: number;
  /** The most of them that ever waited. */
  readonly most: number;
  stop(): void;
}

export async function startCoordinator(): Promise<Coordinator> {
  const schemas = new Map<string, Set<string>>();
  let isSilent = (_sql: string): boolean => false;
  let isWrong = isSilent;
  const asked: string[] = [];
  let together = 1;
  let waiting: (() => void)[] = [];
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
    const error = isWrong(sql) ? { errorName: 'NO_LUCK', message: 'not now' } : undefined;
    if (error === undefined) run(sql);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'one', stats: { state: 'FINISHED' }, error }));
  };
  const server = createServer(async (request, response) => {
    const sql = await text(request);
    asked.push(sql);
    if (isSilent(sql)) return;
    if (!sql.startsWith('CREATE TABLE ')) {
      answer(response, sql);
      return;
    }
    waiting.push(() => answer(response, sql));
    most = Math.max(most, waiting.length);
    if (waiting.length < together) return;
    // Whatever was sent with them comes first.
    setImmediate(() => {
      const all = waiting;
      waiting = [];
      for (const each of all) each();
    });
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
    get isWrong() {
      return isWrong;
    },
    set isWrong(is) {
      isWrong = is;
    },
    get together() {
      return together;
    },
    set together(count) {
      together = count;
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
