// GET and POST /query: a statement in, rows out. Reads the request and names the answer; what runs it is the
// engine's matter.
import { LRUCache } from 'lru-cache';
import type { AskedRows } from '../answer/asked-rows.ts';
import type { CacheState, Rows, RowsSource } from '../answer/rows.ts';
import { GatewayError } from '../errors.ts';
import { type Answer, NO_HEADERS, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { Limits } from '../protocol.ts';
import { syntaxErrorAt } from '../statement/place.ts';
import { readStatement } from '../statement/statement.ts';
import { createQueryKeys, type QueryKeys } from './query-keys.ts';
import { acceptsJson, MEDIA_HEADERS } from './query-media.ts';
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

/** A query read, and what it is known by while its snapshot is served. */
interface Asked extends AskedRows {
  readonly tag: string;
}

/** Query strings that were answered from the cache before are not read again: up to so many bytes of them. */
const READ_BYTES = 16 * 1024 * 1024;
const READ_ENTRY_BYTES = 500;

export function queryRoute(context: QueryContext): Route {
  const read = new LRUCache<string, Asked>({
    maxSize: READ_BYTES,
    maxEntrySize: READ_BYTES / 64,
    sizeCalculation: ({ key, job }, name) =>
      2 * (name.length + 2 * key.length + job.shape.length) + READ_ENTRY_BYTES,
  });
  const keys = createQueryKeys(context.build);
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
        const asked = again ?? readQuery(context, keys, queryOfSearch(search, accept));
        const kept = keptAnswer(context, request, asked);
        if (kept === undefined)
          return runQuery(context, request, asked, () => queryOfSearch(search, accept).statement);
        if (again === undefined && kept.cache !== undefined) read.set(name, asked);
        return kept;
      },
      POST: async (request) => {
        const query = queryOfBody(await request.body(), request.header('accept'));
        const asked = readQuery(context, keys, query);
        return (
          keptAnswer(context, request, asked) ?? runQuery(context, request, asked, () => query.statement)
        );
      },
    },
  };
}

/** @throws GatewayError where it is no single readable statement */
function readQuery(context: QueryContext, keys: QueryKeys, query: QueryRequest): Asked {
  const { output } = query;
  const { shape, literals } = readStatement(query.statement, query.params, context.maxStatementBytes);
  const { snapshotId: snapshot } = context.serving();
  const job = { kind: 'query', shape, literals, output, limits: context.limits } as const;
  const { shapeKey, key } = keys(snapshot, job);
  return { snapshot, job, shapeKey, key, tag: entityTag([key]) };
}

/** The answer where nothing needs to be run: the client has it, or the gateway has its rows. */
function keptAnswer(context: QueryContext, request: Request, asked: Asked): Answer | undefined {
  // Only a 200 of this very request carries this tag, so whoever has it has the right answer already.
  if (matchesTag(request.header('if-none-match'), asked.tag)) return notModified(asked);
  const rows = context.rows.kept(asked);
  return rows === undefined ? undefined : rowsAnswer(rows, asked);
}

async function runQuery(
  context: QueryContext,
  request: Request,
  asked: Asked,
  statement: () => string,
): Promise<Answer> {
  try {
    return rowsAnswer(await context.rows.rows(asked, askerOf(request)), asked);
  } catch (error) {
    // Who runs statements knows their shape; where that does not fit, their text is here alone.
    if (!(error instanceof GatewayError) || error.token === undefined) throw error;
    const { code, hint, token } = error;
    throw new GatewayError(code, syntaxErrorAt(statement(), token), { hint });
  }
}

function notModified({ tag, snapshot }: Asked): Answer {
  return { status: 304, headers: ['ETag', tag, ...VARY], body: '', snapshot };
}

/** RFC 9211. */
const CACHE_STATUS: { readonly [S in CacheState]: string } = {
  hit: 'tablegate; hit',
  miss: 'tablegate; fwd=miss',
  shared: 'tablegate; fwd=miss; collapsed',
};

/** No rows to unwrap is 404: clients rely on it for tokens that do not exist. */
function rowsAnswer({ reply, cache }: Rows, { snapshot, job, tag }: Asked): Answer {
  const { format, unwrap } = job.output;
  if (unwrap && reply.rows === 0) return { ...NOTHING_FOUND, snapshot: reply.snapshot };
  const lines = unwrap && format === 'objects' && reply.rows > 1;
  const type = lines ? JSON_LINES_TYPE : MEDIA_HEADERS[format];
  // While lanes swap, a reply may be of another snapshot than the tag.
  const tagged = reply.deterministic && reply.snapshot === snapshot ? ['ETag', tag] : NO_HEADERS;
  const headers = [...type, ...tagged, ...VARY, 'Cache-Status', CACHE_STATUS[cache]];
  const times = cache === 'hit' ? {} : { times: reply };
  const answer: Answer = {
    status: 200,
    headers,
    body: reply.body,
    snapshot: reply.snapshot,
    cache,
    ...times,
  };
  return reply.rest === undefined ? answer : { ...answer, rest: reply.rest };
}
