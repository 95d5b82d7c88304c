// The operations of the API: parameters and answers. Held against the running gateway by a test, both ways.
import type { ErrorCode } from '../base/errors.ts';
import { answer, commonFailures, FULL, failure, NOT_MODIFIED } from './answers.ts';
import { FRESHNESS, IF_NONE_MATCH } from './request-headers.ts';
import { type Json, ref, type Schema } from './schemas.ts';

const STATEMENT_CODES: readonly ErrorCode[] = [
  'bad-parameter',
  'statement-missing',
  'statement-too-long',
  'statement-not-one',
  'statement-not-a-read',
  'statement-syntax',
  'statement-too-complex',
  'statement-refused',
  'unsupported',
  'unknown-table',
  'unknown-column',
  'ambiguous-column',
  'unknown-function',
  'wrong-params',
  'extract-columns',
  'mixed-column',
  'run-failed',
  'limit-time',
  'limit-memory',
  'limit-rows',
  'limit-bytes',
  'bad-chain',
];

const inQuery = (name: string, description: string, schema: Json, more: Schema = {}): Schema => ({
  name,
  in: 'query',
  description,
  schema,
  ...more,
});
const inPath = (name: string, description: string, schema: Json): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
});
const CHAIN = inPath('chainId', 'The chain that the table is registered on.', {
  type: 'integer',
  minimum: 0,
});
const BOOLEAN: Schema = {
  enum: ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False', ''],
  default: 'false',
};

const binary = (description: string): Json => ({ schema: { type: 'string', format: 'binary', description } });

const ROWS: Schema = answer('The rows, in the order of the statement.', {
  limited: true,
  headers: ['etag', 'cache-status', 'content-disposition'],
  content: {
    'application/json': {
      schema: {
        description:
          'Objects; with `extract` values; with `format=table` columns and rows; with `unwrap` and a single row the bare row or value.',
        anyOf: [ref('Objects'), ref('Values'), ref('TableFormat'), ref('Value')],
      },
      examples: {
        objects: { value: [{ name: 'ada' }, { name: 'bob' }] },
        extract: { value: ['ada', 'bob'] },
        table: { value: { columns: [{ name: 'name' }], rows: [['ada'], ['bob']] } },
        unwrap: { value: { name: 'ada' } },
      },
    },
    'application/jsonl+json': {
      schema: { type: 'string', description: 'With `unwrap` and more than one row: a row or value a line.' },
    },
    'application/x-ndjson': {
      schema: { type: 'string', description: 'With `format=ndjson`: an object a line.' },
    },
    'text/csv': {
      schema: { type: 'string', description: 'With `format=csv`: RFC 4180, the names in the first line.' },
    },
    'application/vnd.apache.arrow.stream': binary('With `format=arrow`: an Arrow IPC stream.'),
    'application/vnd.apache.parquet': binary('With `format=parquet`: a Parquet file.'),
  },
});

const queryAnswers = (more: { readonly [status: string]: Schema }): Schema => ({
  '200': ROWS,
  '304': NOT_MODIFIED(true),
  '404': answer('No rows to unwrap: the body is empty.', { limited: true }),
  ...more,
  ...commonFailures(true),
});

const ACCEPT: Schema = {
  name: 'Accept',
  in: 'header',
  description: 'The format, where `format` is not given; JSON where nothing that it names can be had.',
  schema: { type: 'string', default: 'application/json' },
};

const QUERY_PARAMETERS: readonly Schema[] = [
  inQuery(
    'statement',
    'One SELECT statement, in SQLite’s dialect, of at most 35,000 bytes.',
    { type: 'string' },
    {
      required: true,
      examples: { rows: { value: 'select * from rigs_31337_2 where id < 3' } },
    },
  ),
  inQuery(
    'params',
    'A value for each `?` of the statement, in order: a number, null, true, false, or a text in quotes.',
    { type: 'array', items: { type: 'string' } },
    { explode: true, examples: { number: { value: ['7'] }, text: { value: ["'abc'"] } } },
  ),
  inQuery(
    'format',
    'Wins over `Accept`. Two forms of JSON, and four of files, which have no need of a header.',
    {
      enum: ['objects', 'table', 'csv', 'ndjson', 'arrow', 'parquet', ''],
      default: 'objects',
    },
  ),
  inQuery(
    'extract',
    'Each row is replaced by the value of its only column. Without effect where format is table.',
    BOOLEAN,
  ),
  inQuery(
    'unwrap',
    'No array around the rows: one a line. No rows are a 404. Without effect where format is table.',
    BOOLEAN,
  ),
  ACCEPT,
  IF_NONE_MATCH,
  ...FRESHNESS,
];

const json = (name: string): { readonly [type: string]: Json } => ({
  'application/json': { schema: ref(name) },
});

/** Of these it is found out only as rows are read. */
const OF_ROWS: readonly ErrorCode[] = ['extract-columns', 'mixed-column', 'limit-rows', 'limit-bytes'];
const EXPLAIN_CODES = STATEMENT_CODES.filter((code) => !OF_ROWS.includes(code));

const explainAnswers = (more: { readonly [status: string]: Schema }): Schema => ({
  '200': answer('What would be done.', { limited: true, content: json('Explanation') }),
  ...more,
  ...commonFailures(true),
});

const picture = (what: string, type: string): Schema => ({
  tags: ['Tables'],
  operationId: type === 'text/html' ? 'getTablePage' : 'getTablePicture',
  summary: what,
  parameters: [
    CHAIN,
    inPath('tableId', 'The id of the table.', { type: 'string', pattern: '^[0-9]+$' }),
    IF_NONE_MATCH,
    ...FRESHNESS,
  ],
  responses: {
    '200': answer('Self-contained; every value is escaped.', {
      limited: true,
      headers: [
        'etag',
        'cache-control',
        'content-security-policy',
        'x-content-type-options',
        'referrer-policy',
        'cross-origin-resource-policy',
      ],
      content: { [type]: { schema: { type: 'string' } } },
    }),
    '304': NOT_MODIFIED(true),
    '400': failure(true, ['bad-chain', 'bad-table-id', 'bad-parameter']),
    '404': answer('There is no such table: the body is empty.', { limited: true }),
    ...commonFailures(true),
  },
});

const DOCUMENT_HEADERS = ['etag', 'cache-control', 'x-content-type-options'];

export const PATHS: { readonly [path: string]: { readonly [method: string]: Schema } } = {
  '/query': {
    get: {
      tags: ['Query'],
      operationId: 'query',
      summary: 'Rows of a statement',
      parameters: QUERY_PARAMETERS,
      responses: queryAnswers({ '400': failure(true, STATEMENT_CODES) }),
    },
    post: {
      tags: ['Query'],
      operationId: 'queryByBody',
      summary: 'Rows of a statement that is sent in the body',
      parameters: [ACCEPT, IF_NONE_MATCH, ...FRESHNESS],
      requestBody: {
        required: true,
        description: 'Read as JSON whatever `Content-Type` says.',
        content: json('Query'),
      },
      responses: queryAnswers({
        '400': failure(true, [...STATEMENT_CODES, 'bad-body', 'bad-request']),
        '413': failure(true, ['body-too-large']),
      }),
    },
  },
  '/explain': {
    get: {
      tags: ['Query'],
      operationId: 'explain',
      summary: 'What would be done with a statement',
      description:
        'Takes what `/query` takes, costs a token as it does and refuses the same; runs nothing of the statement.',
      parameters: QUERY_PARAMETERS.filter((each) => each !== ACCEPT && each !== IF_NONE_MATCH),
      responses: explainAnswers({ '400': failure(true, EXPLAIN_CODES) }),
    },
    post: {
      tags: ['Query'],
      operationId: 'explainByBody',
      summary: 'What would be done with a statement that is sent in the body',
      requestBody: {
        required: true,
        description: 'As of `POST /query`.',
        content: json('Query'),
      },
      responses: explainAnswers({
        '400': failure(true, [...EXPLAIN_CODES, 'bad-body', 'bad-request']),
        '413': failure(true, ['body-too-large']),
      }),
    },
  },
  '/tables': {
    get: {
      tags: ['Tables'],
      operationId: 'listTables',
      summary: 'The tables, page by page',
      parameters: [
        inQuery('chain', 'Only tables of this chain.', { type: 'integer', minimum: 0 }),
        inQuery('search', 'Only tables with this in their name, in any case.', {
          type: 'string',
          maxLength: 100,
        }),
        inQuery('limit', 'Most tables of a page.', {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 100,
        }),
        inQuery('after', 'The `next` of the page before.', {
          type: 'string',
          pattern: '^([0-9]{1,15}/[0-9]{1,78})?$',
        }),
        IF_NONE_MATCH,
        ...FRESHNESS,
      ],
      responses: {
        '200': answer('A page.', { limited: true, headers: ['etag'], content: json('TableList') }),
        '304': NOT_MODIFIED(true),
        '400': failure(true, ['bad-parameter', 'bad-chain']),
        ...commonFailures(true),
      },
    },
  },
  '/tables/{chainId}/{tableId}': {
    get: {
      tags: ['Tables'],
      operationId: 'getTable',
      summary: 'Name, schema and links of a table',
      parameters: [
        CHAIN,
        inPath('tableId', 'The id of the table.', { type: 'string', pattern: '^[0-9]+$' }),
        IF_NONE_MATCH,
        ...FRESHNESS,
      ],
      responses: {
        '200': answer('The table.', { limited: true, headers: ['etag'], content: json('Table') }),
        '304': NOT_MODIFIED(true),
        '400': failure(true, ['bad-chain', 'bad-table-id', 'bad-parameter']),
        '404': answer('There is no such table: the body is empty.', { limited: true }),
        ...commonFailures(true),
      },
    },
  },
  '/tables/{chainId}/{tableId}.svg': { get: picture('A picture of a table', 'image/svg+xml') },
  '/tables/{chainId}/{tableId}.html': { get: picture('A page that shows a table', 'text/html') },
  '/receipt/{chainId}/{transactionHash}': {
    get: {
      tags: ['Transactions'],
      operationId: 'getReceipt',
      summary: 'What became of a transaction',
      parameters: [
        CHAIN,
        inPath('transactionHash', '0x and 64 hexadecimal digits; the 0x may be left out.', {
          type: 'string',
          pattern: '^(0[xX])?[0-9a-fA-F]{64}$',
        }),
        ...FRESHNESS,
      ],
      responses: {
        '200': answer('The receipt.', { limited: true, content: json('Receipt') }),
        '400': failure(true, ['bad-chain', 'bad-hash', 'bad-parameter']),
        '404': answer('It is not known, or no hash at all: the body is empty.', { limited: true }),
        ...commonFailures(true),
      },
    },
  },
  '/version': {
    get: {
      tags: ['Service'],
      operationId: 'version',
      summary: 'What build this is',
      responses: { '200': answer('The build.', { limited: false, content: json('VersionInfo') }) },
    },
  },
  '/health': {
    get: {
      tags: ['Service'],
      operationId: 'health',
      summary: 'Whether a statement can be answered now',
      description: 'Proved by running one. Never limited. Old data is no reason for a 503.',
      parameters: [inQuery('verbose', 'Given, with any value: tells what is served.', { type: 'string' })],
      responses: {
        '200': {
          ...answer(
            'It can. The body is empty, as in the validator; with `verbose` it is JSON: the schema `Health`.',
            {
              limited: false,
              headers: ['tablegate-snapshot', 'tablegate-follow', 'cache-control', 'x-content-type-options'],
            },
          ),
          // Not `content`: OpenAPI cannot say that a body is there for some requests only.
          'x-content': json('Health'),
        },
        '503': failure(false, FULL, ['retry-after']),
      },
    },
  },
  '/openapi.json': {
    get: {
      tags: ['Service'],
      operationId: 'openapi',
      summary: 'This description for programs',
      parameters: [IF_NONE_MATCH],
      responses: {
        '200': answer('OpenAPI 3.1.', {
          limited: false,
          headers: DOCUMENT_HEADERS,
          content: { 'application/json': { schema: { type: 'object' } } },
        }),
        '304': NOT_MODIFIED(false),
      },
    },
  },
  '/docs': {
    get: {
      tags: ['Service'],
      operationId: 'docs',
      summary: 'This description for people',
      parameters: [IF_NONE_MATCH],
      responses: {
        '200': answer('A page without scripts.', {
          limited: false,
          headers: [...DOCUMENT_HEADERS, 'content-security-policy', 'referrer-policy'],
          content: { 'text/html': { schema: { type: 'string' } } },
        }),
        '304': NOT_MODIFIED(false),
      },
    },
  },
};
