// Generated statements that the reference's parser refuses and SQLite answers: common tables, windows, real
// literals, NOT, row values, VALUES, no FROM. Only what no SQLite since 3.39 has changed.
import fc from 'fast-check';
import type { CaseRequest } from '../case.ts';
import { columnOf, type Piece, type Scope, smallTable, tableScope } from './scope.ts';

const realLiteral = fc.constantFrom('1.5', '0.5', '2.0', '-3.25', '.75', '1e3', '4.0', '100.125', '1e-3');
const integerLiteral = fc.integer({ min: 0, max: 20 }).map(String);
const textLiteral = fc.constantFrom("'a'", "'10'", "'1.5'", "''", "'abc'", "'2'");
const column = columnOf(['integer', 'text'], '1');
const integerColumn = columnOf(['integer'], '3');
const anyColumn = columnOf(['integer', 'text', 'json'], '2');
const fixed = (text: fc.Arbitrary<string>): fc.Arbitrary<Piece> => text.map((sql) => () => sql);

const operand: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 3, arbitrary: integerColumn },
  { weight: 2, arbitrary: column },
  { weight: 2, arbitrary: fixed(realLiteral) },
  { weight: 1, arbitrary: fixed(integerLiteral) },
  { weight: 1, arbitrary: fixed(textLiteral) },
);
const join = (
  l: fc.Arbitrary<Piece>,
  operators: readonly string[],
  r: fc.Arbitrary<Piece>,
): fc.Arbitrary<Piece> =>
  fc.tuple(l, fc.constantFrom(...operators), r).map(
    ([a, o, b]) =>
      (s) =>
        `(${a(s)} ${o} ${b(s)})`,
  );
const sum = join(operand, ['+', '-', '*', '/', '%'], operand);
const value: fc.Arbitrary<Piece> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: operand },
  { weight: 3, arbitrary: sum },
  { weight: 1, arbitrary: join(sum, ['+', '-', '*', '/'], operand) },
  { weight: 1, arbitrary: operand.map((piece) => (s: Scope) => `cast(${piece(s)} as real)`) },
  { weight: 1, arbitrary: operand.map((piece) => (s: Scope) => `cast(${piece(s)} as numeric)`) },
  { weight: 1, arbitrary: sum.map((piece) => (s: Scope) => `typeof(${piece(s)})`) },
);
const comparison = join(
  value,
  ['=', '<', '>', '<=', '>=', '!=', 'is', 'is not', 'is distinct from', 'is not distinct from'],
  value,
);
const condition: fc.Arbitrary<Piece> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: comparison },
  { weight: 2, arbitrary: comparison.map((piece) => (s: Scope) => `not ${piece(s)}`) },
  { weight: 1, arbitrary: operand.map((piece) => (s: Scope) => `not ${piece(s)}`) },
  {
    weight: 1,
    arbitrary: fc.tuple(operand, operand, operand, operand, fc.constantFrom('=', '<', '>=', '!=')).map(
      ([a, b, c, d, o]) =>
        (s: Scope) =>
          `(${a(s)}, ${b(s)}) ${o} (${c(s)}, ${d(s)})`,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(value, value, value).map(
      ([a, b, c]) =>
        (s: Scope) =>
          `${a(s)} between ${b(s)} and ${c(s)}`,
    ),
  },
);

const frame = fc.constantFrom(
  '',
  '',
  ' rows between 1 preceding and current row',
  ' rows between unbounded preceding and 1 following',
  ' rows between 1 following and 3 following',
  ' range between unbounded preceding and current row',
  ' groups between 1 preceding and 1 following',
  ' rows between unbounded preceding and unbounded following exclude current row',
  ' groups between current row and unbounded following exclude ties',
);
const windowed: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.constantFrom(
      'row_number()',
      'rank()',
      'dense_rank()',
      'count(*)',
      'ntile(3)',
      'percent_rank()',
      'cume_dist()',
    ),
    fc.constantFrom(
      '',
      'sum',
      'count',
      'min',
      'max',
      'avg',
      'total',
      'first_value',
      'last_value',
      'lag',
      'lead',
      'group_concat',
    ),
    integerColumn,
    anyColumn,
    fc.boolean(),
    fc.constantFrom('', ' desc', ' nulls last'),
    frame,
    fc.boolean(),
  )
  .map(([ranking, name, argument, key, partitioned, way, bounds, tied]) => (scope) => {
    const partition = partitioned ? `partition by ${key(scope)} ` : '';
    // Rows that share a place are in the order in which they are read.
    const over = `over (${partition}order by ${argument(scope)}${way}${tied ? '' : `, ${scope.rowids[0]}`}`;
    // A frame does nothing to these, and RANGE with an offset wants one term: both are left to the corpus.
    if (name === '' || name === 'lag' || name === 'lead')
      return `${name === '' ? ranking : `${name}(${argument(scope)})`} ${over})`;
    return `${name}(${argument(scope)}) ${over}${bounds})`;
  });

const FORMS = ['rows', 'with', 'window', 'nothing', 'values', 'group'] as const;

const statement: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...FORMS),
    smallTable,
    fc.array(value, { minLength: 1, maxLength: 3 }),
    condition,
    windowed,
    fc.boolean(),
  )
  .map(([form, table, values, where, over, filtered]): string => {
    const scope = tableScope(table, 't');
    const none: Scope = { columns: [], rowids: [], oneScan: false };
    const list = (of: Scope): string => values.map((piece, i) => `${piece(of)} as c${i}`).join(', ');
    const filter = filtered ? ` where ${where(scope)}` : '';
    const order = ' order by t.rowid';
    const statements = {
      rows: `select ${list(scope)}, ${where(scope)} as w from ${table.name} t${filter}${order}`,
      with: `with q as (select t.rowid as r, ${list(scope)} from ${table.name} t${filter}), p(n) as (select count(*) from q) select q.*, p.n from q, p order by r`,
      window: `select ${over(scope)} as v, ${list(scope)} from ${table.name} t${filter}${order}`,
      nothing: `select ${list(none)}, ${where(none)} as w`,
      values: `select * from (values (${values.map((piece) => piece(none)).join(', ')}), (${values.map(() => 'null').join(', ')}))`,
      group: `select ${values[0]?.(scope)} as k, count(*) as n, max(t.rowid) as m from ${table.name} t${filter} group by k order by k, n, m`,
    };
    return statements[form];
  });

export const beyond: fc.Arbitrary<CaseRequest> = statement.map((sql) => ({ statement: sql }));
