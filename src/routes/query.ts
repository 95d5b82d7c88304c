// GET and POST /query: a statement in, rows out. Reads the request and names the answer; what runs it is the
// engine's matter.

import type { AskedRows, NamedQuery } from '../answer/asked-rows.ts';
import type { CacheState, KeptRows, RowsSource } from '../answer/rows.ts';
import { createByteCache } from '../base/cache.ts';
import { GatewayError } from '../base/errors.ts';
import { type Answer, NOTHING_FOUND } from '../http/answer.ts';
import { matchesTag, tagOf } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import { syntaxErrorAt } from '../statement/place.ts';
import { createStatementReader } from '../statement/reader.ts';
import type { Limits, QueryJob } from '../wire/protocol.ts';
import { VARY_BY_MINIMUM } from './minimum.ts';
import type { Hinted } from './query-hints.ts';
import { acceptsJson, mediaHeaders } from './query-media.ts';
import { createQueryNames } from './query-names.ts';
import { type QueryRequest, queryOfBody, queryOfSearch } from './query-request.ts';
import type { Serving } from './serving.ts';

export interface QueryContext {
  readonly rows: RowsSource;
  readonly serving: () => Serving;
  readonly limits: Limits;
  readonly maxStatementBytes: number;
  readonly hinted: Hinted;
  /** Names this build: another one may write the same rows in other bytes. */
  readonly build: string;
}

const JSON_LINES_TYPE: readonly string[] = ['Content-Type', 'application/jsonl+json'];
/** What else than the address the answer depends on, for caches between here and the client. */
const VARY: readonly string[] = ['Vary', `Accept, Accept-Encoding, ${VARY_BY_MINIMUM}`];

/** Query strings that were answered from the cache before are not read again: up to so many bytes of them. */
const READ_BYTES = 16 * 1024 * 1024;
const READ_ENTRY_BYTES = 500;

export function queryRoute(context: QueryContext): Route {
  const read = createByteCache<AskedRows>({
    maxBytes: READ_BYTES,
    maxEntryBytes: READ_BYTES / 64,
    bytesOf: ({ name, job }, search) =>
      2 * (search.length + 2 * name.length + job.shape.length) + READ_ENTRY_BYTES,
  });
  const readQuery = createQueryReader(context);
  const inServed = (query: NamedQuery): AskedRows => context.rows.asked(query, context.serving());
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
        if (kept === undefined) return runQuery(context, request, asked, () => queryOfSearch(search, accept));
        if (again === undefined && kept.cache !== undefined) read.set(name, asked);
        return kept;
      },
      POST: async (request) => {
        const query = queryOfBody(await request.body(), request.header('accept'));
        const asked = inServed(readQuery(query));
        return keptAnswer(context, request, asked) ?? runQuery(context, request, asked, () => query);
      },
    },
  };
}

/** The query that is asked for. @throws GatewayError where it is no single readable statement */
export function createQueryReader({
  build,
  limits,
  maxStatementBytes,
  hinted,
}: Omit<QueryContext, 'rows' | 'serving'>): (request: QueryRequest) => NamedQuery {
  const readStatement = createStatementReader(maxStatementBytes);
  const nameOf = createQueryNames(build);
  return (request) => {
    const { statement, params, output } = request;
    try {
      const { shape, literals, again } = readStatement(statement, params);
      const job = { kind: 'query', shape, literals, output, limits } as const;
      return { job, name: nameOf(job, again) };
    } catch (error) {
      throw hinted(error, () => request);
    }
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
  const kept = context.rows.kept(asked);
  // It may have been made of an older snapshot, of the same data.
  return kept && rowsAnswer(kept, asked.job, { cache: 'hit', key, snapshot });
}

async function runQuery(
  context: QueryContext,
  request: Request,
  asked: AskedRows,
  query: () => QueryRequest,
): Promise<Answer> {
  try {
    const { reply, cache, key } = await context.rows.rows(asked, askerOf(request));
    return rowsAnswer(reply, asked.job, { cache, key, snapshot: reply.snapshot, times: reply });
  } catch (error) {
    throw context.hinted(
      inStatement(error, () => query().statement),
      query,
    );
  }
}

/** Who runs statements knows their shape; where that does not fit, their text is here alone. */
export function inStatement(error: unknown, statement: () => string): unknown {
  if (!(error instanceof GatewayError) || error.token === undefined) return error;
  const { code, hint, token } = error;
  return new GatewayError(code, syntaxErrorAt(statement(), token), { hint });
}

/** RFC 9211. */
const CACHE_STATUS: { readonly [S in CacheState]: string } = {
  hit: 'tablegate; hit',
  miss: 'tablegate; fwd=miss',
  shared: 'tablegate; fwd=miss; collapsed',
};

/** What is said of rows besides themselves. */
interface Origin extends Pick<Answer, 'snapshot' | 'times'> {
  readonly cache: CacheState;
  readonly key: string | undefined;
}

/** No rows to unwrap is 404: clients rely on it for tokens that do not exist. */
function rowsAnswer(
  { body, rows, rest }: KeptRows & Pick<Answer, 'rest'>,
  { shape, output: { format, unwrap } }: QueryJob,
  { cache, key, snapshot, times }: Origin,
): Answer {
  if (unwrap && rows === 0) return { ...NOTHING_FOUND, headers: VARY, snapshot };
  const type = unwrap && format === 'objects' && rows > 1 ? JSON_LINES_TYPE : mediaHeaders(format, shape);
  const headers = [...type, ...VARY, 'Cache-Status', CACHE_STATUS[cache]];
  if (key !== undefined) headers.push('ETag', tagOf(key));
  return { status: 200, headers, body, rest, snapshot, cache, times };
}
