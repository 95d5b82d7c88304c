// GET and POST /query: a statement in, rows out. Reads the request and names the answer; what runs it is the
// engine's matter.
import type { CacheState, RowsSource } from '../answer/rows.ts';
import { type Answer, JSON_TYPE, NO_HEADERS, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { Answered, Limits, Output } from '../protocol.ts';
import { readStatement, type Statement } from '../statement/statement.ts';
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

export function queryRoute(context: QueryContext): Route {
  return {
    word: 'query',
    segments: 0,
    limited: true,
    handlers: {
      GET: (request) => answerQuery(context, request, queryOfSearch(request.search)),
      POST: async (request) => answerQuery(context, request, queryOfBody(await request.body())),
    },
  };
}

async function answerQuery(context: QueryContext, request: Request, query: QueryRequest): Promise<Answer> {
  const statement = readStatement(query.statement, query.params, context.maxStatementBytes);
  const { snapshotId } = context.serving();
  const key = queryKey(context.build, snapshotId, statement, query.output);
  const tag = entityTag([key]);
  // Only a 200 of this very request carries this tag, so whoever has it has the right answer already.
  if (matchesTag(request.header('if-none-match'), tag)) return notModified(tag);
  const { shape, literals } = statement;
  const job = { kind: 'query', shape, literals, output: query.output, limits: context.limits } as const;
  const { reply, cache } = await context.rows.rows(key, snapshotId, job, askerOf(request));
  // While lanes swap, a reply may be of another snapshot than the tag.
  const tagged = reply.deterministic && reply.snapshot === snapshotId ? ['ETag', tag] : NO_HEADERS;
  return rowsAnswer(reply, cache, query.output, tagged);
}

/** All that the answer depends on. Lengths stand before texts, so that no two requests have one key. */
function queryKey(build: string, snapshotId: string, { shape, literals }: Statement, output: Output): string {
  const { format, extract, unwrap } = output;
  const form = format === 'table' ? 'table' : `${format} ${extract} ${unwrap}`;
  let key = `${build}\n${snapshotId}\n${form}\n${shape.length}:${shape}`;
  for (const { kind, text, source = '' } of literals)
    key += `\n${kind} ${text.length}:${text}${source.length}:${source}`;
  return key;
}

function notModified(tag: string): Answer {
  return { status: 304, headers: ['ETag', tag], body: '' };
}

/** RFC 9211. */
const CACHE_STATUS: { readonly [S in CacheState]: string } = {
  hit: 'tablegate; hit',
  miss: 'tablegate; fwd=miss',
  shared: 'tablegate; fwd=miss; collapsed',
};

/** No rows to unwrap is 404: clients rely on it for tokens that do not exist. */
function rowsAnswer(reply: Answered, cache: CacheState, output: Output, tagged: readonly string[]): Answer {
  const unwrapped = output.unwrap && output.format === 'objects';
  if (unwrapped && reply.rows === 0) return NOTHING_FOUND;
  const type = unwrapped && reply.rows > 1 ? JSON_LINES_TYPE : JSON_TYPE;
  const headers = [...type, ...tagged, 'Cache-Status', CACHE_STATUS[cache]];
  const answer: Answer = { status: 200, headers, body: reply.body };
  return reply.rest === undefined ? answer : { ...answer, rest: reply.rest };
}
