// The one error table: every code a client can meet, with its HTTP status.
// Codes are stable; a retired code stays listed and is never reused.

interface ErrorKind {
  /** HTTP status, RFC 9110 unless noted. */
  readonly status: number;
  /** What it means and what the reader can do; the docs' table is made of these. */
  readonly help: string;
}

export const ERRORS = {
  'bad-request': { status: 400, help: 'The bytes are no HTTP request that this server understands.' },
  'bad-parameter': {
    status: 400,
    help: 'A query parameter, body member or header has a value that is not accepted.',
  },
  'bad-body': { status: 400, help: 'The POST body is not a JSON object with the documented members.' },
  'statement-missing': { status: 400, help: 'No statement was given, or it is blank or only a comment.' },
  'statement-too-long': { status: 400, help: 'The statement is longer than the limit in bytes.' },
  'statement-not-one': { status: 400, help: 'More than one statement was given.' },
  'statement-not-a-read': { status: 400, help: 'Only SELECT statements are answered.' },
  'statement-syntax': { status: 400, help: 'The statement does not parse.' },
  'statement-too-complex': { status: 400, help: 'The statement is nested too deep or has too many parts.' },
  'statement-refused': {
    status: 400,
    help: 'A statement of this shape took the engine down before and is not run again.',
  },
  unsupported: { status: 400, help: 'Valid SQL that this gateway does not answer.' },
  'unknown-table': { status: 400, help: 'The statement names a table that is not served.' },
  'unknown-column': { status: 400, help: 'The statement names a column that its tables do not have.' },
  'ambiguous-column': { status: 400, help: 'A column name fits more than one table: qualify it.' },
  'unknown-function': { status: 400, help: 'The statement calls a function that does not exist here.' },
  'wrong-params': { status: 400, help: 'The number or type of params does not fit the statement.' },
  'extract-columns': { status: 400, help: 'extract needs a result of exactly one column.' },
  'mixed-column': {
    status: 400,
    help: 'Arrow and Parquet need one type a column, and the values of this one may have several: CAST it.',
  },
  'run-failed': {
    status: 400,
    help: 'The statement failed while it ran, for a reason in the statement or its values.',
  },
  'limit-time': { status: 400, help: 'The statement ran longer than the time limit.' },
  'limit-memory': { status: 400, help: 'The statement needs more memory than its share.' },
  'limit-rows': { status: 400, help: 'The result has more rows than the limit.' },
  'limit-bytes': { status: 400, help: 'The result has more bytes than the limit.' },
  'bad-chain': { status: 400, help: 'The chain id is not an integer or the chain is not served.' },
  'bad-table-id': { status: 400, help: 'The table id is not a decimal number from 0 up.' },
  'bad-hash': {
    status: 400,
    help: 'The transaction hash begins with 0x, and no pairs of hexadecimal digits follow.',
  },
  'not-found': {
    status: 404,
    help: 'There is no such path. (An unknown row, table or receipt is 404 with an empty body.)',
  },
  'method-not-allowed': { status: 405, help: 'The path does not take this method; see Allow.' },
  'request-timeout': { status: 408, help: 'The request did not arrive whole in time.' },
  'body-too-large': { status: 413, help: 'The request body is larger than the limit.' },
  'headers-too-large': { status: 431, help: 'The request line and headers are larger than the limit.' },
  'too-many-requests': { status: 429, help: 'The client sent more requests than its rate; see Retry-After.' },
  internal: { status: 500, help: 'A bug on this side; quote the request id when reporting it.' },
  overloaded: { status: 503, help: 'The gateway is full; see Retry-After.' },
  elsewhere: {
    status: 500,
    help: 'Never sent: between the processes of a gateway it says that another engine has to run the statement.',
  },
  'not-ready': {
    status: 503,
    help: 'The gateway is starting, draining, has no snapshot that it can read, or does not show yet what Tablegate-Min-Block or Tablegate-Min-Snapshot asks for; see Retry-After.',
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** Codes of the past, of which no answer has one any more: none of them is ever given another meaning. */
export const RETIRED_CODES: readonly string[] = ['not-acceptable', 'unsupported-media-type'];

/** The text of every 500: details go to the log, never to a client. */
export const INTERNAL_MESSAGE = 'internal error: quote the request id of this answer when reporting it';

export interface GatewayErrorOptions extends ErrorOptions {
  /** For people, beside the message: what was expected, what may have been meant, what to do. */
  readonly hint?: string | undefined;
  /**
   * Of a syntax error: the index of the token that does not fit among the shape's; as many as there are stands
   * for the end. Whoever has the statement's text says where that is (statement/place.ts).
   */
  readonly token?: number | undefined;
  /** Seconds after which to ask again, where that is known. */
  readonly retryAfterS?: number;
}

/** An error that is meant for the client. Everything else that is thrown is a bug and becomes a 500. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterS: number | undefined;
  readonly hint: string | undefined;
  readonly token: number | undefined;
  constructor(code: ErrorCode, message: string, options?: GatewayErrorOptions) {
    super(message, options);
    this.name = 'GatewayError';
    this.code = code;
    this.retryAfterS = options?.retryAfterS;
    this.hint = options?.hint;
    this.token = options?.token;
  }
  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** An error that is meant for the operator: the program ends with exit code 2 and this one line. */
export class OperatorError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
  }
}

/** Whether a string that crossed a thread or a socket is one of our codes. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
