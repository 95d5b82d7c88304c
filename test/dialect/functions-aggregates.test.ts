// Aggregates over nasty values: every function with every kind of argument, plain, DISTINCT, with FILTER, grouped
// and of no rows, beside the reference; ORDER BY inside and OVER, which it lacks, beside SQLite.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBesideReference } from './beside-reference.ts';
import { argument, KINDS, valuesScript } from './functions-values.ts';

const TABLE = 'values_31337_1';
const beside = await openBesideReference(valuesScript(TABLE), 'values');
const { engines } = beside;
test.after(() => beside.close());

/** Where the reference stops on the way it answers with the rows so far: none of these. */
async function expected(statement: string): Promise<string> {
  const { status, text: body } = await beside.ask(statement);
  if (status !== 200) return `refused ${body}`;
  const { rows } = JSON.parse(body) as { rows: readonly (readonly (string | null)[])[] };
  return rows.length === 0 ? 'fails' : rows.map((row) => row.join(' ')).join('\n');
}

async function actual(statement: string): Promise<string> {
  const answer = await engines.ours(statement);
  if ('error' in answer) return answer.error === 'run-failed' ? 'fails' : answer.error;
  return answer.rows
    .map((row) => row.map((cell) => (cell === 'null' ? '' : cell.slice(2))).join(' '))
    .join('\n');
}

async function differences(statements: readonly string[]): Promise<string> {
  const wrong: string[] = [];
  for (const statement of statements) {
    const [theirs, ours] = [await expected(statement), await actual(statement)];
    if (theirs !== ours)
      wrong.push(
        `${statement}\n    ${theirs.slice(0, 400)} in the reference\n    ${ours.slice(0, 400)} here`,
      );
  }
  return wrong.join('\n');
}

const shown = (value: string): string => `typeof(${value}), quote(${value}), hex(${value})`;
/** Rows whose blobs are texts; and without the integers whose sums leave 64 bits. */
const TEXTS = 'x.id < 64';
const SMALL = 'x.id < 64 and (x.i is null or x.id < 14)';

function calls(name: string, value: string, where: string): readonly string[] {
  const from = `from ${TABLE} x where ${where}`;
  const of = (inner: string, after = ''): string => shown(`${name}(${inner})${after}`);
  return [
    `select ${of(value)} ${from}`,
    `select ${of(`distinct ${value}`)} ${from}`,
    `select ${of(value, ' filter (where x.id % 3 = 1)')} ${from}`,
    `select x.id % 4, ${of(value)} ${from} group by x.id % 4 order by 1`,
    `select x.id % 4, ${of(`distinct ${value}`)} ${from} group by x.id % 4 order by 1`,
    `select ${of(value)} ${from} and x.id < 0`,
    `select x.id % 5 ${from} group by x.id % 5 having ${name}(${value}) is not null or x.id % 5 = 0 order by 1`,
  ];
}

for (const name of ['count', 'max', 'min', 'group_concat', 'json_group_array']) {
  test(`${name}() of all kinds of values answers as in the reference`, async () => {
    const wrong = await differences(
      KINDS.flatMap((kind) => {
        const value = argument(kind, 'x');
        // JSON cannot hold blobs.
        if (name === 'json_group_array' && (kind === 'b' || kind === 'any'))
          return calls(name, value, `${TEXTS} and x.b is null`);
        return calls(name, value, TEXTS);
      }),
    );
    assert.is(wrong, '', wrong);
  });
}

for (const name of ['sum', 'avg', 'total']) {
  test(`${name}() of all kinds of values answers as in the reference, to the last digit`, async () => {
    const wrong = await differences(
      [
        ...KINDS.map((kind) => argument(kind, 'x')),
        `'0.1'`,
        `('0.1' + 0)`,
        'null',
        `x'3132'`,
        '7',
        'x.id > 20',
      ].flatMap((value) => calls(name, value, SMALL)),
    );
    assert.is(wrong, '', wrong);
  });
}

test('a sum that leaves 64 bits on the way fails, in whatever order its rows come back', async () => {
  const wrong = await differences([
    `select ${shown('sum(x.i)')} from ${TABLE} x`,
    `select ${shown('sum(x.i)')} from ${TABLE} x where x.id in (16, 17)`,
    `select ${shown('sum(x.i)')} from ${TABLE} x where x.id in (2, 16)`,
    `select ${shown('sum(x.i)')} from ${TABLE} x where x.id in (3, 16)`,
    `select ${shown('sum(distinct x.i)')} from ${TABLE} x where x.id in (2, 16, 17)`,
    `select ${shown('total(x.i)')}, ${shown('avg(x.i)')} from ${TABLE} x`,
  ]);
  assert.is(wrong, '', wrong);
});

test('group_concat() with separators of every kind, and json_group_object() with labels of every kind', async () => {
  const wrong = await differences([
    ...KINDS.flatMap((kind) =>
      KINDS.flatMap((other) => [
        `select ${shown(`group_concat(${argument(kind, 'x')}, ${argument(other, 'x')})`)} from ${TABLE} x where ${TEXTS}`,
        `select x.id % 3, ${shown(`group_concat(${argument(kind, 'x')}, x.id || ${argument(other, 'x')}) filter (where x.id % 2)`)} from ${TABLE} x where ${TEXTS} group by 1 order by 1`,
      ]),
    ),
    ...[`'; '`, 'null', `''`, '1', `x'2d'`].map(
      (separator) => `select ${shown(`group_concat(x.t, ${separator})`)} from ${TABLE} x`,
    ),
    ...['i', 't', 'number'].map(
      (kind) =>
        `select ${shown(`json_group_object(x.t, ${argument(kind as 'i', 'x')})`)} from ${TABLE} x where x.t is not null`,
    ),
  ]);
  assert.is(wrong, '', wrong);
});

test('ORDER BY inside of aggregates and aggregates with OVER answer as in SQLite', async () => {
  const wrong: string[] = [];
  const small = `${TABLE} x where x.id < 14`;
  const over = [
    'over ()',
    'over (order by x.id)',
    'over (partition by x.id % 3 order by x.id desc)',
    'over (order by x.id rows between 2 preceding and 1 following)',
    'over (order by x.id % 4 range between unbounded preceding and current row)',
    'over (order by x.id % 4 groups between 1 preceding and current row exclude ties)',
  ];
  const functions = [
    'count(x.i)',
    'sum(x.i)',
    'avg(x.i)',
    'total(x.i)',
    'min(x.i)',
    'max(x.i)',
    `group_concat(x.i, '-')`,
  ];
  const statements = [
    ...[
      `group_concat(x.i order by x.i desc)`,
      `json_group_array(x.i order by -x.id)`,
      `string_agg(x.t, '|' order by x.t)`,
    ].map((call) => `select ${call} from ${TABLE} x where x.id < 54`),
    ...over.flatMap((window) =>
      functions.map((call) => `select x.id, ${call} ${window} from ${small} order by x.id`),
    ),
    ...functions.map(
      (call) => `select x.id, ${call} filter (where x.id > 5) over (order by x.id) from ${small} order by 1`,
    ),
    `select percentile(x.i, 50), median(x.i), percentile_cont(x.i, 0.25), percentile_disc(x.i, 0.9) from ${small}`,
    `select x.id % 3, percentile(x.i, 33.3), median(x.i), percentile_disc(x.i, 0.5) from ${small} group by 1 order by 1`,
    `select median(x.i) from ${small} and x.id < 0`,
  ];
  for (const statement of statements) {
    const [theirs, ours] = [engines.sqlite(statement), await engines.ours(statement)];
    if (
      JSON.stringify('rows' in theirs ? theirs.rows : theirs) !==
      JSON.stringify('rows' in ours ? ours.rows : ours)
    )
      wrong.push(`${statement}\n    ${JSON.stringify(theirs)}\n    ${JSON.stringify(ours)}`);
  }
  assert.is(wrong.length, 0, wrong.join('\n'));
});

test('percentiles refuse what is no number, and fractions out of range', async () => {
  for (const statement of [
    `select median(x.t) from ${TABLE} x`,
    `select percentile(x.i, 101) from ${TABLE} x`,
    `select percentile_cont(x.i, 50) from ${TABLE} x`,
    `select percentile_disc(x.i, -1) from ${TABLE} x`,
  ]) {
    assert.equal(await engines.ours(statement), { error: 'run-failed' }, statement);
    assert.ok('error' in engines.sqlite(statement), statement);
  }
});

test.run();
