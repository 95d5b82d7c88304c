// Media types of a query's answer: which format an Accept header asks for, and what each format is called.

import { bestOffer, readRanges } from '../http/accept.ts';
import { contentDisposition } from '../http/download.ts';
import type { Format } from '../wire/protocol.ts';

/** The first name is the one that is answered with. */
const OFFERS: readonly { readonly value: Format; readonly names: readonly [string, ...string[]] }[] = [
  // An unwrapped answer is of the second type.
  { value: 'objects', names: ['application/json', 'application/jsonl+json', 'text/json'] },
  { value: 'ndjson', names: ['application/x-ndjson', 'application/ndjson', 'application/jsonl'] },
  { value: 'csv', names: ['text/csv'] },
  { value: 'arrow', names: ['application/vnd.apache.arrow.stream'] },
  { value: 'parquet', names: ['application/vnd.apache.parquet'] },
];

/** Whether it leaves no choice but JSON, as nearly every client's does. */
export function acceptsJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '*/*' || accept === 'application/json' || accept === '';
}

/** JSON where nothing that it names can be had, as the reference answers whatever it says (RFC 9110 section 12.4.1). */
export function formatOfAccept(accept: string | undefined): Format {
  if (accept === undefined || acceptsJson(accept)) return 'objects';
  return bestOffer(readRanges(accept), OFFERS, 'client') ?? 'objects';
}

const JSON_TYPE: readonly string[] = ['Content-Type', 'application/json'];

/** Content-Type of each format, and the ending of a file of it: those of applications are no files. */
const MEDIA: { readonly [F in Format]: { readonly type: string; readonly extension: string } | undefined } = {
  objects: undefined,
  table: undefined,
  ndjson: { type: 'application/x-ndjson', extension: 'ndjson' },
  csv: { type: 'text/csv; charset=utf-8', extension: 'csv' },
  arrow: { type: 'application/vnd.apache.arrow.stream', extension: 'arrows' },
  parquet: { type: 'application/vnd.apache.parquet', extension: 'parquet' },
};

/**
 * Content-Type, and a file name for those who save the answer.
 * @param shape of the statement (statement/statement.ts): its table gives the name
 */
export function mediaHeaders(format: Format, shape: string): readonly string[] {
  const media = MEDIA[format];
  if (media === undefined) return JSON_TYPE;
  const { type, extension } = media;
  return ['Content-Type', type, 'Content-Disposition', contentDisposition(firstTable(shape), extension)];
}

/** What stands after the first FROM that no subquery follows: mostly the table; a name for people, no more. */
function firstTable(shape: string): string {
  const [, quoted, plain = ''] = /\bfrom (?:["`[]([^"`\]]*)|([^\s()"`[]+))/i.exec(shape) ?? [];
  return quoted ?? plain;
}
