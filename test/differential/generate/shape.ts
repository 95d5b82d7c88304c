// Shapes of statements that people write over several tables: USING and NATURAL joins, three tables, joined
// groups, GROUP BY of positions and aliases, compounds of three, quoted names. Rows are compared as a set where
// no ORDER BY makes them total.
import fc from 'fast-check';
import { expressions } from './expression.ts';
import { columnOf, joined, type Piece, type Scope, TABLES, tableScope } from './scope.ts';
import type { Select } from './select.ts';

const { any, truth } = expressions(1);
const column = columnOf(['integer', 'text', 'json'], '1');
const tableOf = (name: string) => {
  const found = TABLES.find((table) => table.name === name);
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
};
/** Tables with a column `id`, and of few rows. */
const withId = fc
  .constantFrom(
    'vals_31337_2',
    'rigs_31337_11',
    'pilot_sessions_31337_20',
    '_31337_17',
    'Mixed_Case_31337_18',
  )
  .map(tableOf);
const small = fc
  .constantFrom('small_31337_19', 'gaps_31337_6', 'one_31337_16', 'pair_31337_7', 'keys_31337_8')
  .map(tableOf);
const made = (sql: string, columns: number): Select => ({ sql, sorted: undefined, columns });
const where = (piece: Piece | undefined, scope: Scope): string =>
  piece === undefined ? '' : ` where ${piece(scope)}`;
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const using: fc.Arbitrary<Select> = fc
  .tuple(
    fc.constantFrom('join', 'left join', 'right join', 'full join', 'inner join'),
    withId,
    withId,
    fc.array(column, { minLength: 1, maxLength: 3 }),
    optional(truth),
    fc.boolean(),
  )
  .map(([kind, left, right, columns, filter, star]) => {
    const scope = joined(tableScope(left, 'a'), tableScope(right, 'b'));
    const list = star ? '*' : ['id', ...columns.map((piece) => piece(scope))].join(', ');
    return made(
      `select ${list} from ${left.name} a ${kind} ${right.name} b using (id)${where(filter, scope)}`,
      4,
    );
  });

const natural: fc.Arbitrary<Select> = fc
  .tuple(fc.constantFrom('inner', 'left', 'right', 'full'), small, small, fc.boolean())
  .map(([kind, left, right, star]) =>
    made(
      `select ${star ? '*' : 'count(*)'} from ${left.name} a natural ${kind} join ${right.name} b`,
      star ? 4 : 1,
    ),
  );

const three: fc.Arbitrary<Select> = fc
  .tuple(
    fc.constantFrom('join', 'left join', 'right join', ','),
    fc.constantFrom('join', 'left join', 'full join'),
    fc.array(any, { minLength: 1, maxLength: 3 }),
    optional(truth),
    fc.boolean(),
  )
  .map(([first, second, columns, filter, distinct]) => {
    const rigs = tableScope(tableOf('rigs_31337_11'), 'r');
    const scope = joined(
      joined(rigs, tableScope(tableOf('vals_31337_2'), 'v')),
      tableScope(tableOf('pilot_sessions_31337_20'), 'p'),
    );
    const list = columns.map((piece, i) => `${piece(scope)} as c${i}`).join(', ');
    const on = first === ',' ? '' : ' on v.n = r.id';
    return made(
      `select ${distinct ? 'distinct ' : ''}${list} from rigs_31337_11 r ${first} vals_31337_2 v${on} ${second} pilot_sessions_31337_20 p on p.rig_id = r.id${where(filter, scope)}`,
      columns.length,
    );
  });

const grouped: fc.Arbitrary<Select> = fc
  .tuple(
    withId,
    any,
    column,
    fc.constantFrom('k', '1', 'expression'),
    fc.constantFrom('', ' having k is not null', ' having count(*) > 1', ' having m > 1', " having k != 'a'"),
    fc.constantFrom(
      '',
      ' order by n desc, 1 collate binary limit 4',
      ' order by k collate binary desc limit 3 offset 1',
      ' order by 2, k collate binary',
    ),
    optional(truth),
  )
  .map(([table, key, value, by, having, order, filter]) => {
    const scope = tableScope(table, 't');
    const text = key(scope);
    // A bare number would be the position of a column.
    const expression = by !== 'expression' ? by : /^[\d(+-]/.test(text) ? `coalesce(${text}, null)` : text;
    return made(
      `select ${text} as k, count(*) as n, max(${value(scope)}) as m from ${table.name} t${where(filter, scope)} group by ${expression}${having}${order}`,
      3,
    );
  });

const joinedGroup: fc.Arbitrary<Select> = fc
  .tuple(
    fc.constantFrom('join', 'left join', 'right join'),
    withId,
    column,
    fc.constantFrom('count(*)', 'max(id)', 'sum(length(t))', 'group_concat(id)'),
    fc.constantFrom('', ' where s.c > 2', " where s.c != '3'", ' where s.n is null or b.id > 3'),
  )
  .map(([kind, table, value, aggregate, filter]) =>
    made(
      `select s.n, s.c, b.${value(tableScope(table, undefined))} as v from (select n, ${aggregate} as c from vals_31337_2 group by n) s ${kind} ${table.name} b on s.n = b.id${filter}`.replace(
        /b\.(\d)/,
        '$1',
      ),
      3,
    ),
  );

const compound: fc.Arbitrary<Select> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom('union', 'union all', 'except', 'intersect'), withId, column), {
      minLength: 2,
      maxLength: 3,
    }),
    withId,
    column,
    fc.constantFrom(
      '',
      ' order by 1 collate binary',
      ' order by c desc',
      ' order by c collate binary limit 4',
      ' order by 1 collate binary limit 3 offset 2',
    ),
  )
  .map(([rest, table, first, order]) => {
    const terms = rest.map(
      ([operator, other, piece]) =>
        ` ${operator} select ${piece(tableScope(other, undefined))} from ${other.name}`,
    );
    return made(
      `select ${first(tableScope(table, undefined))} as c from ${table.name}${terms.join('')}${order}`,
      1,
    );
  });

const quoted: fc.Arbitrary<Select> = fc
  .tuple(
    withId,
    fc.constantFrom('"id"', '[id]', '`id`', 'ID', 't."id"', '[t].id', 'rowid', '_rowid_', 't.oid'),
    fc.constantFrom('"abc"', "'abc'", '"nope"', "'it''s'", 'null', 'true', '0x1F', "x'6162'"),
    fc.constantFrom('=', '>', 'is not', '<=', '||', '+'),
    fc.constantFrom('', ' limit -1', ' limit 3 offset -2', ' limit 0', ' limit 2, 2'),
  )
  .map(([table, name, literal, operator, cut]) =>
    made(
      `select ${name} as "A", ${literal} as [b], ${name} ${operator} ${literal}, typeof(${name} ${operator} ${literal}) as t from ${table.name} as t order by "A" desc${cut}`,
      4,
    ),
  );

const nested: fc.Arbitrary<Select> = fc
  .tuple(
    withId,
    withId,
    column,
    column,
    truth,
    fc.constantFrom('in', 'not in'),
    fc.constantFrom('count(*)', 'max(z.id)', 'z.id', 'group_concat(z.id)'),
  )
  .map(([table, other, left, right, filter, operator, value]) => {
    const scope = tableScope(table, 't');
    const inner = tableScope(other, 'z');
    return made(
      `select t.id, (select ${value} from ${other.name} z where z.id <= t.id and ${filter(inner)}) as v from ${table.name} t where ${left(scope)} ${operator} (select ${right(inner)} from ${other.name} z where z.id > 1 union all select ${right(inner)} from ${other.name} z) order by case when t.id in (select z.id from ${other.name} z) then 1 else 0 end, t.rowid`,
      2,
    );
  });

export const shapes: fc.Arbitrary<Select> = fc.oneof(
  { withCrossShrink: true },
  using,
  natural,
  three,
  grouped,
  joinedGroup,
  compound,
  quoted,
  nested,
);
