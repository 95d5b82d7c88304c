// The database that both gateways answer from: every value, name and shape that SQLite and DuckDB are known
// to see differently. A SQL script in SQLite's dialect plus what the generator must know of the tables.

/** A column as the generator uses it. */
export interface NastyColumn {
  readonly name: string;
  /** `bytes` are blobs that are no text: only the written corpus makes texts of them. */
  readonly kind: 'integer' | 'text' | 'blob' | 'json' | 'bytes';
}
export interface NastyTable {
  readonly name: string;
  readonly id: number;
  readonly chainId: number;
  readonly columns: readonly NastyColumn[];
  readonly ddl: string;
  readonly rows: readonly string[];
}

const column = (name: string, kind: NastyColumn['kind']): NastyColumn => ({ name, kind });
const TEXT = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const MAX = '9223372036854775807';
/** -2^63 cannot be written as one literal: SQLite reads 9223372036854775808 as a real first. */
const MIN = '(-9223372036854775807 - 1)';

const INTEGERS = [
  '0',
  '1',
  '-1',
  '2',
  '3',
  '-3',
  '7',
  '10',
  '42',
  '100',
  '255',
  '65536',
  '-65537',
  '2147483647',
  '-2147483648',
  '4294967296',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '999999999999999999',
  MAX,
  '9223372036854775806',
  MIN,
  '-9223372036854775807',
  '3037000500',
  'NULL',
  '1700000000',
];
const TEXTS = [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '10',
  '2',
  ' 12 ',
  '12abc',
  'abc12',
  '1e3',
  '1E-2',
  '0x10',
  '-0',
  '+5',
  '.5',
  '5.',
  '-.5e1',
  '5 apples',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '1e300',
  '0.1',
  '3.0',
  '1.0e0',
  '٣',
  'a',
  'A',
  'b',
  'B',
  'abc',
  'ABC',
  'Abc',
  'aBc ',
  'abc  ',
  ' abc',
  'ä',
  'Ä',
  'ß',
  'ẞ',
  'é',
  'e\u0301',
  'İ',
  'ı',
  'ﬁ',
  '日本語',
  '😀',
  '👨‍👩‍👧',
  '🇩🇪',
  "it's",
  '"quoted"',
  'back\\slash',
  'line\nbreak',
  'tab\there',
  'cr\r\n',
  '100%',
  'a_c',
  'a%c',
  '*',
  '?',
  '[a]',
  'null',
  'NULL',
  'true',
  'false',
  'NaN',
  'Infinity',
  'inf',
  '{}',
  '[]',
  '{"a":1}',
  ' [1,2]',
  '<b>&amp;</b>',
  '\u2028',
  '\u007f',
  'zzz',
  'Zebra',
];
const JSONS = [
  '{}',
  '[]',
  '{"a":1}',
  '{"a":1,"b":{"c":[1,2,{"d":"deep"}]}}',
  '[1,2,3]',
  ' {"a":2}',
  '\t{"a":3}',
  '\n[4]',
  '{"a":1} ',
  '{"a":1}x',
  '{a:1}',
  "{'a':1}",
  '{"a":1,}',
  '[1,]',
  '[1,2',
  '{"a":NaN}',
  '{"a":1,"a":2}',
  '{"a":12345678901234567890}',
  '{"a":9223372036854775807}',
  '{"a":9007199254740993}',
  '{"a":1.0}',
  '{"a":1e2}',
  '{"a":-0}',
  '{"a":-0.0}',
  '{"a":0.1,"b":100.50}',
  'null',
  'true',
  'false',
  '12',
  '12.50',
  '"text"',
  '"te\\"xt"',
  '"\\u00e9\\ud83d\\ude00"',
  '{"a":null,"b":true,"c":false,"d":"x"}',
  '{"a b":1,"c.d":2,"e\\"f":3}',
  '[[1,2],[3,[4]]]',
  '[null,true,"x",1.5]',
  '{"name":"Rig","attributes":[{"trait_type":"Color","value":"Red"},{"trait_type":"Level","value":5}]}',
  '{"ü":"日本","😀":"\u2028"}',
  '',
  ' ',
  'abc',
  '[1, 2 , 3 ]',
  '{"":1}',
  '{"a":[]}',
  '{"a":{}}',
  '{"z":1,"a":2,"m":3}',
  '<{"a":1}',
  '[ ]',
  '{"a":"<b>&"}',
];
const BLOBS = [
  "x''",
  "x'00'",
  "x'0001ff'",
  "x'616263'",
  "x'41'",
  "x'31'",
  "x'3132'",
  "x'c3a9'",
  "x'ff'",
  "x'fffe'",
  "x'c328'",
  "x'e282'",
  "x'f09f9880'",
  "x'7b7d'",
  "x'7b2261223a317d'",
  "x'6100620063'",
  "x'deadbeef'",
  "x'ffffffffffffffff'",
  'NULL',
];

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const range = <T>(count: number, row: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => row(i));

const RIGS = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta', 'Eta', 'Theta', 'Iota', 'Kappa'];
const PARTS = ['Cockpit', 'Riser', 'Color', 'Filter', 'Engine'];
const VALUES = ['Red', 'blue', 'GREEN', 'Standard', '10', '007', 'Dino', ''];

export const NASTY_TABLES: readonly NastyTable[] = [
  {
    name: 'vals_31337_2',
    id: 2,
    chainId: 31337,
    columns: [
      column('id', 'integer'),
      column('i', 'integer'),
      column('n', 'integer'),
      column('t', 'text'),
      column('b', 'bytes'),
    ],
    ddl: 'id integer primary key autoincrement, i integer, n int, t text, b blob',
    rows: range(
      40,
      (k) =>
        `${k + 1}, ${k % 9 === 8 ? 'NULL' : pick(INTEGERS, k)}, ${k % 5 === 4 ? 'NULL' : (k * 7) % 11}, ${k % 11 === 10 ? 'NULL' : TEXT(pick(TEXTS, k * 3))}, ${pick(BLOBS, k)}`,
    ),
  },
  {
    name: 'texts_31337_3',
    id: 3,
    chainId: 31337,
    columns: [column('t', 'text')],
    ddl: 't text',
    rows: [...TEXTS.map(TEXT), 'NULL', TEXT('abc')],
  },
  {
    name: 'json_31337_4',
    id: 4,
    chainId: 31337,
    columns: [column('id', 'integer'), column('j', 'json')],
    ddl: 'id integer primary key, j text',
    rows: [...JSONS.map((json, k) => `${k + 1}, ${TEXT(json)}`), '1000, NULL'],
  },
  {
    name: 'empty_31337_5',
    id: 5,
    chainId: 31337,
    columns: [column('id', 'integer'), column('t', 'text'), column('b', 'blob')],
    ddl: 'id integer, t text, b blob',
    rows: [],
  },
  {
    name: 'gaps_31337_6',
    id: 6,
    chainId: 31337,
    columns: [column('t', 'text'), column('i', 'integer')],
    ddl: 't text not null, i integer',
    rows: range(12, (k) => `${TEXT(`row ${k}`)}, ${k % 4 === 3 ? 'NULL' : k % 3}`),
  },
  {
    name: 'pair_31337_7',
    id: 7,
    chainId: 31337,
    columns: [column('a', 'integer'), column('b', 'text'), column('c', 'text')],
    ddl: 'a integer, b text, c text, primary key(a, b)',
    rows: range(
      15,
      (k) =>
        `${k % 5}, ${TEXT(pick(['x', 'y', 'Z'], Math.floor(k / 5)))}, ${k % 4 === 0 ? 'NULL' : TEXT(String(k))}`,
    ),
  },
  {
    name: 'keys_31337_8',
    id: 8,
    chainId: 31337,
    columns: [column('k', 'text'), column('value', 'text')],
    ddl: "k text unique, value text default 'none'",
    rows: [
      `'name', 'Tableland'`,
      `'Name', 'upper'`,
      `'count', '42'`,
      `'config', '{"theme":"dark","size":12}'`,
      `'list', '[1,2,3]'`,
      `'', 'empty key'`,
      `NULL, 'null key'`,
      `NULL, NULL`,
      `'ünïcode', '✓'`,
      `'10', 'ten'`,
    ],
  },
  {
    name: 'folded_31337_9',
    id: 9,
    chainId: 31337,
    columns: [column('name', 'text'), column('r', 'text'), column('v', 'integer')],
    ddl: 'name text collate nocase, r text collate rtrim, v integer',
    rows: [
      `'Bob', 'x', 1`,
      `'bob', 'x ', 2`,
      `'BOB ', 'x  ', 3`,
      `'alice', 'y', 4`,
      `'Alice', 'Y', 5`,
      `'Ä', ' x', 6`,
      `'ä', '', 7`,
      `NULL, ' ', 8`,
      `'carol', NULL, NULL`,
      `'ALICE', 'y ', 9`,
    ],
  },
  {
    name: 'odd_31337_10',
    id: 10,
    chainId: 31337,
    columns: [
      column('a b', 'integer'),
      column('Group', 'text'),
      column('größe', 'integer'),
      column('UPPER', 'text'),
      column('quo"te', 'text'),
      column('1st', 'integer'),
      column("it's", 'text'),
      column('tick`', 'integer'),
      column('brack]et', 'integer'),
      column('日本', 'text'),
      column('dot.ted', 'text'),
      column('count(*)', 'integer'),
    ],
    ddl: '"a b" integer, "Group" text, "größe" integer, "UPPER" text, "quo""te" text, "1st" integer, "it\'s" text, "tick`" integer, "brack]et" integer, "日本" text, "dot.ted" text, "count(*)" integer',
    rows: [
      `1, 'g1', 10, 'U', 'q', 1, 's', 5, 6, '語', 'd.t', 9`,
      `2, 'g2', NULL, 'u', NULL, 2, '', 50, 60, '', '', 90`,
      `3, 'g1', 30, 'V', '"', 3, '''', NULL, NULL, NULL, NULL, NULL`,
    ],
  },
  {
    name: 'rigs_31337_11',
    id: 11,
    chainId: 31337,
    columns: [
      column('id', 'integer'),
      column('name', 'text'),
      column('image', 'text'),
      column('owner', 'text'),
      column('vin', 'integer'),
    ],
    ddl: 'id integer primary key, name text not null, image text, owner text, vin int unique',
    rows: RIGS.map(
      (name, k) =>
        `${k + 1}, ${TEXT(`${name} #${k + 1}`)}, ${TEXT(`ipfs://bafy/${k + 1}.png`)}, ${k % 3 === 2 ? 'NULL' : TEXT(`0x${(k % 4).toString(16).repeat(40)}`)}, ${1000 + k * 37}`,
    ),
  },
  {
    name: 'rig_attributes_31337_12',
    id: 12,
    chainId: 31337,
    columns: [
      column('rig_id', 'integer'),
      column('display_type', 'text'),
      column('trait_type', 'text'),
      column('value', 'text'),
    ],
    ddl: 'rig_id integer, display_type text, trait_type text not null, value text',
    rows: range(
      44,
      (k) =>
        `${(k % 11) + 1}, ${k % 4 === 1 ? TEXT('number') : 'NULL'}, ${TEXT(pick(PARTS, k))}, ${k % 13 === 12 ? 'NULL' : TEXT(pick(VALUES, k * 3))}`,
    ),
  },
  {
    name: 'blobs_31337_14',
    id: 14,
    chainId: 31337,
    columns: [column('id', 'integer'), column('b', 'bytes')],
    ddl: 'id integer primary key, b blob',
    rows: BLOBS.map((blob, k) => `${k}, ${blob}`),
  },
  {
    name: 'numbers_31337_15',
    id: 15,
    chainId: 31337,
    columns: [column('i', 'integer'), column('k', 'integer')],
    ddl: 'i integer, k int',
    rows: INTEGERS.map((value, k) => `${value}, ${(k * 5) % 7}`),
  },
  {
    name: 'one_31337_16',
    id: 16,
    chainId: 31337,
    columns: [column('x', 'integer')],
    ddl: 'x integer',
    rows: ['1'],
  },
  {
    name: '_31337_17',
    id: 17,
    chainId: 31337,
    columns: [column('id', 'integer'), column('v', 'text')],
    ddl: 'id integer, v text',
    rows: [`3, 'c'`, `1, 'a'`, `2, 'b'`],
  },
  {
    name: 'Mixed_Case_31337_18',
    id: 18,
    chainId: 31337,
    columns: [column('Id', 'integer'), column('NaMe', 'text')],
    ddl: 'Id integer primary key, NaMe text',
    rows: [`5, 'five'`, `-5, 'minus'`, `0, 'zero'`],
  },
  {
    name: 'small_31337_19',
    id: 19,
    chainId: 31337,
    columns: [column('x', 'integer'), column('y', 'text'), column('z', 'integer')],
    ddl: "x integer check (x < 100), y text default 'd', z integer, unique(x, z)",
    rows: [
      `1, 'one', 1`,
      `2, 'two', NULL`,
      `2, 'TWO', 2`,
      `3, NULL, 3`,
      `NULL, 'none', NULL`,
      `NULL, NULL, NULL`,
      `1, '1', 2`,
      `10, '10', 10`,
      `9, '9', 9`,
    ],
  },
  {
    name: 'pilot_sessions_31337_20',
    id: 20,
    chainId: 31337,
    columns: [
      column('id', 'integer'),
      column('rig_id', 'integer'),
      column('owner', 'text'),
      column('pilot_contract', 'text'),
      column('pilot_id', 'integer'),
      column('start_time', 'integer'),
      column('end_time', 'integer'),
    ],
    ddl: 'id integer primary key, rig_id integer not null, owner text not null, pilot_contract text, pilot_id integer, start_time integer not null, end_time integer',
    rows: range(
      17,
      (k) =>
        `${k + 1}, ${((k * 3) % 7) + 1}, ${TEXT(`0x${(k % 4).toString(16).repeat(40)}`)}, ${k % 5 === 3 ? 'NULL' : TEXT(`0x${'f'.repeat(39)}${k % 2}`)}, ${k % 5 === 3 ? 'NULL' : k * 11}, ${1_000_000 + k * 250}, ${k % 3 === 0 ? 'NULL' : 1_000_000 + k * 400}`,
    ),
  },
  {
    name: 'huge_31337_21',
    id: 21,
    chainId: 31337,
    columns: [column('t', 'text'), column('j', 'json')],
    ddl: 't text, j text',
    rows: [`'1e400', '{"a":1e400}'`, `'-1e400', '[-1e400]'`, `'1e308', '{"a":1e308}'`],
  },
  {
    name: 'utf8_31337_22',
    id: 22,
    chainId: 31337,
    columns: [column('n', 'integer'), column('b', 'blob')],
    ddl: 'n integer, b blob',
    rows: [
      `1, x'616263'`,
      `2, x'31'`,
      `3, x'c3a9'`,
      `4, x'2d31'`,
      `5, NULL`,
      `6, x'f09f9880'`,
      `7, x'41'`,
      `8, x'7b7d'`,
    ],
  },
  {
    name: 'healthbot_31337_1',
    id: 1,
    chainId: 31337,
    columns: [column('counter', 'integer')],
    ddl: 'counter integer',
    rows: ['1'],
  },
  {
    name: 'other_1_7',
    id: 7,
    chainId: 1,
    columns: [column('id', 'integer'), column('note', 'text')],
    ddl: 'id integer, note text',
    rows: [`1, 'mainnet'`],
  },
];

/** 5,000 rows: groups of uneven size, NULLs, ties, texts that repeat. Made in SQL, so it is not in NASTY_TABLES' rows. */
export const BIG_TABLE: NastyTable = {
  name: 'big_31337_13',
  id: 13,
  chainId: 31337,
  columns: [
    column('id', 'integer'),
    column('g', 'integer'),
    column('amount', 'integer'),
    column('label', 'text'),
  ],
  ddl: 'id integer primary key, g integer, amount integer, label text',
  rows: [],
};

const address = (digit: string): string => `0x${digit.repeat(40)}`;
const hash = (digit: string): string => `0x${digit.repeat(64)}`;

const SYSTEM_ROWS = `
INSERT INTO system_controller(chain_id, table_id, controller) VALUES (31337, 2, '${address('b')}'), (31337, 11, '${address('c')}');
INSERT INTO system_acl(table_id, controller, privileges, chain_id, created_at, updated_at) VALUES
  (2, '${address('a')}', 7, 31337, 1700000001, NULL), (3, '${address('a')}', 1, 31337, 1700000002, 1700000100), (11, '${address('d')}', 6, 31337, 1700000003, NULL);
INSERT INTO system_txn_receipts(chain_id, block_number, index_in_block, txn_hash, error, table_id, error_event_idx, table_ids) VALUES
  (31337, 10, 0, '${hash('1')}', NULL, 2, NULL, '2'), (31337, 10, 1, '${hash('2')}', 'db query execution failed (code: SQLITE_UNIQUE, msg: "x")', NULL, 0, NULL),
  (31337, 11, 0, '${hash('3')}', NULL, 3, NULL, '3,4,5'), (31337, 12, 3, '${hash('4')}', NULL, NULL, NULL, NULL), (1, 900, 0, '${hash('1')}', NULL, 7, NULL, '7');
INSERT INTO system_txn_processor(chain_id, block_number) VALUES (31337, 1234), (1, 18000000);
INSERT INTO system_pending_tx(chain_id, address, hash, nonce, bump_price_count, created_at, updated_at) VALUES (31337, '${address('e')}', '${hash('5')}', 4, 0, 1700000005, NULL);
INSERT INTO system_evm_events(chain_id, event_json, event_type, address, topics, data, block_number, tx_hash, tx_index, block_hash, event_index) VALUES
  (31337, '{"Owner":"${address('a')}","TableId":2}', 'ContractCreateTable', '${address('f')}', '["${hash('6')}"]', x'00010203', 10, '${hash('1')}', 0, '${hash('7')}', 0),
  (31337, '{"Caller":"${address('a')}","IsOwner":true,"TableId":3,"Statement":"insert into texts_31337_3 values (1)"}', 'ContractRunSQL', '${address('f')}', '[]', x'', 11, '${hash('3')}', 0, '${hash('8')}', 2);
INSERT INTO system_evm_blocks(chain_id, block_number, timestamp) VALUES (31337, 10, 1700000010), (31337, 11, 1700000022), (31337, 12, 1700000034);
`;

/** Tables that the registry does not have; the last one has the id of another. */
const UNREGISTERED = `
CREATE TABLE loose_31337_901(id integer primary key, t text unique) strict; INSERT INTO loose_31337_901 VALUES (2, 'two'), (1, 'one');
CREATE TABLE Upper_31337_902(a, b real); INSERT INTO Upper_31337_902 VALUES (x'41', 1), ('text', 2.5), (NULL, NULL);
CREATE TABLE _31337_903(a int); INSERT INTO _31337_903 VALUES (9);
CREATE TABLE elsewhere_77_1(a int); INSERT INTO elsewhere_77_1 VALUES (5);
CREATE TABLE other_31337_2(id int); INSERT INTO other_31337_2 VALUES (3);
`;

/** The whole database as a script, to be run on a database that the reference has made and migrated. */
export function nastySql(): string {
  const script: string[] = ['BEGIN;'];
  for (const table of [...NASTY_TABLES, BIG_TABLE]) {
    script.push(`create table "${table.name}"(${table.ddl}) strict;`);
    if (table.rows.length > 0)
      script.push(`INSERT INTO "${table.name}" VALUES (${table.rows.join('), (')});`);
    script.push(
      `INSERT INTO registry(id, structure, controller, prefix, created_at, chain_id) VALUES (${table.id}, 'structure${table.id}', '${address('a')}', ${TEXT(table.name.split('_').slice(0, -2).join('_'))}, ${1_700_000_000 + table.id}, ${table.chainId});`,
    );
  }
  script.push('DELETE FROM gaps_31337_6 WHERE rowid IN (1, 4, 5, 12);');
  script.push(
    `INSERT INTO gaps_31337_6(rowid, t, i) VALUES (-7, 'negative', 8), (0, 'zero', 9), (1000000, 'far', 1), (${MAX}, 'last', 2);`,
  );
  script.push(`WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 5000)
INSERT INTO big_31337_13 SELECT k, CASE WHEN k % 97 = 0 THEN NULL ELSE (k * k) % 23 END, CASE WHEN k % 41 = 0 THEN NULL ELSE (k * 7919) % 1009 - 300 END,
  CASE WHEN k % 53 = 0 THEN NULL ELSE substr('alpha beta gamma delta Alpha', 1 + (k % 5) * 6, 5) || CASE WHEN k % 3 = 0 THEN '' ELSE k % 17 END END FROM n;`);
  script.push(SYSTEM_ROWS, UNREGISTERED, 'COMMIT;');
  return script.join('\n');
}

export { INTEGERS, JSONS, TEXTS };
