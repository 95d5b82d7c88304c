// What the page shows, as the part of its address after the `#`: a link reopens it. No DOM.
import { paramTexts, readParams } from './params.ts';
import type { Output } from './result.ts';

export type View = 'table' | 'json' | 'chart' | 'explain';

export interface Query extends Output {
  readonly statement: string;
  /** A JSON list as it was written; empty: none. See params.ts. */
  readonly params: string;
}
export interface QueryPlace {
  readonly page: 'query';
  readonly query: Query;
  readonly view: View;
}
export interface TablePlace {
  readonly page: 'table';
  /** Decimal digits. */
  readonly chainId: string;
  readonly tableId: string;
}
export type Place = QueryPlace | TablePlace;

const VIEWS: readonly View[] = ['table', 'json', 'chart', 'explain'];

/** `table` keeps the columns' order and names where there are no rows: the page's own choice. */
export const EMPTY_QUERY: Query = {
  statement: '',
  params: '',
  format: 'table',
  extract: false,
  unwrap: false,
};

/** Whatever stands there: what is not understood is left out. */
export function placeOf(hash: string): Place {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const [, chainId, tableId] = /^(\d{1,15})\/(\d{1,78})$/.exec(parts.get('table') ?? '') ?? [];
  if (chainId !== undefined && tableId !== undefined) return { page: 'table', chainId, tableId };
  return {
    page: 'query',
    query: {
      statement: parts.get('q') ?? '',
      params: parts.get('params') ?? '',
      format: parts.get('format') === 'objects' ? 'objects' : 'table',
      extract: parts.get('extract') === 'true',
      unwrap: parts.get('unwrap') === 'true',
    },
    view: VIEWS.find((view) => view === parts.get('view')) ?? 'table',
  };
}

export function hashOf(place: Place): string {
  if (place.page === 'table') return `#table=${place.chainId}/${place.tableId}`;
  const { statement, params, format, extract, unwrap } = place.query;
  const parts = [`q=${encodeURIComponent(statement)}`];
  if (params.trim() !== '') parts.push(`params=${encodeURIComponent(params)}`);
  if (format === 'objects') parts.push('format=objects');
  if (extract) parts.push('extract=true');
  if (unwrap) parts.push('unwrap=true');
  if (place.view !== 'table') parts.push(`view=${place.view}`);
  return `#${parts.join('&')}`;
}

/** The address that gives the query's answer, with what differs from the operation's own defaults. */
export function queryUrl(base: string, query: Query): string {
  return `${base}/query?statement=${encodeURIComponent(query.statement)}${optionsOf(query)
    .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join('')}`;
}

export type FileFormat = 'csv' | 'ndjson' | 'arrow' | 'parquet';

/** The address that gives the rows as a file: for a spreadsheet, pandas or DuckDB. */
export function fileUrl(base: string, query: Query, format: FileFormat): string {
  const plain = { ...query, format: 'objects', extract: false, unwrap: false } as const;
  return `${queryUrl(base, plain)}&format=${format}`;
}

/** Longer addresses are refused by some proxies on the way. */
const MAX_URL = 8000;

/** What to send: a long statement goes in a body. */
export function requestOf(base: string, query: Query): { readonly url: string; readonly body?: string } {
  const url = queryUrl(base, query);
  if (url.length <= MAX_URL) return { url };
  return { url: `${base}/query`, body: bodyOf(query) };
}

/** The query as JSON, with every digit of its params. @param formed whether with the form of the answer */
export function bodyOf({ statement, params, format, extract, unwrap }: Query, formed = true): string {
  const { problem } = readParams(params);
  const list = params.trim() === '' || problem !== undefined ? '' : `,"params":${params.trim()}`;
  const members = formed ? { statement, format, extract, unwrap } : { statement };
  return `${JSON.stringify(members).slice(0, -1)}${list}}`;
}

/** A command line for a POSIX shell. */
export function curlOf(base: string, query: Query): string {
  const { url, body } = requestOf(base, query);
  if (body !== undefined)
    return `curl -s ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(body)}`;
  const options = optionsOf(query).map(([name, value]) =>
    name === 'params' ? ` --data-urlencode ${quoted(`params=${value}`)}` : ` -d ${name}=${value}`,
  );
  return `curl -sG ${quoted(`${base}/query`)} --data-urlencode ${quoted(`statement=${query.statement}`)}${options.join('')}`;
}

function optionsOf({ params, format, extract, unwrap }: Query): (readonly [string, string])[] {
  const values = paramTexts(params).map((text) => ['params', text] as const);
  if (format === 'table') return [...values, ['format', 'table']];
  return [
    ...values,
    ...(extract ? [['extract', 'true'] as const] : []),
    ...(unwrap ? [['unwrap', 'true'] as const] : []),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
