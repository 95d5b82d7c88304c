// GET and POST /query: a statement in, rows out. Reads the request and names the answer; what runs it is the
// engine's matter.
import type { Ask } from '../answer/engine.ts';
import { type Answer, JSON_TYPE, NO_HEADERS, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import { askerOf, type Request, type Route } from '../http/router.ts';
import type { Answered, Limits, Output } from '../protocol.ts';
import { readStatement, type Statement } from '../statement/statement.ts';
import { type QueryRequest, queryOfBody, queryOfSearch } from './query-request.ts';
import type { Serving } from './serving.ts';

export interface QueryContext {
  readonly ask: Ask;
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
  const tag = queryTag(context, statement, query.output);
  // Only a 200 of this very request carries this tag, so whoever has it has the right answer already.
  if (matchesTag(request.header('if-none-match'), tag)) return notModified(tag);
  const { shape, literals } = statement;
  const reply = await context.ask(
    { kind: 'query', shape, literals, output: query.output, limits: context.limits },
    askerOf(request),
  );
  return rowsAnswer(reply, query.output, tag);
}

function queryTag(context: QueryContext, { shape, literals }: Statement, output: Output): string {
  const { format, extract, unwrap } = output;
  const form = format === 'table' ? format : `${format} ${extract} ${unwrap}`;
  return entityTag([context.build, context.serving().snapshotId, form, shape, JSON.stringify(literals)]);
}

function notModified(tag: string): Answer {
  return { status: 304, headers: ['ETag', tag], body: '' };
}

/** No rows to unwrap is 404: clients rely on it for tokens that do not exist. */
function rowsAnswer(reply: Answered, output: Output, tag: string): Answer {
  const unwrapped = output.unwrap && output.format === 'objects';
  if (unwrapped && reply.rows === 0) return NOTHING_FOUND;
  const type = unwrapped && reply.rows > 1 ? JSON_LINES_TYPE : JSON_TYPE;
  const headers = [...type, ...(reply.deterministic ? ['ETag', tag] : NO_HEADERS)];
  const answer: Answer = { status: 200, headers, body: reply.body };
  return reply.rest === undefined ? answer : { ...answer, rest: reply.rest };
}
