// Date and time functions over a product of time values, modifiers and formats: the compiled form answers what
// SQLite answers. The reference has none of them.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEngines } from './compile-engines.ts';

const engines = await openEngines(
  'create table dual(x integer primary key) strict; insert into dual values (1);',
);
test.after(() => engines.close());

const TIMES = [
  `'2024-02-29'`,
  `'2023-02-31'`,
  `'2024-12-31 23:59:59.999'`,
  `'2021-01-03T04:05:06Z'`,
  `'2000-01-01 12:00'`,
  `'1999-12-31 24:00:00'`,
  `'1970-01-01 00:00:00.0005'`,
  `'0000-01-01'`,
  `'-4713-11-24 12:00:00'`,
  `'9999-12-31 23:59:59'`,
  `'2024-03-31 10:00:00+05:30'`,
  `'2024-03-31 00:30:00 -14:00'`,
  `'2024-03-31 00:30:00+15:00'`,
  `'12:34'`,
  `'12:34:56.789'`,
  `'2024-13-01'`,
  `'2024-1-01'`,
  `' 2024-01-01'`,
  `'2024-01-01 '`,
  `'2024-01-01x'`,
  `'2024-01-01 25:00'`,
  `'2024-06-15 10:20:30.1234567'`,
  `''`,
  `'abc'`,
  `null`,
  `0`,
  `-1`,
  `2460000.5`,
  `5373484.5`,
  `1700000000`,
  `-62167219200`,
  `'1700000000'`,
  `'2460310.25'`,
  `1e15`,
  `x'323032342d30312d3031'`,
];
const MODIFIERS = [
  '+1 day',
  '-1 days',
  '+1.5 days',
  '+12 hours',
  '-30 minute',
  '+3600 seconds',
  '+0.001 second',
  '+1 month',
  '-13 months',
  '+1.5 months',
  '+1 year',
  '-400 years',
  '+9999 years',
  '5 days',
  '+01:30',
  '-01:30:15.5',
  '+0001-02-03',
  '-0000-01-00 02:00',
  'start of day',
  'START OF MONTH',
  'start of year',
  'start of week',
  'weekday 0',
  'weekday 6',
  'weekday 7',
  'weekday 1.5',
  'unixepoch',
  'julianday',
  'auto',
  'floor',
  'ceiling',
  'subsec',
  'nonsense',
  '',
  '+1 da',
  '+1 fortnight',
  '1',
];
const PAIRS: readonly (readonly [string, string])[] = [
  ['+1 month', 'floor'],
  ['+1 month', 'ceiling'],
  ['start of month', '+1 month'],
  ['+1 month', '-1 day'],
  ['unixepoch', '+1 day'],
  ['auto', 'start of year'],
  ['weekday 1', '-7 days'],
  ['subsec', '+0.123 seconds'],
  ['+1 day', 'unixepoch'],
];
const FORMATS = 'd e f F G g H I j J k l m M p P R s S T u U V w W Y %'.split(' ');
const TIMES_TABLE = `(values ${TIMES.map((time, i) => `(${i}, ${time})`).join(', ')}) a`;

async function same(statement: string): Promise<string> {
  const theirs = engines.sqlite(statement);
  const ours = await engines.ours(statement);
  if ('error' in theirs || 'error' in ours) return JSON.stringify([statement, theirs, ours]);
  return theirs.rows
    .flatMap((row, i) =>
      JSON.stringify(row) === JSON.stringify(ours.rows[i])
        ? []
        : [
            `${JSON.stringify(row)} in SQLite\n${JSON.stringify(ours.rows[i])} here: ${statement.slice(0, 60)}`,
          ],
    )
    .join('\n');
}

for (const name of ['date', 'time', 'datetime', 'julianday', 'unixepoch']) {
  test(`${name}() reads every form of time and applies every modifier`, async () => {
    const modifiers = MODIFIERS.map((modifier, i) => `(${i}, '${modifier}')`).join(', ');
    const value = `${name}(a.column2, b.column2)`;
    const wrong = [
      await same(`select a.column1, a.column2, ${name}(a.column2) from ${TIMES_TABLE} order by 1`),
      await same(
        `select a.column1, b.column1, a.column2, b.column2, ${value}, typeof(${value}) from ${TIMES_TABLE}, (values ${modifiers}) b order by 1, 2`,
      ),
      await same(
        `select a.column1, b.column1, a.column2, b.column2, b.column3, ${name}(a.column2, b.column2, b.column3) from ${TIMES_TABLE}, (values ${PAIRS.map(
          ([first, second], i) => `(${i}, '${first}', '${second}')`,
        ).join(', ')}) b order by 1, 2`,
      ),
    ];
    assert.is(wrong.join('').trim(), '', wrong.join('\n'));
  });
}

test('strftime() writes every field of every time', async () => {
  const fields = FORMATS.map((field) => `strftime('%${field}', a.column2) as "${field}"`).join(', ');
  const wrong = await same(`select a.column1, ${fields} from ${TIMES_TABLE} order by 1`);
  assert.is(wrong, '', wrong);
  const odd = await same(
    `select strftime('%Y-%m', '2024-05-06'), strftime('%', '2024-05-06'), strftime('%x', 0), strftime('', 0), strftime(null, 0), strftime('%d%%é%H', 1.25), strftime('%s %f', '2024-05-06 01:02:03.456', 'subsec')`,
  );
  assert.is(odd, '', odd);
});

test('timediff() of every pair of times', async () => {
  const other = TIMES_TABLE.replace(/ a$/, ' b');
  const wrong = await same(
    `select a.column1, b.column1, timediff(a.column2, b.column2) from ${TIMES_TABLE}, ${other} order by 1, 2`,
  );
  assert.is(wrong, '', wrong);
});

// SQLite takes the machine's time zone, and for numbers out of range makes times of its own.
test('local time is UTC, and a number out of range stays none', async () => {
  const answer = await engines.ours(
    `select datetime('2024-07-01', 'localtime'), datetime('2024-07-01', 'utc'), date(1700000000, 'utc')`,
  );
  assert.equal('rows' in answer ? answer.rows : answer, [
    ['t:2024-07-01 00:00:00', 't:2024-07-01 00:00:00', 'null'],
  ]);
});

test('the clock is asked only where the statement says so, and its answers are not kept', async () => {
  for (const statement of [
    `select date('now')`,
    `select datetime()`,
    `select current_timestamp`,
    `select strftime('%s', 'now')`,
    `select unixepoch('subsec') > 0`,
    `select timediff('2000-01-01', 'now')`,
    `select random()`,
  ])
    assert.is(engines.plan(statement).plan.deterministic, false, statement);
  for (const statement of [`select date('2024-01-01')`, `select strftime('%Y', 0)`])
    assert.is(engines.plan(statement).plan.deterministic, true, statement);
  const answer = await engines.ours(
    `select date('now') = current_date, abs(unixepoch('now') - unixepoch()) < 2, date('NOW', 'start of year') like '%-01-01', date(x) from (select 'now' as x from dual)`,
  );
  assert.equal('rows' in answer ? answer.rows : answer, [['i:1', 'i:1', 'i:1', 'null']]);
});

test.run();
