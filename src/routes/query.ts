// GET and POST /query: a statement in, rows out. Reads the request and names the answer; what runs it is the
// engine's matter.
import { LRUCache } from 'lru-cache';
import type { AskedRows } from '../answer/asked-rows.ts';
import type { CacheState, Rows, RowsSource } from '../answer/rows.ts';
import { GatewayError } from '../errors.ts';
import { type Answer, NO_HEADERS, NOTHING_FOUND } from '../http/answer.ts';
import { matchesTag, tagOf } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { Limits, QueryJob } from '../protocol.ts';
import { syntaxErrorAt } from '../statement/place.ts';
import { readStatement } from '../statement/statement.ts';
import { acceptsJson, MEDIA_HEADERS } from './query-media.ts';
import { createQueryNames } from './query-names.ts';
import { type QueryRequest, queryOfBody, queryOfSearch } from './query-request.ts';
import type { Serving } from './serving.ts';

export interface QueryContext {
  readonly rows: RowsSource;
  readonly serving: () => Serving;
  readonly limits: Limits;
  readonly maxStatementBytes: number;
  /** Names this build: another one may write the same rows in other bytes. */
  readonly build: string;
}

const JSON_LINES_TYPE: readonly string[] = ['Content-Type', 'application/jsonl+json'];
/** What else than the address the answer depends on, for caches between here and the client. */
const VARY: readonly string[] = ['Vary', 'Accept, Accept-Encoding'];

/** A query that was read, and its name: the same in every state of the data. */
interface Named {
  readonly job: QueryJob;
  readonly name: string;
}

/** Query strings that were answered from the cache before are not read again: up to so many bytes of them. */
const READ_BYTES = 16 * 1024 * 1024;
const READ_ENTRY_BYTES = 500;

export function queryRoute(context: QueryContext): Route {
  const read = new LRUCache<string, AskedRows>({
    maxSize: READ_BYTES,
    maxEntrySize: READ_BYTES / 64,
    sizeCalculation: ({ name, job }, search) =>
      2 * (search.length + 2 * name.length + job.shape.length) + READ_ENTRY_BYTES,
  });
  const nameOf = createQueryNames(context.build);

  /** @throws GatewayError where it is no single readable statement */
  const readQuery = ({ statement, params, output }: QueryRequest): Named => {
    const { shape, literals } = readStatement(statement, params, context.maxStatementBytes);
    const job = { kind: 'query', shape, literals, output, limits: context.limits } as const;
    return { job, name: nameOf(job) };
  };
  const inServed = ({ job, name }: Named): AskedRows => {
    const serving = context.serving();
    return { job, name, snapshot: serving.snapshotId, key: context.rows.key({ job, name }, serving) };
  };
  return {
    word: 'query',
    segments: 0,
    limited: true,
    handlers: {
      GET: (request) => {
        const { search } = request;
        const accept = request.header('accept');
        const name = acceptsJson(accept) ? search : `${accept} ${search}`;
        const before = read.get(name);
        const again = before?.snapshot === context.serving().snapshotId ? before : undefined;
        const asked = again ?? inServed(before ?? readQuery(queryOfSearch(search, accept)));
        const kept = keptAnswer(context, request, asked);
        if (kept === undefined)
          return runQuery(context, request, asked, () => queryOfSearch(search, accept).statement);
        if (again === undefined && kept.cache !== undefined) read.set(name, asked);
        return kept;
      },
      POST: async (request) => {
        const query = queryOfBody(await request.body(), request.header('accept'));
        const asked = inServed(readQuery(query));
        return (
          keptAnswer(context, request, asked) ?? runQuery(context, request, asked, () => query.statement)
        );
      },
    },
  };
}

/** The answer where nothing needs to be run: the client has it, or the gateway has its rows. */
function keptAnswer(context: QueryContext, request: Request, asked: AskedRows): Answer | undefined {
  const { key, snapshot } = asked;
  if (key === undefined) return undefined;
  // Only a 200 of this very request carries this tag, so whoever has it has the right answer already.
  const tag = tagOf(key);
  if (matchesTag(request.header('if-none-match'), tag))
    return { status: 304, headers: ['ETag', tag, ...VARY], body: '', snapshot };
  const rows = context.rows.kept(asked);
  // It may have been made of an older snapshot, of the same data.
  return rows === undefined ? undefined : rowsAnswer(rows, asked.job, snapshot);
}

async function runQuery(
  context: QueryContext,
  request: Request,
  asked: AskedRows,
  statement: () => string,
): Promise<Answer> {
  try {
    const rows = await context.rows.rows(asked, askerOf(request));
    return rowsAnswer(rows, asked.job, rows.reply.snapshot);
  } catch (error) {
    // Who runs statements knows their shape; where that does not fit, their text is here alone.
    if (!(error instanceof GatewayError) || error.token === undefined) throw error;
    const { code, hint, token } = error;
    throw new GatewayError(code, syntaxErrorAt(statement(), token), { hint });
  }
}

/** RFC 9211. */
const CACHE_STATUS: { readonly [S in CacheState]: string } = {
  hit: 'tablegate; hit',
  miss: 'tablegate; fwd=miss',
  shared: 'tablegate; fwd=miss; collapsed',
};

/** No rows to unwrap is 404: clients rely on it for tokens that do not exist. */
function rowsAnswer({ reply, cache, key }: Rows, { output }: QueryJob, snapshot: string): Answer {
  const { format, unwrap } = output;
  if (unwrap && reply.rows === 0) return { ...NOTHING_FOUND, snapshot };
  const lines = unwrap && format === 'objects' && reply.rows > 1;
  const type = lines ? JSON_LINES_TYPE : MEDIA_HEADERS[format];
  const tagged = key === undefined ? NO_HEADERS : ['ETag', tagOf(key)];
  const headers = [...type, ...tagged, ...VARY, 'Cache-Status', CACHE_STATUS[cache]];
  const times = cache === 'hit' ? {} : { times: reply };
  const answer: Answer = {
    status: 200,
    headers,
    body: reply.body,
    snapshot,
    cache,
    ...times,
  };
  return reply.rest === undefined ? answer : { ...answer, rest: reply.rest };
}
