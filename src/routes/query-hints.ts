// Where to look, for those who ask /query what other operations tell: how a statement would be run, what tables there
// are and what columns they have; and what a statement's parameter is called. In the hint alone, never in the message.
import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { nearestName } from '../base/near-name.ts';

/** @returns the error with a hint where there is more to say than it says itself */
export type Hinted = (error: unknown, asked: () => Asked) => unknown;

export interface Asked {
  readonly statement: string;
  readonly names: () => Iterable<string>;
}

const SAID_MORE_OF: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['statement-not-a-read', 'statement-missing', 'statement-syntax', 'unknown-table'] as const),
]);
/** Words of other systems that ask for a list of tables or for columns. */
const LOOKING = new Set([
  'describe',
  'desc',
  'show',
  'pragma',
  'use',
  'help',
  '\\d',
  '\\dt',
  '.tables',
  '.schema',
]);
const LISTS = /^(sqlite_(temp_)?(master|schema)|information_schema|pragma_\w+|dbstat|pg_catalog|pg_tables)$/i;
/** Words of a SELECT that are mistyped. */
const CLAUSES = [
  ...['select', 'distinct', 'from', 'where', 'group', 'order', 'having', 'limit', 'offset', 'join', 'left'],
  ...['inner', 'outer', 'cross', 'using', 'union', 'except', 'intersect', 'between', 'values'],
];
/** What others call it. */
const STATEMENTS = ['statement', 'sql', 'query', 'q', 's', 'stmt'];
/** Nothing of what is longer is looked at. */
const LOOKED_AT = 300;

export function createHints(basePath: string): Hinted {
  const listing = `GET ${basePath}/tables lists the tables`;
  const columns = (chain: string, id: string): string => `GET ${basePath}/tables/${chain}/${id}`;

  const hintOf = ({ code, hint, message }: GatewayError, { statement, names }: Asked): string | undefined => {
    const text = statement.slice(0, LOOKED_AT);
    const [, word = ''] = /^\s*([.\\]?\w+)/.exec(text) ?? [];
    if (code === 'statement-syntax') {
      if (LOOKING.has(word.toLowerCase())) return `${listing}, ${placeOf(text)} the columns of one.`;
      return hint ?? clauseMeant(message, text);
    }
    if (code === 'statement-not-a-read') {
      if (word.toLowerCase() === 'explain')
        return `GET ${basePath}/explain?statement=... tells how a statement is run: give it the SELECT alone.`;
      if (LOOKING.has(word.toLowerCase())) return `${listing}, ${placeOf(text)} the columns of one.`;
      const meant = nearestName(word, ['select', 'with', 'values']);
      return meant === undefined ? undefined : `${hint} Did you mean ${meant.toUpperCase()}?`;
    }
    if (code === 'statement-missing') {
      const name = [...names()].slice(0, 20).find((each) => isStatement(each));
      return name === undefined ? undefined : 'Give a statement: the parameter is called "statement".';
    }
    if (code === 'unknown-table') {
      const asksList = /no such table: (\S+)$/.exec(message)?.[1] ?? /\bfrom (\w+)/i.exec(text)?.[1] ?? '';
      if (LISTS.test(asksList)) return `${listing}, ${placeOf(text)} the columns of one.`;
      if (hint === undefined) return `${listing}, with search=... those that have it in their name.`;
    }
    return undefined;
  };
  /** Of the table that is named, where one is. */
  const placeOf = (text: string): string => {
    const [, chain, id] = /_(\d{1,15})_(\d{1,78})\b/.exec(text) ?? [];
    return chain === undefined || id === undefined ? columns('{chainId}', '{tableId}') : columns(chain, id);
  };
  return (error, asked) => {
    if (!(error instanceof GatewayError) || !SAID_MORE_OF.has(error.code)) return error;
    const hint = hintOf(error, asked());
    if (hint === undefined) return error;
    const { code, message, token, cause } = error;
    return new GatewayError(code, message, { hint, token, cause });
  };
}

/** The word that the parser stopped at may be mistyped; or the one before it, which it took for a name. */
function clauseMeant(message: string, text: string): string | undefined {
  const [, digits, near = ''] = /^.*syntax error at position (\d+) near '(\w+)'$/s.exec(message) ?? [];
  if (digits === undefined || near.length > LOOKED_AT) return undefined;
  const [before = ''] = /\w+(?=\W*$)/.exec(text.slice(0, Math.max(0, Number(digits) - near.length))) ?? [];
  const meant = [near, before]
    .filter((word) => !CLAUSES.includes(word.toLowerCase()))
    .map((word) => nearestName(word, CLAUSES))
    .find((word) => word !== undefined);
  return meant === undefined ? undefined : `Did you mean ${meant.toUpperCase()}?`;
}

function isStatement(name: string): boolean {
  const word = name.slice(0, LOOKED_AT).toLowerCase();
  return STATEMENTS.includes(word) || nearestName(word, ['statement']) !== undefined;
}
