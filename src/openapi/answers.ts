// Answers and headers that operations of the API share.
import { ERRORS, type ErrorCode } from '../base/errors.ts';
import { type Json, ref, type Schema } from './schemas.ts';

const header = (description: string, schema: Schema): Schema => ({ description, schema });
const STRING: Schema = { type: 'string' };
const COUNT: Schema = { type: 'integer', minimum: 0 };

/** By their names in lower case. */
export const HEADERS: { readonly [name: string]: Schema } = {
  'x-request-id': header(
    'Names this request in the log of the gateway: the `X-Request-Id` that was sent, where it has at most 64 plain characters, or one of its own.',
    STRING,
  ),
  'trace-id': header('The same under the name that the validator gives it.', STRING),
  traceparent: header('W3C Trace Context: the trace that was sent, or a new one.', {
    type: 'string',
    pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
  }),
  'server-timing': header('Where the time went, in milliseconds.', STRING),
  'ratelimit-limit': header('Requests that a rested client may send at once.', COUNT),
  'ratelimit-remaining': header('Requests that may follow at once.', COUNT),
  'ratelimit-reset': header('Seconds until all of them may.', COUNT),
  'x-ratelimit-limit': header('As `RateLimit-Limit`, under the name that the validator gives it.', COUNT),
  'x-ratelimit-remaining': header('As `RateLimit-Remaining`.', COUNT),
  'x-ratelimit-reset': header('The date at which all of them may.', STRING),
  'retry-after': header('Seconds after which it is worth another try.', { type: 'integer', minimum: 1 }),
  etag: header(
    'Changes with the snapshot: send it as `If-None-Match`, and 304 says that nothing changed.',
    STRING,
  ),
  'cache-status': header('RFC 9211: whether the rows were kept (`hit`) or run (`fwd=miss`).', STRING),
  'tablegate-snapshot': header(
    'Which data the answer is made of: id of the snapshot, `age` in seconds, and the last block of each chain (RFC 8941).',
    STRING,
  ),
  'preference-applied': header(
    'RFC 7240: `wait=SECONDS`, where the answer waited, or would have, for newer data; at most what the gateway allows.',
    STRING,
  ),
  'tablegate-follow': header('Whether the data is kept fresh, where a source is followed.', STRING),
  vary: header('What else than the address the answer depends on.', STRING),
  'content-disposition': header('A file name for those who save the answer, made of the table’s.', STRING),
  'cache-control': header('How long it may be shown without asking again.', STRING),
  'content-security-policy': header('What the page may do in a browser: nothing.', STRING),
  'x-content-type-options': header('`nosniff`.', STRING),
  'referrer-policy': header('`no-referrer`.', STRING),
  'cross-origin-resource-policy': header('`cross-origin`: may be shown anywhere.', STRING),
};

const ALWAYS = ['x-request-id', 'trace-id', 'traceparent', 'server-timing'];
const LIMITED = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'tablegate-snapshot',
  'preference-applied',
  'vary',
];

export interface AnswerOptions {
  readonly limited: boolean;
  /** Besides those that every answer has. */
  readonly headers?: readonly string[];
  readonly content?: { readonly [type: string]: Json };
}

export function answer(description: string, { limited, headers = [], content }: AnswerOptions): Schema {
  const body = content === undefined ? [] : ['x-content-type-options'];
  const names = new Set([...ALWAYS, ...(limited ? LIMITED : []), ...body, ...headers]);
  return {
    description,
    headers: Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content && { content }),
  };
}

/** An error answer with the codes that it may have. */
export function failure(
  limited: boolean,
  codes: readonly ErrorCode[],
  headers: readonly string[] = [],
): Schema {
  const help = codes.map((code) => `- \`${code}\`: ${ERRORS[code].help}`).join('\n');
  const schema = {
    allOf: [ref('Error'), { type: 'object', properties: { code: { enum: codes } } }],
  };
  return answer(help, { limited, headers, content: { 'application/json': { schema } } });
}

/** The answers that every operation may have which takes a token and asks the engine. */
export const FULL: readonly ErrorCode[] = ['overloaded', 'not-ready'];

export function commonFailures(limited: boolean): { readonly [status: string]: Schema } {
  return {
    ...(limited ? { '429': failure(true, ['too-many-requests'], ['retry-after']) } : {}),
    '500': failure(limited, ['internal']),
    '503': failure(limited, FULL, ['retry-after']),
  };
}

export const NOT_MODIFIED = (limited: boolean): Schema =>
  answer('The client has it already: its `If-None-Match` names this answer.', {
    limited,
    headers: ['etag'],
  });
