// Whole SELECT statements: rows of a table, join or subquery; groups; compounds; correlated subqueries. What
// SQLite leaves open (which of several rows, in which order) is not asked for, or is told in `sorted`.
import fc from 'fast-check';
import type { NastyTable } from '../nasty-database.ts';
import { expressions } from './expression.ts';
import { anyTable, columnOf, joined, type Piece, type Scope, smallTable, tableScope } from './scope.ts';

export interface Select {
  readonly sql: string;
  readonly sorted: readonly number[] | undefined;
  readonly columns: number;
}

interface From {
  readonly sql: string;
  readonly scope: Scope;
}

const { any, truth, integer, text, json } = expressions(2);
const shallow = expressions(1);
const someColumn = columnOf(['integer', 'text', 'blob', 'json'], '1');
const plainColumn = columnOf(['integer', 'text'], '1');

const oneTable: fc.Arbitrary<From> = fc
  .tuple(anyTable, fc.constantFrom(undefined, 't', 'q'))
  .map(([table, alias]) => ({
    sql: alias === undefined ? table.name : `${table.name} ${alias}`,
    scope: tableScope(table, alias),
  }));

function joinOf(kind: string, left: NastyTable, right: NastyTable, on: Piece): From {
  const scope = joined(tableScope(left, 'a'), tableScope(right, 'b'));
  const condition = kind === ',' || kind === 'cross join' ? '' : ` on ${on(scope)}`;
  return { sql: `${left.name} a ${kind} ${right.name} b${condition}`, scope };
}
/** Joins mostly on equal columns of like kinds, as people do. */
const onColumns: fc.Arbitrary<Piece> = fc
  .tuple(fc.nat(5), fc.nat(5), fc.constantFrom('=', '=', '=', 'is', '<'))
  .map(([l, r, operator]) => (scope) => {
    const left = scope.columns.filter((column) => column.sql.startsWith('a.'));
    const right = scope.columns.filter((column) => column.sql.startsWith('b.'));
    const a = left[l % left.length];
    const like = right.filter((column) => column.kind === a?.kind);
    const b = like[r % Math.max(1, like.length)] ?? right[r % right.length];
    return `${a?.sql} ${operator} ${b?.sql}`;
  });
const join: fc.Arbitrary<From> = fc
  .tuple(
    fc.constantFrom(
      'join',
      'inner join',
      'left join',
      'left outer join',
      'right join',
      'full join',
      'cross join',
      ',',
    ),
    smallTable,
    smallTable,
    fc.oneof({ weight: 3, arbitrary: onColumns }, { weight: 1, arbitrary: shallow.truth }),
  )
  .map(([kind, left, right, on]) => joinOf(kind, left, right, on));

const subquery: fc.Arbitrary<From> = fc
  .tuple(
    anyTable,
    fc.array(shallow.any, { minLength: 1, maxLength: 3 }),
    fc.option(shallow.truth, { nil: undefined }),
  )
  .map(([table, columns, where]) => {
    const inner = tableScope(table, undefined);
    const list = columns.map((column, i) => `${column(inner)} as s${i}`).join(', ');
    const kinds = ['integer', 'text', 'blob', 'json'] as const;
    // The kinds are guesses: what is in a column of a subquery is often of another kind.
    const scopeColumns = columns.map((_, i) => ({ sql: `s${i}`, kind: kinds[i % 4] ?? 'text' }));
    const filter = where === undefined ? '' : ` where ${where(inner)}`;
    return {
      sql: `(select ${list} from ${table.name}${filter}) s`,
      scope: { columns: scopeColumns, rowids: [], oneScan: true },
    };
  });

const from: fc.Arbitrary<From> = fc.oneof(
  { weight: 6, arbitrary: oneTable },
  { weight: 2, arbitrary: join },
  { weight: 1, arbitrary: subquery },
);

/** A subquery that may look at the row outside. */
const correlated: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.constantFrom('exists', 'not exists', 'in', 'not in', 'count', 'max', 'limit'),
    smallTable,
    plainColumn,
    plainColumn,
    someColumn,
    fc.constantFrom('=', '<', 'is'),
  )
  .map(([form, table, inner, other, outer, operator]) => (scope) => {
    const own = tableScope(table, 'z');
    const body = `from ${table.name} z where ${inner(own)} ${operator} ${outer(scope)}`;
    switch (form) {
      case 'exists':
      case 'not exists':
        return `${form} (select 1 ${body})`;
      case 'in':
      case 'not in':
        return `${outer(scope)} ${form} (select ${other(own)} from ${table.name} z)`;
      case 'limit':
        return `(select ${other(own)} ${body} order by z.rowid limit 1)`;
      default:
        return `(select ${form}(${other(own)}) ${body})`;
    }
  });

const output: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: any },
  { weight: 2, arbitrary: someColumn },
  { weight: 1, arbitrary: integer },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: truth },
  { weight: 1, arbitrary: json },
  { weight: 1, arbitrary: correlated },
);
const condition: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 5, arbitrary: shallow.truth },
  { weight: 1, arbitrary: truth },
  { weight: 1, arbitrary: shallow.any },
  { weight: 1, arbitrary: correlated },
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const direction: fc.Arbitrary<string> = fc.constantFrom(
  '',
  '',
  ' asc',
  ' desc',
  ' nulls last',
  ' desc nulls first',
);
/** Aliases keep the columns apart; without one the name is compared too. */
const aliased = (pieces: readonly Piece[], scope: Scope, bare: boolean): string =>
  pieces.map((piece, i) => (bare && i === 0 ? piece(scope) : `${piece(scope)} as c${i}`)).join(', ');

const limit: fc.Arbitrary<string> = fc.constantFrom(
  ' limit 3',
  ' limit 10 offset 2',
  ' limit 2, 5',
  ' limit 20',
  ' limit -1 offset 1',
  ' limit 1',
);

export const rows: fc.Arbitrary<Select> = fc
  .tuple(
    from,
    fc.array(output, { minLength: 1, maxLength: 4 }),
    optional(condition),
    optional(fc.array(fc.tuple(shallow.any, direction), { minLength: 1, maxLength: 2 })),
    optional(limit),
    fc.boolean(),
    fc.integer({ min: 0, max: 5 }),
  )
  .map(([source, columns, where, order, cut, bare, distinct]) => {
    const { scope } = source;
    const isDistinct = distinct === 5;
    const list = aliased(columns, scope, bare);
    const filter = where === undefined ? '' : ` where ${where(scope)}`;
    const start = isDistinct ? 'select distinct' : 'select';
    // DISTINCT and subqueries have no rowid to make an order total: sort by every column instead.
    const total =
      isDistinct || scope.rowids.length === 0
        ? columns.map((_, i) => `${i + 1} collate binary`)
        : scope.rowids;
    const terms = isDistinct ? [] : (order ?? []).map(([piece, way]) => `${orderable(piece(scope))}${way}`);
    const ordering =
      order === undefined && cut === undefined ? '' : ` order by ${[...terms, ...total].join(', ')}`;
    return {
      sql: `${start} ${list} from ${source.sql}${filter}${ordering}${cut ?? ''}`,
      sorted: undefined,
      columns: columns.length,
    };
  });

/** A bare number, signed or in parentheses, would be the position of a column. */
const orderable = (sql: string): string => (/^[\d(+-]/.test(sql) ? `coalesce(${sql}, null)` : sql);

const aggregate: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.constantFrom(
      'count',
      'sum',
      'total',
      'avg',
      'min',
      'max',
      'group_concat',
      'json_group_array',
      'count(*)',
      'json_group_object',
    ),
    fc.oneof(
      { weight: 3, arbitrary: someColumn },
      { weight: 2, arbitrary: shallow.any },
      { weight: 1, arbitrary: shallow.integer },
    ),
    fc.integer({ min: 0, max: 4 }),
    optional(shallow.truth),
    fc.integer({ min: 0, max: 3 }),
  )
  .map(([name, argument, distinct, filter, filtered]) => (scope) => {
    const where = filtered === 3 && filter !== undefined ? ` filter (where ${filter(scope)})` : '';
    const ordered = scope.oneScan || !/^(group_concat|json_group)/.test(name) ? name : 'count';
    if (ordered === 'count(*)') return `count(*)${where}`;
    if (ordered === 'json_group_object')
      return `json_group_object('k' || coalesce(${scope.columns[0]?.sql ?? '1'}, 'n'), 1)${where}`;
    if (ordered === 'group_concat' && distinct === 1) return `group_concat(${argument(scope)}, '|')${where}`;
    return `${ordered}(${distinct === 4 ? 'distinct ' : ''}${argument(scope)})${where}`;
  });

export const groups: fc.Arbitrary<Select> = fc
  .tuple(
    from,
    fc.array(fc.oneof({ weight: 3, arbitrary: plainColumn }, { weight: 1, arbitrary: shallow.any }), {
      maxLength: 2,
    }),
    fc.array(fc.oneof({ weight: 5, arbitrary: aggregate }, { weight: 1, arbitrary: someColumn }), {
      minLength: 1,
      maxLength: 3,
    }),
    optional(condition),
    optional(fc.tuple(aggregate, fc.constantFrom('> 1', 'is not null', '< 10', "!= 'a'"))),
    optional(limit),
    fc.boolean(),
  )
  .map(([source, keys, aggregates, where, having, cut, bare]) => {
    const { scope } = source;
    // Bare columns beside aggregates: SQLite takes one row of the group, fixed only where rows come in one scan.
    const values =
      scope.oneScan && scope.rowids.length === 1
        ? aggregates
        : aggregates.map(
            (piece) => (s: Scope) => (/^[a-z_]+\(/.test(piece(s)) ? piece(s) : `max(${piece(s)})`),
          );
    const list = aliased([...keys, ...values], scope, bare);
    const filter = where === undefined ? '' : ` where ${where(scope)}`;
    const group =
      keys.length === 0 ? '' : ` group by ${keys.map((piece) => orderable(piece(scope))).join(', ')}`;
    const test = having === undefined || keys.length === 0 ? '' : ` having ${having[0](scope)} ${having[1]}`;
    const positions = keys.map((_, i) => `${i + 1} collate binary`);
    const ordering = cut === undefined || keys.length === 0 ? '' : ` order by ${positions.join(', ')}`;
    const end = keys.length === 0 ? '' : `${ordering}${cut ?? ''}`;
    return {
      sql: `select ${list} from ${source.sql}${filter}${group}${test}${end}`,
      sorted: undefined,
      columns: keys.length + values.length,
    };
  });

export const compounds: fc.Arbitrary<Select> = fc
  .tuple(
    fc.constantFrom('union', 'union all', 'intersect', 'except'),
    oneTable,
    oneTable,
    fc.array(fc.tuple(shallow.any, shallow.any), { minLength: 1, maxLength: 2 }),
    optional(condition),
    fc.boolean(),
    optional(limit),
  )
  .map(([operator, left, right, pairs, where, wrapped, cut]) => {
    const one = pairs.map(([piece], i) => `${piece(left.scope)} as c${i}`).join(', ');
    const two = pairs.map(([, piece]) => piece(right.scope)).join(', ');
    const filter = where === undefined ? '' : ` where ${where(left.scope)}`;
    const both = `select ${one} from ${left.sql}${filter} ${operator} select ${two} from ${right.sql}`;
    const ordering =
      cut === undefined ? '' : ` order by ${pairs.map((_, i) => `${i + 1} collate binary`).join(', ')}${cut}`;
    const sql = wrapped ? `select * from (${both}) w${ordering}` : `${both}${ordering}`;
    return { sql, sorted: undefined, columns: pairs.length };
  });

export const select: fc.Arbitrary<Select> = fc.oneof(
  { weight: 5, arbitrary: rows },
  { weight: 3, arbitrary: groups },
  { weight: 1, arbitrary: compounds },
);
