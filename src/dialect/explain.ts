// What more can be said of a statement that names what is not there, once it has failed: all of its calls of no
// function, as the reference lists them before it looks anything else up, and the names that may have been meant.
// Walks the tree; costs nothing where a statement is right.
import { asciiLower } from '../base/ascii-lower.ts';
import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { didYouMean, didYouMeanTable } from '../base/near-name.ts';
import { bareWords, noSuchFunctions, notResolved } from '../base/reference-words.ts';
import type { Literal } from '../wire/protocol.ts';
import type { Expression, Name, Select, Source } from './ast.ts';
import { FUNCTION_NAMES, isFunction } from './function-names.ts';
import { parse } from './parse.ts';
import type { Schema } from './schema.ts';

/** Errors that come after the reference has looked at the calls. */
const LATER: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['unknown-table', 'unknown-column', 'ambiguous-column', 'unknown-function'] as const),
  ...(['statement-syntax', 'unsupported', 'run-failed'] as const),
]);

const SAID_OF_NAMES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['unknown-table', 'unknown-column', 'ambiguous-column', 'statement-syntax'] as const),
]);

/**
 * The error that a client is told, of the one that was found.
 * @param schema names that may have been meant; not given where those were looked for
 */
export function explainedStatement(
  error: GatewayError,
  { shape, literals }: { readonly shape: string; readonly literals: readonly Literal[] },
  schema: Pick<Schema, 'tables'> = { tables: new Map() },
): GatewayError {
  if (error.token !== undefined || !LATER.has(error.code)) return error;
  let select: Select;
  try {
    select = parse(shape, literals).select;
  } catch {
    // It was the parser that refused it, and has said all there is to say.
    return error;
  }
  return explained(error, select, schema);
}

function explained(error: GatewayError, select: Select, schema: Pick<Schema, 'tables'>): GatewayError {
  if (error.token !== undefined || !LATER.has(error.code)) return error;
  const strangers = callsOf(select).filter(
    ({ text }) => !isFunction(text) && asciiLower(text) !== 'txn_hash',
  );
  const [first] = strangers;
  if (first !== undefined)
    return new GatewayError('unknown-function', noSuchFunctions(strangers.map(written)), {
      hint: didYouMean(first.text, FUNCTION_NAMES),
    });
  if (callsOf(select).some(({ text }) => asciiLower(text) === 'txn_hash'))
    return new GatewayError('unsupported', notResolved('custom function txn_hash is not resolvable'), {
      hint: 'txn_hash() is for statements that write.',
    });
  // To the reference, a SELECT has a FROM: it says so where the statement ends.
  if (SAID_OF_NAMES.has(error.code) && isBare(select))
    return new GatewayError(error.code, error.message, { hint: bareHint(error), token: END });
  const hint = error.hint ?? nearName(error, select, schema);
  if (error.code === 'unknown-table')
    return new GatewayError(error.code, asWritten(error.message, select), { cause: error.cause, hint });
  return hint === undefined
    ? error
    : new GatewayError(error.code, error.message, { cause: error.cause, hint });
}

/** Tables are looked up in lower case. */
function asWritten(message: string, select: Select): string {
  const name = /no such table: (.+)$/s.exec(message)?.[1];
  const table = nodesOf<Source, 'table'>(select, 'table').find(
    ({ name: { text } }) => asciiLower(text) === name,
  );
  return name === undefined || table === undefined
    ? message
    : message.slice(0, -name.length) + table.name.text;
}

const END = Number.MAX_SAFE_INTEGER;

/** Result columns and nothing else. */
function isBare({ with: common, first, rest, orderBy, limit }: Select): boolean {
  if (first.type !== 'select' || common !== undefined || rest.length > 0) return false;
  const { from, where, groupBy, having, windows } = first;
  const clauses = orderBy.length + groupBy.length + windows.length;
  return (
    from === undefined && where === undefined && having === undefined && limit === undefined && clauses === 0
  );
}

function bareHint(error: GatewayError): string {
  const message = bareWords(error.message);
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}: there is no FROM.`;
}

function nearName(
  { code, message }: GatewayError,
  select: Select,
  schema: Pick<Schema, 'tables'>,
): string | undefined {
  const [, name] = /no such (?:table|column): (?:.*\.)?([^.]+)$/s.exec(message) ?? [];
  if (name === undefined) return undefined;
  if (code === 'unknown-table') return didYouMeanTable(name, () => namesOf(schema.tables.values()));
  if (code === 'unknown-column') return didYouMean(name, columnsOf(select, schema));
  return undefined;
}

function* namesOf(named: Iterable<{ readonly name: string }>): Iterable<string> {
  for (const { name } of named) yield name;
}

/** Of all tables that the statement names: which of them a place can see is not asked. */
function* columnsOf(select: Select, { tables }: Pick<Schema, 'tables'>): Iterable<string> {
  for (const { name } of nodesOf<Source, 'table'>(select, 'table'))
    yield* namesOf(tables.get(asciiLower(name.text))?.columns ?? []);
}

/** Names of the calls in the order of the text, those among a call's arguments before it. */
export function callsOf(select: Select): readonly Name[] {
  return nodesOf<Expression, 'call'>(select, 'call').map(({ name }) => name);
}

function nodesOf<Node extends { readonly type: string }, Type extends Node['type']>(
  tree: unknown,
  type: Type,
): Extract<Node, { readonly type: Type }>[] {
  if (typeof tree !== 'object' || tree === null) return [];
  // The tree's parts stand in the order of the text; parse/height.ts bounds the depth.
  const inner = Object.values(tree).flatMap((part) => nodesOf<Node, Type>(part, type));
  if ('type' in tree && tree.type === type) inner.push(tree as Extract<Node, { readonly type: Type }>);
  return inner;
}

function written({ text, quote }: Name): string {
  if (quote === '') return text;
  return quote === '[' ? `[${text}]` : `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
}
