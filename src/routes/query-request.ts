// Reads what a query asks for, from a query string or a JSON body: statement, params and the form of the
// answer. Reads no SQL.
import { GatewayError } from '../base/errors.ts';
import { nearestName } from '../base/near-name.ts';
import { BAD_FORMAT, badBody, badBoolean, UNKNOWN_PARAM } from '../base/reference-words.ts';
import { parseJson } from '../http/body.ts';
import { readParameters } from '../http/request.ts';
import type { ParamValue } from '../statement/param.ts';
import type { Format, Output } from '../wire/protocol.ts';
import { formatOfAccept } from './query-media.ts';

export interface QueryRequest {
  readonly statement: string;
  readonly params: readonly ParamValue[];
  readonly output: Output;
  /** Of the parameters or members that were given. */
  readonly names: () => Iterable<string>;
}

/**
 * Of a repeated parameter the first counts, as in the reference; `params` are all taken.
 * @param accept the Accept header: says the format where the parameters do not
 */
export function queryOfSearch(search: string, accept?: string): QueryRequest {
  const parameters = readParameters(search);
  const first = (name: string): string => parameters.get(name)?.[0] ?? '';
  return {
    statement: first('statement'),
    params: (parameters.get('params') ?? []).map(paramOfText),
    output: outputOf({
      format: first('format') === '' ? formatOfAccept(accept) : formatOf(first('format')),
      extract: booleanOfText('extract', first('extract')),
      unwrap: booleanOfText('unwrap', first('unwrap')),
    }),
    names: () => parameters.keys(),
  };
}

/** Members are found whatever their case, `null` counts as absent and unknown ones are ignored, as in the reference. */
export function queryOfBody(body: Uint8Array, accept?: string): QueryRequest {
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new GatewayError(
      'bad-body',
      badBody(`json: cannot unmarshal ${kindOf(value)} into Go value of type apiv1.Query`),
      {
        hint: 'The body must be a JSON object with the member "statement".',
      },
    );
  const members = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) members.set(name.toLowerCase(), member ?? undefined);
  const params = members.get('params') ?? [];
  const format = members.get('format');
  if (!Array.isArray(params)) throw wrongType('params', params, '[]interface {}', 'an array');
  return {
    statement: text('statement', members.get('statement') ?? ''),
    params: params.map(paramOfJson),
    output: outputOf({
      format: format === undefined ? formatOfAccept(accept) : formatOf(text('format', format)),
      extract: boolean('extract', members.get('extract') ?? false),
      unwrap: boolean('unwrap', members.get('unwrap') ?? false),
    }),
    names: () => members.keys(),
  };
}

/**
 * What extract and unwrap do to each format: `table` ignores both, as in the reference; NDJSON is unwrapped
 * already; in the others a value outside of its column has no place.
 */
function outputOf(asked: Output): Output {
  const { format, extract, unwrap } = asked;
  if (format === 'objects' || format === 'ndjson' || !(extract || unwrap)) return asked;
  if (format === 'table') return { format, extract: false, unwrap: false };
  throw new GatewayError(
    'bad-parameter',
    `${extract ? 'extract' : 'unwrap'} has no meaning in ${format}: leave it out, or ask for JSON or NDJSON.`,
  );
}

const FORMATS: { readonly [F in Format]: true } = {
  ...{ objects: true, table: true, csv: true, ndjson: true, arrow: true, parquet: true },
};
/** What others call them. */
const SYNONYMS: { readonly [name: string]: Format } = {
  ...{ json: 'objects', array: 'objects', jsonl: 'ndjson', jsonlines: 'ndjson', text: 'csv', excel: 'csv' },
  ...{ xlsx: 'csv', tsv: 'csv', feather: 'arrow', ipc: 'arrow' },
};

function formatOf(format: string): Format {
  if (Object.hasOwn(FORMATS, format)) return format as Format;
  const name = format.slice(0, 40);
  const known = Object.keys(FORMATS);
  const lower = name.toLowerCase();
  const meant = Object.hasOwn(SYNONYMS, lower) ? SYNONYMS[lower] : nearestName(name, known);
  throw new GatewayError('bad-parameter', BAD_FORMAT, {
    hint:
      `format must be one of ${known.join(', ')}, not ${JSON.stringify(name)}.` +
      (meant === undefined ? '' : ` Did you mean ${meant}?`),
  });
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False', '']);

function booleanOfText(name: string, value: string): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  throw new GatewayError('bad-parameter', badBoolean(value), {
    hint: `${name} must be true or false (or 1, 0, t, f).`,
  });
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string') throw wrongType(name, value, 'string', 'a string');
  return value;
}

function boolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw wrongType(name, value, 'bool', 'true or false');
  return value;
}

/** @param type Go's, of the reference's own struct */
function wrongType(name: string, value: unknown, type: string, wanted: string): GatewayError {
  const why = `json: cannot unmarshal ${kindOf(value)} into Go struct field Query.${name} of type ${type}`;
  return new GatewayError('bad-body', badBody(why), { hint: `The member "${name}" must be ${wanted}.` });
}

/** What Go calls a JSON value. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/**
 * A param in a query string is written as in SQL: a number, a quoted text, null, true or false. The reference
 * takes the same but for reals; a bare word would be a guess, so it is refused as there.
 */
function paramOfText(value: string, index: number): ParamValue {
  const word = value.toLowerCase();
  if (word === 'null') return null;
  if (word === 'true' || word === 'false') return word === 'true';
  if (/^[-+]?\d+$/.test(value)) return BigInt(value.replace('+', ''));
  if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value) && Number.isFinite(Number(value)))
    return Number(value);
  const quote = value[0];
  const inner = value.slice(1, -1);
  if (value.length >= 2 && quote === '"' && value.endsWith('"')) return inner;
  if (value.length >= 2 && quote === "'" && value.endsWith("'") && !inner.replaceAll("''", '').includes("'"))
    return inner.replaceAll("''", "'");
  throw new GatewayError('wrong-params', UNKNOWN_PARAM, {
    hint: `Param ${index + 1} must be a number, null, true, false or a text in quotes such as 'abc'.`,
  });
}

function paramOfJson(value: unknown, index: number): ParamValue {
  if (value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new GatewayError('wrong-params', UNKNOWN_PARAM, {
      hint: `Param ${index + 1} is a number that is too large for a real of 64 bits.`,
    });
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  const kind = Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  throw new GatewayError('wrong-params', `invalid type (${kind}) of parameter`, {
    hint: `Param ${index + 1} must be a number, a string, true, false or null, not an array or object.`,
  });
}
