// CSV files of every kind, well-formed and broken by a byte: what is written is what a reader of RFC 4180 of a few
// lines reads, value for value, or the import says why not. FUZZ_SEED repeats a run, FUZZ_SECONDS makes it longer.
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askRows, runImport, scratch } from '../ingest/support.ts';
import { campaign, SEED } from './campaign.ts';

const test = suite('fuzz/csv');
const files = scratch();
test.after(() => files.remove());

type Field = string | null;

/** Undefined where it is no RFC 4180, all line ends of one kind, with a header. The strictest reading: what is not in the grammar is not read. */
function read(text: string): readonly (readonly Field[])[] | undefined {
  const records: Field[][] = [[]];
  const ends = new Set<string>();
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  for (let at = text.startsWith('\ufeff') ? 1 : 0; ; ) {
    field.lastIndex = at;
    const found = field.exec(text);
    if (found === null) return undefined;
    const [whole, quoted, bare = '', end] = found;
    records.at(-1)?.push(quoted === undefined ? (bare === '' ? null : bare) : quoted.replaceAll('""', '"'));
    at += whole.length;
    if (end === '') break;
    if (end === ',') continue;
    if (ends.add(end ?? '').size > 1) return undefined;
    // A line end behind the last record ends it and begins none.
    if (at === text.length) break;
    records.push([]);
  }
  return records;
}

/** What the page promises besides: names, and blank lines that are no records where there are several columns. */
function table(text: string): { names: readonly string[]; rows: readonly (readonly Field[])[] } | undefined {
  const [header, ...records] = read(text) ?? [];
  if (header === undefined || !header.every((name): name is string => name !== null && name !== ''))
    return undefined;
  if (header.some((name) => /[\r\n]/.test(name))) return undefined;
  // One name with another delimiter in it, and no quotes: told to be what it looks like.
  if (header.length === 1 && /^\ufeff?[^"].*[;|\t]/.test(text.split(/\r?\n/)[0] ?? '')) return undefined;
  if (new Set(header.map((name) => name.toLowerCase())).size < header.length) return undefined;
  const rows = header.length > 1 ? records.filter((row) => row.length > 1 || row[0] !== null) : records;
  return rows.every((row) => row.length === header.length) ? { names: header, rows } : undefined;
}

/** Numbers are compared as numbers: which columns are some is another test's matter. */
function same(value: unknown, field: Field): boolean {
  if (typeof value === 'number' || typeof value === 'bigint')
    return field !== null && Number(value) === Number(field);
  return value === field;
}

const value = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '',
      'a',
      '#x',
      '//',
      "'q'",
      'NULL',
      '\\N',
      ' b ',
      '01',
      '1',
      '-2',
      '3.50',
      '1e3',
      ';',
      '|',
      '\t',
      'ä日',
      '\\',
      '""',
      '""""',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '#', "'", '0', '9', '.', '\\', ';', 'é'),
    }),
  },
  { weight: 1, arbitrary: fc.integer().map(String) },
);
const written = (text: string, quote: boolean): string =>
  quote || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const wellFormed = fc
  .record({
    width: fc.integer({ min: 1, max: 5 }),
    cells: fc.array(fc.tuple(value, fc.boolean()), { maxLength: 60 }),
    names: fc.array(
      fc.constantFrom('id', 'Name', 'a b', '"q"', 'x,y', '日', '#c', "'s'", 'two\nlines', '1'),
      { minLength: 5, maxLength: 5 },
    ),
    quoteNames: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    lastEnd: fc.boolean(),
    mark: fc.boolean(),
  })
  .map(({ width, cells, names, quoteNames, lineEnd, lastEnd, mark }) => {
    const lines = [names.slice(0, width).map((name, i) => written(`${name}${i}`, quoteNames))];
    for (let at = 0; at + width <= cells.length; at += width)
      lines.push(cells.slice(at, at + width).map(([text, quote]) => written(text, quote)));
    const text = lines.map((line) => line.join(',')).join(lineEnd);
    return `${mark ? '\ufeff' : ''}${text}${lastEnd ? lineEnd : ''}`;
  });
const broken = fc
  .tuple(
    wellFormed,
    fc.nat(),
    fc.constantFrom('', '"', ',', '\n', '\r', ';', 'x', '\n\n', '""'),
    fc.nat({ max: 3 }),
  )
  .map(([text, at, put, cut]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + cut);
  });

/** Undefined where all is well. */
function faultOf(
  expected: ReturnType<typeof table>,
  rows: readonly (readonly unknown[])[],
): string | undefined {
  if (expected === undefined) return 'it is no CSV, and was taken';
  if (rows.length !== expected.rows.length) return `${rows.length} rows of ${expected.rows.length}`;
  for (const [i, row] of rows.entries())
    for (const [j, field] of (expected.rows[i] ?? []).entries())
      if (!same(row[j], field)) return `row ${i + 1}, column ${j + 1}: ${row[j]} where ${field} stands`;
  return undefined;
}

test(`CSV that is written is CSV that was read (seed ${SEED})`, async () => {
  const data = files.path('data');
  const path = files.path('f.csv');
  const counts = new Map<string, number>();
  const attempt = async (text: string): Promise<string | undefined> => {
    writeFileSync(path, text);
    const { code, err } = await runImport(path, '--table', 'f_1_1', '--data', data);
    const kind = code === 0 ? 'taken' : 'refused';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const expected = table(text);
    if (code === 0) return faultOf(expected, await askRows(data, 'select * from f_1_1 order by rowid'));
    if (expected !== undefined) return `it is CSV, and was refused: ${err}`;
    return code === 1 && /^tablegate: .*f\.csv.*\n$/.test(err) ? undefined : `not one line: ${err}`;
  };
  const failures = await campaign({ counts }, fc.oneof(wellFormed, broken), attempt, 1);
  assert.equal(failures, []);
  assert.ok((counts.get('taken') ?? 0) > 0, 'something was taken');
});

test.run();
