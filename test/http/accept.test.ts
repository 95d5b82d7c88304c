// Quality values: which offer a client would rather have.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bestOffer, readRanges } from '../../src/http/accept.ts';

const OFFERS = [
  { value: 'json', names: ['application/json', 'text/json'] },
  { value: 'csv', names: ['text/csv'] },
  { value: 'lines', names: ['application/x-ndjson'] },
];
const chosen = (header: string): string | undefined => bestOffer(readRanges(header), OFFERS, 'client');

test('takes the highest quality, then the most exact name, then the first named, then the first offer', () => {
  const cases: Readonly<Record<string, string | undefined>> = {
    'text/csv': 'csv',
    'TEXT/CSV ; header=present': 'csv',
    'text/csv;q=0.4, application/json;q=0.5': 'json',
    'text/csv;q=0.5, application/json;q=0.5': 'csv',
    'application/json, text/plain, */*': 'json',
    'text/csv, */*': 'csv',
    '*/*, text/csv': 'csv',
    'text/html,application/xml;q=0.9,*/*;q=0.8': 'json',
    'text/*;q=0.9, application/json;q=0.8': 'json',
    'application/*': 'json',
    'application/*, application/json;q=0': 'lines',
    '*/*, application/json;q=0, text/json;q=0': 'csv',
    'text/csv;q=0': undefined,
    'text/csv;q=0, */*;q=0': undefined,
    'text/html': undefined,
    'text/csv;q=2': undefined,
    'text/csv;q=x, application/json;q=0.001': 'json',
    '': undefined,
    ',,;,': undefined,
  };
  for (const [header, expected] of Object.entries(cases)) assert.is(chosen(header), expected, header);
});

test('takes the first offer of equal quality where ties are not for the client', () => {
  const server = (header: string): string | undefined => bestOffer(readRanges(header), OFFERS, 'server');
  assert.is(server('text/csv, application/json'), 'json');
  assert.is(server('text/csv, application/json;q=0.9'), 'csv');
});

test('reads no more wishes than anybody has', () => {
  assert.is(readRanges('a/b,'.repeat(100_000)).length, 64);
});

test.run();
