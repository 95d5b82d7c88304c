// Statements to fuzz with: by grammar, and what others wrote (the corpus, known attacks) with bytes and tokens
// changed.
import fc from 'fast-check';
import { ESCAPES } from '../../src/worker/escapes.ts';
import { statementOf } from '../differential/case.ts';
import { BEYOND, CORPUS } from '../differential/corpus.ts';
import { beyond } from '../differential/generate/beyond.ts';
import { request } from '../differential/generate/request.ts';

const WRITTEN: readonly string[] = [
  ...Object.values(CORPUS).flat().map(statementOf),
  ...BEYOND.map(statementOf),
  ...ESCAPES.map((text) => text.replaceAll('$DB', '/data/x.duckdb')),
].filter((text) => text !== '' && text.length < 3000);

const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[\w$]+|\s+|<=|>=|<>|!=|\|\||->>|->|[^\w\s]/g;
const EXTREMES = [
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '1e308',
    '1e999',
    '-0.0',
    '0x7fffffffffffffff',
  ],
  ...[
    "''",
    "x''",
    "x'00'",
    'char(0)',
    "'\u0000'",
    "'😀'",
    "'[[[[[['",
    'NULL',
    '*',
    '?',
    '??',
    ';',
    '--',
    '/*',
    '"',
    "'",
    '`',
    '[',
    '\\',
  ],
  ...[
    '(',
    ')',
    ',',
    '.',
    'select',
    'from',
    'union',
    'with',
    'recursive',
    'over',
    'limit',
    'offset',
    'group by',
    'collate nocase',
  ],
  ...[
    'zeroblob(1000000000)',
    "printf('%1000000000d', 1)",
    'rowid',
    'vals_31337_2',
    'sqlite_master',
    'pragma_table_info',
    'json_each',
  ],
  ...[
    'random()',
    'now()',
    'current_timestamp',
    'sum',
    'count(*)',
    'cast(',
    'as text',
    'case when',
    'end',
    'exists (',
    'not',
    '-',
    '+',
    '~',
  ],
];

const written = fc.constantFrom(...WRITTEN);
const place = fc.nat();

/** Token by token: taken out, doubled, swapped, replaced, or mixed with another statement's. */
const changedTokens = fc
  .tuple(
    written,
    written,
    fc.array(fc.tuple(fc.nat({ max: 4 }), place, place, fc.constantFrom(...EXTREMES)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([one, other, changes]) => {
    const tokens = one.match(TOKEN) ?? [];
    const others = other.match(TOKEN) ?? [''];
    for (const [how, first, second, extreme] of changes) {
      const at = first % Math.max(1, tokens.length);
      const to = second % Math.max(1, tokens.length);
      if (how === 0) tokens.splice(at, 1 + (second % 3));
      else if (how === 1) tokens.splice(at, 0, ...tokens.slice(Math.min(at, to), Math.min(at, to) + 8));
      else if (how === 2) [tokens[at], tokens[to]] = [tokens[to] ?? '', tokens[at] ?? ''];
      else if (how === 3) tokens[at] = extreme;
      else tokens[at] = others[second % others.length] ?? '';
    }
    return tokens.join('');
  });

const changedCharacters = fc
  .tuple(
    written,
    fc.array(fc.tuple(place, fc.nat({ max: 3 }), fc.string({ unit: 'binary', maxLength: 3 })), {
      minLength: 1,
      maxLength: 5,
    }),
  )
  .map(([text, changes]) => {
    let changed = text;
    for (const [first, remove, insert] of changes) {
      const at = first % (changed.length + 1);
      changed = changed.slice(0, at) + insert + changed.slice(at + remove);
    }
    return changed;
  });

/** One piece many times over, or one inside the other. */
const nested = fc
  .tuple(written, fc.nat({ max: 7 }), fc.constantFrom(2, 5, 20, 60, 100, 400))
  .map(([text, how, times]) => {
    const of = (piece: string): string => piece.repeat(Math.min(times, Math.floor(30_000 / piece.length)));
    const wrap = (open: string, close: string, inner: string): string => of(open) + inner + of(close);
    const forms = [
      () => wrap('select * from (', ')', text),
      () => `select ${wrap('(', ')', '1')}`,
      () => `select ${wrap('-', '', '1')}`,
      () => `select ${wrap('not ', '', '1')}`,
      () => `select ${wrap('coalesce(1, ', ')', 'null')}`,
      () => `select 1${of(' + 1')}`,
      () => `select 1${of(' union all select 1')}`,
      () => `select ${wrap('(select ', ')', '1')}`,
    ];
    return (forms[how] as () => string)();
  });

export const statement: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: request.map((made) => made.statement ?? '') },
  { weight: 2, arbitrary: beyond.map((made) => made.statement ?? '') },
  { weight: 5, arbitrary: changedTokens },
  { weight: 3, arbitrary: changedCharacters },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);
