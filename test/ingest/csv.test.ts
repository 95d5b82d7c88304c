// CSV files are read exactly or refused: no row, column or value is lost or guessed.
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { askRows, runImport, scratch } from './support.ts';

const test = suite('csv');
const files = scratch();
test.after(() => files.remove());

let number = 0;
async function importCsv(content: string | Uint8Array): Promise<{ code: number; err: string; data: string }> {
  const path = files.path(`f${++number}.csv`);
  const data = files.path(`data-${number}`);
  writeFileSync(path, content);
  const { code, err } = await runImport(path, '--table', 'c_1_1', '--data', data);
  return { code, err, data };
}

async function rowsOf(content: string | Uint8Array): Promise<unknown[][]> {
  const { code, err, data } = await importCsv(content);
  assert.is(code, 0, err);
  const names = await askRows(
    data,
    "select name from tablegate_columns where table_name = 'c_1_1' order by position",
  );
  return [names.flat(), ...(await askRows(data, 'select * from c_1_1 order by rowid'))];
}

test('what looks like a comment, another quote or a title is data', async () => {
  assert.equal(await rowsOf('id,tag\n1,#a\n2,b\n3,#c\n'), [
    ['id', 'tag'],
    [1n, '#a'],
    [2n, 'b'],
    [3n, '#c'],
  ]);
  assert.equal(await rowsOf("name,note\n'a','b'\n'c, d'\n".replace("'c, d'", "'c','d'")), [
    ['name', 'note'],
    ["'a'", "'b'"],
    ["'c'", "'d'"],
  ]);
  assert.equal(await rowsOf('#a,b\r\n"x ""y"", z","line\r\nbreak"\r\n,\r\n'), [
    ['#a', 'b'],
    ['x "y", z', 'line\r\nbreak'],
    [null, null],
  ]);
  assert.equal(await rowsOf(Buffer.from('\ufeffä,b\n1,2')), [
    ['ä', 'b'],
    [1n, 2n],
  ]);
  // The engine sees no quote behind a mark.
  assert.equal(await rowsOf(Buffer.from('\ufeff","\n3.5\n4.5')), [[','], [3.5], [4.5]]);
  assert.equal(await rowsOf(Buffer.from('\ufeff"a,""b""",c\n1,"x\ny"\n')), [
    ['a,"b"', 'c'],
    [1n, 'x\ny'],
  ]);
});

test('what is no RFC 4180 is refused with its line', async () => {
  const cases: readonly [content: string | Uint8Array, message: RegExp][] = [
    [
      'id;name;price\n1;a;2,5\n2;b;3,5\n',
      /line 1: the header has one column, "id;name;price"; fields must be separated by ",", not ";"/,
    ],
    ['a|b\n1|2\n', /not "\|"/],
    ['a,b\n1,2\n1\n3,4\n', /line 3: expected 2 fields as in the header, found 1/],
    ['a,b\n1,2,3\n', /line 2: expected 2 fields as in the header, found 3/],
    ['a,b\n"1\n2",2\n3\n', /line 4: expected 2 fields/],
    ['a,a\n1,2\n', /line 1: the header names the column "a" twice$/m],
    ['a,A\n1,2\n', /line 1: the header names the column "A" twice, since "a" is the same in SQL/],
    ['a\n1,5\n', /line 2: expected 1 field as in the header, found 2/],
    ['a,\n1,2\n', /line 1: column 2 of the header has no name/],
    ['"a\nb",c\n1,2\n', /line 1: the name of column 1 has a line break in it/],
    ['a,b\r1,2\r', /a line ends with CR alone/],
    ['a,b\n1,2\r\n', /line 2: it ends with CRLF, and those before with the other/],
    ['a,b\n1,"2\n', /line 2: a quote is never closed/],
    ['a,b\n1,x"2"\n', /line 2: a quote stands within a field/],
    ['a,b\n1,"2"x\n', /line 2: something stands behind the closing quote/],
    [Buffer.from('a,b\n1,\xe4\n2,x\n', 'latin1'), /line 2: its bytes are no UTF-8/],
    [Buffer.from('a,b\n1,\xc3', 'latin1'), /line 2: its bytes are no UTF-8/],
    // Characters of three bytes, so that ends of what is read at once cut some.
    ...[0, 1, 2, 50_000].map((before): [Uint8Array, RegExp] => [
      Buffer.concat([
        Buffer.from(`a,b\n${'x'.repeat(before % 3)},${'€\n1,'.repeat(60_000 + before)}`),
        Buffer.from('\xe4\n', 'latin1'),
        Buffer.from('1,2\n'.repeat(50_000)),
      ]),
      new RegExp(`line ${60_002 + before}: its bytes are no UTF-8`),
    ]),
  ];
  for (const [content, message] of cases) {
    const { code, err } = await importCsv(content);
    assert.is(code, 1, String(content));
    assert.match(err, message, String(content));
    assert.is(err.trimEnd().split('\n').length, 1, err);
  }
});

test.run();
