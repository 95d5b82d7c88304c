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
  ...(['statement-not-a-read', 'statement-missing', 'unknown-table'] as const),
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
/** What others call it. */
const STATEMENTS = ['statement', 'sql', 'query', 'q', 's', 'stmt'];
/** Nothing of what is longer is looked at. */
const LOOKED_AT = 300;

export function createHints(basePath: string): Hinted {
  const listing = `GET ${basePath}/tables lists the tables`;
  const columns = (chain: string, id: string): string => `GET ${basePath}/tables/${chain}/${id}`;

  const hintOf = ({ code, hint, message }: GatewayError, { statement, names }: Asked): string | undefined => {
    const text = statement.slice(0, LOOKED_AT);
    const [, word = ''] = /^\s*(\.?\w+)/.exec(text) ?? [];
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

function isStatement(name: string): boolean {
  const word = name.slice(0, LOOKED_AT).toLowerCase();
  return STATEMENTS.includes(word) || nearestName(word, ['statement']) !== undefined;
}
