// Pictures of tables as text: what stands in them, and that no value, however hostile, becomes markup.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tableHtml } from '../../src/picture/table-html.ts';
import { tableSvg } from '../../src/picture/table-svg.ts';
import {
  breadth,
  escapeMarkup,
  hueOf,
  isoDate,
  shorten,
  type TableView,
} from '../../src/picture/table-view.ts';

const VIEW: TableView = {
  name: 'rigs_1_7',
  chainId: 1,
  tableId: '7',
  createdAt: 1_700_000_000,
  columns: [
    { name: 'id', type: 'integer', constraints: ['primary key autoincrement'] },
    { name: 'name', type: 'text', constraints: ['not null', 'unique'] },
  ],
  tableConstraints: ['check(id>0)'],
  rows: [
    ['1', 'ada'],
    ['2', null],
  ],
  rowCount: 12_345,
  address: 'https://gateway.example/api/v1/tables/1/7',
};

const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  ']]><svg onload=alert(1)>',
  '</title></style></svg><script>alert(1)</script>',
  '&lt;script&gt;&#60;b&#62;',
  '<!--<?xml-stylesheet href="//evil"?>',
  'a\u0000b\u0008c\u001fd\u0085e\uffff',
  '\ud800 half',
  'x'.repeat(100_000),
  '\u202ecba',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
];

const pictures = { svg: tableSvg, html: tableHtml } as const;

/** Tags and attributes without texts and attribute values: what markup there is. */
const skeleton = (markup: string): string =>
  markup
    .replace(/<style>[\s\S]*?<\/style>/, '')
    // Numbers stand at the end of their place, other types do not.
    .replace(/ (?:text-anchor="end"|class="n")/g, '')
    .replace(/>[^<]*</g, '><')
    .replace(/="[^"]*"/g, '=""');

test('a picture shows name, address, schema, first rows and their count', () => {
  for (const picture of Object.values(pictures)) {
    const text = picture(VIEW);
    for (const part of ['rigs_1_7', 'Table 7 on chain 1', '12,345 rows', '2023-11-14', 'name', 'ada', 'NULL'])
      assert.ok(text.includes(part), part);
  }
  const html = tableHtml(VIEW);
  for (const part of [VIEW.address, 'not null', 'unique', 'check(id&gt;0)', 'First 2 of 12,345 rows'])
    assert.ok(html.includes(part), part);
});

test('a table without rows or columns is a picture too', () => {
  for (const picture of Object.values(pictures)) {
    assert.match(picture({ ...VIEW, rows: [], rowCount: 0 }), 'no rows yet');
    picture({ ...VIEW, rows: [[]], columns: [], rowCount: 1 });
  }
});

test('hostile names and values stay texts: the markup is that of a harmless table', () => {
  for (const picture of Object.values(pictures))
    for (const bad of HOSTILE) {
      const hostile = picture({
        ...VIEW,
        name: bad,
        address: bad,
        columns: VIEW.columns.map((column) => ({
          name: bad,
          type: bad,
          constraints: column.constraints.map(() => bad),
        })),
        tableConstraints: [bad],
        rows: [
          [bad, bad],
          [bad, null],
        ],
      });
      const widths = /(font-size|width|x)="[^"]*"/g;
      assert.is(
        skeleton(hostile).replace(widths, ''),
        skeleton(picture(VIEW)).replace(widths, ''),
        bad.slice(0, 60),
      );
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      assert.not.match(hostile, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\uffff]/);
      assert.ok(hostile.isWellFormed());
      assert.ok(hostile.length < 30_000, 'a huge value is cut');
    }
});

test('a picture needs nothing from elsewhere and has no script', () => {
  for (const picture of Object.values(pictures)) {
    const text = picture(VIEW).replace('http://www.w3.org/2000/svg', '').replace(VIEW.address, '');
    assert.not.match(text, /https?:|href|src=|url\((?!#)|@import|<script|\son\w+=/i);
  }
});

test('texts are cut by the columns they take, whole characters stay whole', () => {
  assert.is(shorten('abcdef', 6), 'abcdef');
  assert.is(shorten('abcdefg', 6), 'abcde…');
  assert.is(shorten('a\n\t b', 6), 'a b');
  assert.is(shorten('日本語日本語', 6), '日本…');
  assert.is(breadth('日本'), 4);
  assert.ok(shorten('👩‍🚀'.repeat(50), 9).isWellFormed());
  assert.is(shorten(`a${' '.repeat(1000)}b`, 6), 'a …');
});

test('what a reader takes for one character is not cut apart', () => {
  const family = '👩‍👩‍👧‍👦';
  const clusters = new Intl.Segmenter('en');
  for (const text of [family.repeat(9), '🇨🇭'.repeat(30), 'e\u0301'.repeat(40), `a${family}`.repeat(8)])
    for (let columns = 2; columns < 30; columns++) {
      const cut = shorten(text, columns);
      const kept = cut.endsWith('…') ? cut.slice(0, -1) : cut;
      assert.ok(text.startsWith(kept));
      const borders = [...clusters.segment(text)].map(({ index }) => index);
      assert.ok([...borders, text.length].includes(kept.length), `${columns}: ${kept}`);
    }
});

test('a wide table and long rows stay within the picture, and what is left out is said', () => {
  const columns = Array.from({ length: 300 }, (_, i) => ({
    name: `column_${i}`,
    type: 'text',
    constraints: [],
  }));
  const rows = Array.from({ length: 50 }, (_, r) =>
    columns.map((_, i) => `${r}/${i} 🚀 ${'long '.repeat(100)}`),
  );
  const wide = { ...VIEW, columns, rows, rowCount: 50 };
  const svg = tableSvg(wide);
  assert.match(svg, 'first 8 of 50 rows');
  assert.match(svg, '295 more columns');
  const edges = [...svg.matchAll(/<svg x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
    ([, x, width]) => Number(x) + Number(width),
  );
  assert.is(edges.length, 5);
  for (const edge of edges) assert.ok(edge <= 936, String(edge));
  assert.ok(svg.length < 30_000);
  const html = tableHtml(wide);
  assert.match(html, '260 more columns');
  assert.ok(html.length < 1_500_000, String(html.length));
});

test('neighbours have colours of their own', () => {
  const hues = Array.from({ length: 8 }, (_, i) => hueOf({ chainId: 1, tableId: String(i) }));
  for (const [i, hue] of hues.entries())
    for (const other of hues.slice(0, i)) assert.ok(Math.abs(hue - other) > 15, hues.join());
});

test('markup is escaped for attributes and texts, and broken characters are replaced', () => {
  assert.is(escapeMarkup(`<&>"'`), '&lt;&amp;&gt;&quot;&#39;');
  assert.is(escapeMarkup('a\u0000\ud800'), 'a\ufffd\ufffd');
  assert.is(isoDate(Number.NaN), 'unknown');
  assert.is(isoDate(1e18), 'unknown');
});

test.run();
