// GET and POST /explain: what /query would do with the same request. Which engine would run the statement and why, what
// it would be given, what is read and whether the answer is kept. Runs nothing of the statement, and refuses what
// /query refuses before it runs.
import type { Ask, Timed } from '../answer/engine.ts';
import { type Answer, JSON_TYPE } from '../http/answer.ts';
import { tagOf } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { ExplainRecord } from '../wire/protocol.ts';
import { createQueryReader, inStatement, type QueryContext } from './query.ts';
import { type QueryRequest, queryOfBody, queryOfSearch } from './query-request.ts';
import { readRecord } from './record.ts';

export interface ExplainContext extends QueryContext {
  readonly ask: Ask;
}

export function explainRoute(context: ExplainContext): Route {
  const readQuery = createQueryReader(context);
  const explain = async (request: Request, query: QueryRequest): Promise<Answer> => {
    const { rows, serving, ask } = context;
    const named = readQuery(query);
    let reply: Timed;
    try {
      reply = await ask({ ...named.job, kind: 'explain' }, askerOf(request));
    } catch (error) {
      throw context.hinted(
        inStatement(error, () => query.statement),
        () => query,
      );
    }
    const data = serving();
    const asked = rows.asked(named, data);
    const { engine, reason, why, tables = [], deterministic, snapshot } = reply;
    const { sqlite, duckdb, trino, columns } = recordOf(reply);
    const document = {
      engine,
      reason,
      why,
      rows_visited: sqlite?.visits ?? null,
      columns,
      tables: tables.map((name) => ({ name, version: data.versions.get(name) ?? snapshot })),
      cache: deterministic ? (rows.kept(asked) === undefined ? 'miss' : 'hit') : 'never',
      etag: deterministic && asked.key !== undefined ? tagOf(asked.key) : undefined,
      sqlite: sqlite && { sql: sqlite.sql, values: sqlite.values, plan: sqlite.plan },
      duckdb,
      trino,
    };
    return { status: 200, headers: JSON_TYPE, body: JSON.stringify(document), snapshot, times: reply };
  };
  return {
    word: 'explain',
    segments: 0,
    limited: true,
    handlers: {
      GET: (request) => explain(request, queryOfSearch(request.search)),
      POST: async (request) => explain(request, queryOfBody(await request.body())),
    },
  };
}

/** What the engines have said of it, one after the other. */
function recordOf({ told, body }: Timed): ExplainRecord {
  const last = readRecord<ExplainRecord>(body);
  return { columns: [], ...(told === undefined ? {} : readRecord<ExplainRecord>(told)), ...last };
}
