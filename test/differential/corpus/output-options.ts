// format x extract x unwrap x number of rows x number of columns, by GET and POST, and how cells are written.
import type { Case } from '../case.ts';

const SHAPES: readonly string[] = [
  `select id from _31337_17 where id > 5`,
  `select id from _31337_17 where id = 1`,
  `select id from _31337_17 order by id`,
  `select id, v from _31337_17 where id > 5`,
  `select id, v from _31337_17 where id = 1`,
  `select id, v from _31337_17 order by id`,
  `select json_object('id', id, 'v', v) from _31337_17 order by id`,
  `select json_object('id', id, 'v', v) as o from _31337_17 where id = 2`,
  `select b from blobs_31337_14 where id < 3 order by id`,
  `select null as n from one_31337_16`,
];
const FLAGS: readonly (readonly [string | undefined, string | undefined])[] = [
  [undefined, undefined],
  ['true', undefined],
  [undefined, 'true'],
  ['true', 'true'],
  ['false', 'false'],
  ['false', 'true'],
  ['true', 'false'],
];

function combinations(): Case[] {
  const cases: Case[] = [];
  for (const statement of SHAPES)
    for (const format of [undefined, 'objects', 'table'])
      for (const [extract, unwrap] of FLAGS)
        cases.push({
          statement,
          ...(format && { format }),
          ...(extract && { extract }),
          ...(unwrap && { unwrap }),
        });
  for (const statement of SHAPES.slice(0, 7))
    for (const format of ['objects', 'table'])
      for (const extract of [true, false])
        for (const unwrap of [true, false]) cases.push({ post: { statement, format, extract, unwrap } });
  return cases;
}

const S = `select id from _31337_17 order by id`;

export const OUTPUT_OPTIONS: readonly Case[] = [
  ...combinations(),
  ...[
    '1',
    't',
    'T',
    'TRUE',
    'True',
    '0',
    'f',
    'F',
    'FALSE',
    'False',
    '',
    'yes',
    'tRUE',
    '2',
    'no',
    'null',
  ].map((extract) => ({ statement: S, extract })),
  ...['1', 'T', '0', 'F', '', 'on', 'TrUe'].map((unwrap) => ({ statement: S, unwrap })),
  ...['', 'Objects', 'TABLE', 'csv', 'json', 'jsonl'].map((format) => ({ statement: S, format })),
  { statement: `select v from _31337_17 order by id`, extract: 'true', unwrap: 'true' },
  { post: { statement: S, format: 'csv' } },
  { post: { statement: S, format: 'xml' } },
  { post: { statement: S, format: '' } },
  { post: { statement: S, extract: 'true' } },
  { post: { statement: S, unwrap: 1 } },
  { post: { statement: S, extra: 1 } },
  { post: { statement: S, extract: null, unwrap: null, format: null } },
  { post: { Statement: S } },
  { post: { statement: '' } },
  { post: {} },
  { post: '' },
  { post: '{' },
  { post: 'null' },
  { post: '[]' },
  { post: '"x"' },
  { post: `{"statement":"${S}"} trailing` },
  { post: `{"statement":"${S}","statement":"select v from _31337_17 where id = 1"}` },
  {},
  { statement: '' },
  { statement: '   ' },
  { statement: ';' },
  {
    path: `/query?statement=${encodeURIComponent(S)}&statement=${encodeURIComponent('select v from _31337_17 where id = 1')}`,
  },
  { path: `/query?statement=${encodeURIComponent(S)}&unknown=1` },
  { path: `/query?statement=select+id+from+_31337_17+where+id+%3D+1` },
  { path: `/query?statement=select id from _31337_17 where id = 1`.replaceAll(' ', '%20') },
  { path: `/query?STATEMENT=${encodeURIComponent(S)}` },
  { path: `/query?s=${encodeURIComponent(S)}` },
  { statement: `select j from json_31337_4 order by id`, extract: 'true' },
  { statement: `select j from json_31337_4 order by id`, extract: 'true', unwrap: 'true' },
  { statement: `select j from json_31337_4 order by id`, unwrap: 'true' },
  { statement: `select j from json_31337_4 order by id`, format: 'table' },
  { statement: `select t from texts_31337_3 order by rowid`, extract: 'true' },
  { statement: `select t from texts_31337_3 order by rowid`, extract: 'true', unwrap: 'true' },
  { statement: `select t from texts_31337_3 order by rowid`, format: 'table' },
  { statement: `select * from vals_31337_2 order by id`, format: 'table' },
  { statement: `select * from vals_31337_2 order by id`, unwrap: 'true' },
  { statement: `select i from numbers_31337_15 order by rowid`, extract: 'true' },
  { statement: `select i / '3.0' from numbers_31337_15 order by rowid`, extract: 'true' },
  { statement: `select i * '1.5' from numbers_31337_15 order by rowid`, extract: 'true', unwrap: 'true' },
  { statement: `select b from blobs_31337_14 order by id`, extract: 'true' },
  { statement: `select x as a, 2 as a from one_31337_16`, extract: 'true' },
  { statement: `select x as a, 2 as a from one_31337_16`, format: 'table' },
  { statement: `select x as a, 2 as A from one_31337_16`, extract: 'true' },
  { statement: `select id, v from _31337_17 where id > 5`, extract: 'true', unwrap: 'true' },
  { statement: `select * from empty_31337_5`, format: 'table' },
  { statement: `select * from empty_31337_5`, unwrap: 'true' },
  { statement: `select count(*) from empty_31337_5`, extract: 'true', unwrap: 'true' },
  { statement: `select json_array(1, 2)  as a from one_31337_16`, extract: 'true', unwrap: 'true' },
  {
    statement: `select '[1, 2]' as a, ' { "b" : 1 } ' as b, '{"c":1} x' as c, '{}' as d, '[]' as e from one_31337_16`,
  },
  {
    statement: `select '["a' || char(10) || '"]' as a, '[1,' || char(10) || '2]' as b, '{"a":"' || char(9) || '"}' as c from one_31337_16`,
    unwrap: 'true',
  },
  { statement: `select '1e400'+0 as a from one_31337_16` },
  {
    statement: `select '0.1'+0 as a, '1e21'+0 as b, '1e-7'+0 as c, '123456789.125'+0 as d, '1e20'+0 as e, '5e-324'+0 as f, '1.7976931348623157e308'+0 as g, '-0.0'+0 as h from one_31337_16`,
  },
  { statement: `select id, amount / '7.0' from big_31337_13 order by id limit 300`, format: 'table' },
  { statement: `select * from big_31337_13`, format: 'table' },
  { statement: `select label from big_31337_13`, extract: 'true', unwrap: 'true' },
  {
    statement: `select '<script>&"' as html, '\u2028\u2029' as lines, char(0) as nul, char(7, 127) as control from one_31337_16`,
  },
  {
    statement: `select cast(x'ff' as text) as bad, cast(x'c3a9' as text) as good, 'a' || x'fe' as mixed from one_31337_16`,
  },
];
