// What the reference says where a statement or a request is wrong, word for word: clients match on its texts. Each
// function gives the message of one class; what helps people beyond it is the error's hint.
import { type ErrorCode, GatewayError } from './errors.ts';
import { didYouMean, didYouMeanTable } from './near-name.ts';

const PARSING = 'validating read query: unable to parse the query: ';
const RUNNING = 'running read statement: parsing result to json: executing query: ';
const RESOLVING =
  'running read statement: get query: resolving read statement: failed to resolve while walking: resolve read statement: ';

export const NOT_A_READ = "validating read query: the query isn't a read-query";
export const EMPTY_STATEMENT = 'validating read query: empty-statement check: the statement is empty';
export const TOO_FEW_PARAMS = `${RESOLVING}number of params is greater than the number of bind values`;
/** What block_num() says of a chain that is not served. */
export const NO_SUCH_CHAIN = 'chain id does not exist';
export const UNKNOWN_PARAM = 'prepare params: unknown param type';
export const BAD_FORMAT = 'Error parsing formatting params: bad output query parameter';
export const TOO_MANY_REQUESTS = 'Too Many Requests';
export const NO_CHAIN_ID = 'no chain id in path';
export const UNSUPPORTED_CHAIN = 'unsupported chain id';
export const BAD_HASH = 'Invalid transaction hash';
export const BAD_TABLE_ID = 'Invalid id format';

/**
 * @param position bytes of the statement up to the end of what does not fit, or to its start where no token of
 *   SQL starts like that
 * @param near what stands there, as the client wrote it
 */
export function syntaxError(position: number, near: string): string {
  return `${PARSING}syntax error at position ${position} near '${near}'`;
}

export function statementTooLong(bytes: number, maxBytes: number): string {
  return `validating read query: read query size is too long (has ${bytes}, max ${maxBytes})`;
}

export function badBoolean(value: string): string {
  return `Error parsing formatting params: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
}

/** @param why in the words of Go's JSON reader */
export function badBody(why: string): string {
  return `Error parsing the body request: ${why}`;
}

export function tooManyColumns(columns: number): string {
  return `Error formatting data: extracting values: can only extract values for result sets with one column but this has ${columns}`;
}

/** All of a statement's calls of what is no function, in their order, before anything else of it is looked up. */
export function noSuchFunctions(names: readonly string[]): string {
  const count = names.length === 1 ? '1 error' : `${names.length} errors`;
  return `${PARSING}${count} occurred:\n${names.map((name) => `\t* no such: ${name}\n`).join('')}\n`;
}

/** @param why what block_num() was asked for that it cannot tell */
export function notResolved(why: string): string {
  return `${RESOLVING}${why}`;
}

/** What may be said of a name that is not known: the hint that goes with it. */
export interface KnownNames {
  readonly tables?: () => Iterable<string>;
  readonly columns?: () => Iterable<string>;
  readonly functions?: () => Iterable<string>;
}

/**
 * What SQLite says of a statement (sqlite3_errmsg), whether it is being prepared or run, as the client is told.
 * @param known what names there are, asked only for the hint
 */
export function runningReadStatement(sqliteMessage: string, known: KnownNames = {}): GatewayError {
  const said = asTheReferenceSays(sqliteMessage);
  if (said === NO_SUCH_CHAIN) return new GatewayError('unknown-function', notResolved(said));
  for (const { words, code, names, hint } of SAYINGS) {
    const match = words.exec(said);
    if (match === null) continue;
    const [, name = ''] = match;
    const message =
      code === 'unknown-function' && names === 'functions' ? noSuchFunctions([name]) : RUNNING + said;
    return new GatewayError(code, message, {
      hint: hint ?? near(name, names, known),
    });
  }
  if (HIDDEN.test(said))
    return new GatewayError('not-ready', 'the snapshot cannot be read at the moment', { cause: said });
  // A message of the machine's inside would name files.
  return new GatewayError('run-failed', RUNNING + (/[/\\]/.test(said) ? 'SQL logic error' : said));
}

/** An error that the dialect throws in SQLite's bare words, as the client is told; any other one as it is. */
export function inReferenceWords(error: GatewayError): GatewayError {
  const { code, message, hint, token } = error;
  if (token !== undefined || !SAID_BY_SQLITE.has(code) || SPOKEN.test(message)) return error;
  return new GatewayError(code, RUNNING + message, { cause: error.cause, hint });
}

/** SQLite's own words of a message. */
export function bareWords(message: string): string {
  return message.startsWith(RUNNING) ? message.slice(RUNNING.length) : message;
}

const SPOKEN = /^(validating read query|running read statement|Error formatting data|prepare params): /;
const SAID_BY_SQLITE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['unknown-table', 'unknown-column', 'ambiguous-column', 'unknown-function'] as const),
  ...(['statement-syntax', 'run-failed'] as const),
]);

/** The reference's SQLite is 3.39: later ones say some things otherwise, and name the schema that we give them. */
function asTheReferenceSays(message: string): string {
  return message
    .replace(/ - should this be a string literal in single-quotes\?$/, '')
    .replace(/^no such column: "(.*)"$/, 'no such column: $1')
    .replace(/^no such table: main\./, 'no such table: ');
}

const HIDDEN =
  /malformed database|disk image is malformed|disk I\/O error|database is locked|unable to open|not a database|readonly database|attempt to write/i;

interface Saying {
  /** Its first group is the name in question. */
  readonly words: RegExp;
  readonly code: ErrorCode;
  /** Names to look for a near one in. */
  readonly names?: keyof KnownNames;
  readonly hint?: string;
}

const SAYINGS: readonly Saying[] = [
  { words: /^no such table: (.+)$/s, code: 'unknown-table', names: 'tables' },
  { words: /^no such column: (.+)$/s, code: 'unknown-column', names: 'columns' },
  {
    words: /^ambiguous column name: (.+)$/s,
    code: 'ambiguous-column',
    hint: 'Write its table before it, as in t.name.',
  },
  {
    words: /^(?:no such function|unknown function): (\w+?)(?:\(\))?$/s,
    code: 'unknown-function',
    names: 'functions',
  },
  {
    words: /^(?:wrong number of arguments to function|too many arguments on) (.+?)\(\)/s,
    code: 'unknown-function',
  },
  {
    words:
      /too many (terms|columns|FROM)|at most \d+ tables|Expression tree is too large|parser stack overflow|too many arguments on function|pattern too complex|too many attached|statement too long|too many SQL variables|too many levels/i,
    code: 'statement-too-complex',
  },
  {
    words: /^(string or blob too big|out of memory)$/,
    code: 'limit-memory',
    hint: 'Read fewer rows or columns at once.',
  },
  { words: /^not authorized|^access to .* is prohibited/, code: 'unsupported' },
  {
    words:
      /syntax error$|^unrecognized token|^incomplete input|^(misuse|row value) |sub-select returns|^SELECTs to the left|term out of range|term does not match|clause on a non-aggregate|no such (window|collation)|circular reference|cannot join using|must have exactly one argument|not allowed in|may not be used|should come (after|before)|all VALUES must|duplicate WITH|has \d+ (columns|values) |hex literal too big|no tables specified|clause is required before|references tables to its right|may not have/i,
    code: 'statement-syntax',
  },
];

function near(name: string, kind: keyof KnownNames | undefined, known: KnownNames): string | undefined {
  const names = kind === undefined ? undefined : known[kind];
  if (names === undefined) return undefined;
  const own = name.slice(name.lastIndexOf('.') + 1);
  return kind === 'tables' ? didYouMeanTable(own, names) : didYouMean(own, names());
}
