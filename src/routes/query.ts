// GET and POST /query: a statement in, rows out. Reads the request and names the answer; what runs it is the
// engine's matter.
import { LRUCache } from 'lru-cache';
import type { Timed } from '../answer/engine.ts';
import type { CacheState, RowsSource } from '../answer/rows.ts';
import { type Answer, NO_HEADERS, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { Limits, Output } from '../protocol.ts';
import { readStatement, type Statement } from '../statement/statement.ts';
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
interface Asked {
  readonly snapshotId: string;
  readonly statement: Statement;
  readonly output: Output;
  readonly key: string;
  readonly tag: string;
}

/** Query strings that were answered from the cache before are not read again: up to so many bytes of them. */
const READ_BYTES = 16 * 1024 * 1024;
const READ_ENTRY_BYTES = 500;

export function queryRoute(context: QueryContext): Route {
  const read = new LRUCache<string, Asked>({
    maxSize: READ_BYTES,
    maxEntrySize: READ_BYTES / 64,
    sizeCalculation: ({ key }, name) => 2 * (name.length + 2 * key.length) + READ_ENTRY_BYTES,
  });
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
        const again = before?.snapshotId === context.serving().snapshotId ? before : undefined;
        const asked = again ?? readQuery(context, queryOfSearch(search, accept));
        const kept = keptAnswer(context, request, asked);
        if (kept === undefined) return runQuery(context, request, asked);
        if (again === undefined) read.set(name, asked);
        return kept;
      },
      POST: async (request) => {
        const asked = readQuery(context, queryOfBody(await request.body(), request.header('accept')));
        return keptAnswer(context, request, asked) ?? runQuery(context, request, asked);
      },
    },
  };
}

/** @throws GatewayError where it is no single readable statement */
function readQuery(context: QueryContext, query: QueryRequest): Asked {
  const { output } = query;
  const statement = readStatement(query.statement, query.params, context.maxStatementBytes);
  const { snapshotId } = context.serving();
  const key = queryKey(context.build, snapshotId, statement, output);
  return { snapshotId, statement, output, key, tag: entityTag([key]) };
}

/** The answer where nothing needs to be run: the client has it, or it is in the cache. */
function keptAnswer(context: QueryContext, request: Request, asked: Asked): Answer | undefined {
  // Only a 200 of this very request carries this tag, so whoever has it has the right answer already.
  if (matchesTag(request.header('if-none-match'), asked.tag)) return notModified(asked);
  const reply = context.rows.kept(asked.key);
  return reply === undefined ? undefined : rowsAnswer(reply, 'hit', asked);
}

async function runQuery(context: QueryContext, request: Request, asked: Asked): Promise<Answer> {
  const { snapshotId, statement, output, key } = asked;
  const { shape, literals } = statement;
  const job = { kind: 'query', shape, literals, output, limits: context.limits } as const;
  const { reply, cache } = await context.rows.rows(key, snapshotId, job, askerOf(request));
  return rowsAnswer(reply, cache, asked);
}

/** All that the answer depends on. Lengths stand before texts, so that no two requests have one key. */
function queryKey(build: string, snapshotId: string, { shape, literals }: Statement, output: Output): string {
  const form = `${output.format} ${output.extract} ${output.unwrap}`;
  let key = `${build}\n${snapshotId}\n${form}\n${shape.length}:${shape}`;
  for (const { kind, text, source = '' } of literals)
    key += `\n${kind} ${text.length}:${text}${source.length}:${source}`;
  return key;
}

function notModified({ tag, snapshotId }: Asked): Answer {
  return { status: 304, headers: ['ETag', tag, ...VARY], body: '', snapshot: snapshotId };
}

/** RFC 9211. */
const CACHE_STATUS: { readonly [S in CacheState]: string } = {
  hit: 'tablegate; hit',
  miss: 'tablegate; fwd=miss',
  shared: 'tablegate; fwd=miss; collapsed',
};

/** No rows to unwrap is 404: clients rely on it for tokens that do not exist. */
function rowsAnswer(reply: Timed, cache: CacheState, { snapshotId, output, tag }: Asked): Answer {
  const { format, unwrap } = output;
  if (unwrap && reply.rows === 0) return { ...NOTHING_FOUND, snapshot: reply.snapshot };
  const lines = unwrap && format === 'objects' && reply.rows > 1;
  const type = lines ? JSON_LINES_TYPE : MEDIA_HEADERS[format];
  // While lanes swap, a reply may be of another snapshot than the tag.
  const tagged = reply.deterministic && reply.snapshot === snapshotId ? ['ETag', tag] : NO_HEADERS;
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
