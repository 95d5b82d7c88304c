// The bodies of the API as JSON Schema 2020-12, which is what OpenAPI 3.1 speaks. Members are listed as they
// are answered; what may be absent is not `required`.
import { ERRORS } from '../base/errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type Schema = Readonly<Record<string, Json>>;

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const whole = (description: string, more: Schema = {}): Schema => ({
  type: 'integer',
  minimum: 0,
  description,
  ...more,
});
const list = (items: Json, description: string): Schema => ({ type: 'array', items, description });
const object = (
  description: string,
  properties: { readonly [name: string]: Json },
  required: readonly string[],
): Schema => ({ type: 'object', description, properties, required, additionalProperties: false });

const CHAIN = whole('The chain that the table is registered on.', { examples: [31337] });
const TABLE_ID = text('Decimal digits: table ids have up to 256 bits.', {
  pattern: '^\\d+$',
  examples: ['2'],
});

export const SCHEMAS: { readonly [name: string]: Schema } = {
  Value: {
    description:
      'A cell: null; a whole number with every digit, also past 2^53; a number; a string; a blob as Base64. Text that begins with { or [ and is valid JSON is embedded as JSON.',
  },
  Objects: list(
    { type: 'object', additionalProperties: ref('Value') },
    'A row each, its values by the names of the columns.',
  ),
  Values: list(ref('Value'), 'With `extract`: the value of the only column, a row each.'),
  Table: object(
    'What is known of a table, as marketplaces and the SDK read it.',
    {
      name: text('Prefix, chain and id.', { examples: ['rigs_31337_2'] }),
      external_url: text('The address of this description.', { format: 'uri' }),
      animation_url: text('The address of a page that shows the table.', { format: 'uri' }),
      image: text('The address of a picture of the table.', { format: 'uri' }),
      attributes: list(
        object(
          'A property, as marketplaces show them.',
          {
            display_type: text('`date`.'),
            trait_type: text('`created`.'),
            value: whole('Seconds since 1970.'),
          },
          ['display_type', 'trait_type', 'value'],
        ),
        'Properties of the table.',
      ),
      schema: object(
        'Columns and constraints.',
        {
          columns: list(ref('Column'), 'In their order.'),
          table_constraints: list({ type: 'string' }, 'Absent where there are none.'),
        },
        ['columns'],
      ),
    },
    ['name', 'external_url', 'image', 'attributes', 'schema'],
  ),
  Column: object(
    'A column of a table.',
    {
      name: text('Its name.'),
      type: text('As declared.', { examples: ['integer', 'int', 'text', 'blob'] }),
      constraints: list({ type: 'string' }, 'Absent where there are none.'),
    },
    ['name', 'type'],
  ),
  TableList: object(
    'A page of the tables, by chain and id.',
    {
      snapshot: text('Id of the snapshot that is served.'),
      chains: list(whole('A chain id.'), 'The chains that are served.'),
      total: whole('Tables that fit, on all pages.'),
      tables: list(ref('ListedTable'), 'This page.'),
      next: text('To be given as `after` for the next page; absent on the last.', { examples: ['31337/4'] }),
    },
    ['snapshot', 'chains', 'total', 'tables'],
  ),
  ListedTable: object(
    'A table in a list.',
    {
      name: text('Prefix, chain and id.'),
      chain_id: CHAIN,
      table_id: TABLE_ID,
      prefix: text('What its owner named it; may be empty.'),
      created_at: whole('Seconds since 1970.'),
      row_count: whole('Rows.'),
      column_count: whole('Columns.'),
      remote: {
        type: 'boolean',
        description: 'True where its rows are in a distributed engine; absent where they are here.',
      },
      url: text('The address of its description.', { format: 'uri' }),
    },
    ['name', 'chain_id', 'table_id', 'prefix', 'created_at', 'row_count', 'column_count', 'url'],
  ),
  Receipt: object(
    'What became of a transaction.',
    {
      table_id: text('The only or first table; absent where there is none.', { deprecated: true }),
      table_ids: list(TABLE_ID, 'The tables that it touched; absent where there are none.'),
      transaction_hash: text('As asked for.'),
      block_number: whole('The block that it is part of.'),
      chain_id: CHAIN,
      error: text('Why it failed; absent where it did not.'),
      error_event_idx: whole('Which of its events failed.'),
    },
    ['transaction_hash', 'block_number', 'chain_id'],
  ),
  VersionInfo: object(
    'What build this is.',
    {
      git_commit: text('The commit.'),
      git_branch: text('The branch.'),
      git_state: text('Whether the work tree was `clean` or `dirty`.'),
      git_summary: text('Tag, or commit.'),
      build_date: text('ISO 8601.'),
      binary_version: text("The package's version."),
    },
    ['git_commit', 'git_branch', 'git_state', 'git_summary', 'build_date', 'binary_version'],
  ),
  Health: object(
    'What is served, and whether it is kept fresh.',
    {
      snapshot: text('Id of the snapshot.'),
      created_at: whole('When it was made: seconds since 1970.'),
      age_s: whole('Seconds since then.'),
      blocks: {
        type: 'object',
        description: 'The last block that the source had processed, by chain.',
        additionalProperties: { type: 'integer', minimum: 0 },
      },
      follow: object(
        'Of the source that is followed.',
        {
          state: text('`none` where no source is followed.'),
          source: text("The source's name."),
          problem: text('What is wrong; absent where nothing is.'),
          stands_by: {
            type: 'boolean',
            description:
              'Whether another process follows, and this gateway only when that ends; absent where it does not follow.',
          },
        },
        ['state'],
      ),
    },
    ['snapshot', 'created_at', 'age_s', 'blocks', 'follow'],
  ),
  Error: object(
    'Why it was not answered.',
    {
      message: text("What is wrong, in the validator's own words where it has any."),
      code: text('For programs: stable.', { enum: Object.keys(ERRORS) }),
      hint: text(
        'For people: what was expected, what may have been meant, what to change. Not always there.',
      ),
    },
    ['message', 'code'],
  ),
  TableFormat: object(
    'With `format=table`: the names once, then the rows.',
    {
      columns: list(
        object('A column of the result.', { name: text('Its name.') }, ['name']),
        'The columns in their order.',
      ),
      rows: list(list(ref('Value'), 'The values in the order of the columns.'), 'The rows.'),
    },
    ['columns', 'rows'],
  ),
  Explanation: object(
    'What would be done with a statement.',
    {
      engine: text(
        'Who would run it: `rows` is SQLite beside others, for statements that visit few rows; `scan` is DuckDB on all cores; `long` is SQLite alone in a process; `remote` is Trino, for tables that live there. What fails in `scan` is run again in `long`.',
        { enum: ['rows', 'scan', 'long', 'remote'] },
      ),
      reason: text('Why, in a word.', { examples: ['visits', 'page', 'recursive', 'not-native'] }),
      why: text('Why, in a sentence.', { examples: ['it visits 1 rows at most'] }),
      rows_visited: {
        type: ['integer', 'null'],
        minimum: 0,
        description: 'How many rows it visits at most; null where that is not counted, or has no bound.',
      },
      columns: list({ type: 'string' }, 'Names of the columns of the result.'),
      tables: list(
        object(
          'A table.',
          {
            name: text('In lower case; `blocks` stands for the numbers of the chains’ blocks.'),
            version: text('The snapshot in which it changed last: answers are kept as long as it stays.'),
          },
          ['name', 'version'],
        ),
        'What it reads.',
      ),
      cache: text(
        'Whether the answer is kept: `hit`, or `miss`; `never` where it may be another each time (the clock, `random()`).',
        { enum: ['hit', 'miss', 'never'] },
      ),
      etag: text('The `ETag` that the answer has; absent before a statement of this shape was run.'),
      sqlite: object(
        'What SQLite is given, or would be. Absent where the operator lets DuckDB alone answer, and for tables that live in Trino.',
        {
          sql: text('Its text.'),
          values: list({ type: 'string' }, 'Of each `?` in it, as SQL writes them.'),
          plan: list(
            object('A line.', { depth: whole('How deep it is nested.'), detail: text("SQLite's words.") }, [
              'depth',
              'detail',
            ]),
            "SQLite's plan, as EXPLAIN QUERY PLAN says it.",
          ),
        },
        ['sql', 'values', 'plan'],
      ),
      duckdb: object('What DuckDB is given. Absent where it is not asked.', { sql: text('Its text.') }, [
        'sql',
      ]),
      trino: object('What Trino is given. Absent where it is not asked.', { sql: text('Its text.') }, [
        'sql',
      ]),
    },
    ['engine', 'reason', 'why', 'rows_visited', 'columns', 'tables', 'cache'],
  ),
  Query: {
    type: 'object',
    description: 'Names of members are found whatever their case; unknown ones are ignored.',
    properties: {
      statement: text('One SELECT statement.', {
        examples: ['select * from rigs_31337_2 where id = ?'],
      }),
      params: list(
        { type: ['number', 'string', 'boolean', 'null'] },
        "Values for the statement's `?`, in order. They are bound, never pasted into the text.",
      ),
      format: text('Wins over `Accept`.', {
        enum: ['objects', 'table', 'csv', 'ndjson', 'arrow', 'parquet'],
        default: 'objects',
      }),
      extract: { type: 'boolean', default: false, description: 'See the parameter of the GET.' },
      unwrap: { type: 'boolean', default: false, description: 'See the parameter of the GET.' },
    },
    required: ['statement'],
  },
};
