// Media types of a query's answer: which format an Accept header asks for, and what each format is called.
import { bestOffer, readRanges } from '../http/accept.ts';
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

const download = (type: string, extension: string): readonly string[] => [
  'Content-Type',
  type,
  'Content-Disposition',
  `attachment; filename="result.${extension}"`,
];

const JSON_TYPE: readonly string[] = ['Content-Type', 'application/json'];

/** Content-Type, and a file name for those who save the answer. */
export const MEDIA_HEADERS: { readonly [F in Format]: readonly string[] } = {
  objects: JSON_TYPE,
  table: JSON_TYPE,
  ndjson: download('application/x-ndjson', 'ndjson'),
  csv: download('text/csv; charset=utf-8', 'csv'),
  arrow: download('application/vnd.apache.arrow.stream', 'arrows'),
  parquet: download('application/vnd.apache.parquet', 'parquet'),
};
