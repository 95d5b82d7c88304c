// What a SELECT's clauses say about the order of its rows: which loops SQLite would choose for it, and where no
// order need be asked for. The loops themselves are planned in loop-order.ts.
import type { OrderTerm, SelectCore } from '../ast.ts';
import { truth } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import type { Value } from '../value.ts';
import type { Emitter } from './emitter.ts';
import type { Grouping } from './grouping.ts';
import { innerConditions } from './loop-inner.ts';
import { type LoopOrder, loopOrder, type Wish } from './loop-order.ts';
import { indexedColumn, type LoopFilter, loopChoices, loopFilters, loopTerms } from './loop-terms.ts';
import { templateKey } from './name.ts';
import { lookUp, type Relation, type Scope } from './scope.ts';
import type { From } from './source.ts';
import { allColumnsOf, seesOrder } from './tree.ts';
import { withoutNulls } from './unique.ts';

type Core = Extract<SelectCore, { readonly type: 'select' }>;
interface Ordered {
  readonly orderBy: readonly OrderTerm[];
}

export function loopsOf(
  core: Core,
  { orderBy }: Ordered,
  source: From,
  scope: Scope,
  wish: Wish | undefined,
  emitter: Emitter,
): LoopOrder {
  // Every column that the statement names counts for what an index must hold.
  for (const { table, name } of allColumnsOf([core, orderBy])) {
    try {
      lookUp({ ...scope, parent: undefined }, table, name);
    } catch {
      // Ambiguous here, so it belongs to a subquery.
    }
  }
  const conditions = innerConditions(core.where, source.on, scope);
  const filters = loopFilters(conditions, scope);
  const order = (culling: readonly LoopFilter[]): LoopOrder =>
    loopOrder(
      source.relations,
      {
        terms: loopTerms(conditions, scope),
        choices: loopChoices(conditions, scope),
        filters: culling,
        branchSql: ({ expression }) => truth(emitter.expression(expression, scope)),
      },
      wish,
    );
  const less = (isLess: (filter: LoopFilter) => boolean): LoopOrder =>
    order(filters.map((filter) => (isLess(filter) ? { ...filter, culls: SMALL_INTEGER_CULLS } : filter)));
  const planned = order(filters);
  const integers = filters.filter(({ integer }) => integer !== undefined);
  if (integers.length === 0 || source.relations.length < 2) return planned;
  // The values of literals are looked at only where they may matter: a plan is to serve many.
  if (Math.max(integers.length, source.relations.length) <= MAX_TRIED) {
    const others = [...integers.map((one) => less((filter) => filter === one)), less(isInteger)];
    if (others.every((other) => sameOrder(planned, other))) return planned;
  }
  return less(({ integer }) => integer !== undefined && Math.abs(Number(emitter.pin(integer).text)) <= 1);
}

/** whereLoopOutputAdjust: an equality with -1, 0 or 1 tells fewer rows apart. */
const SMALL_INTEGER_CULLS = 10;
/** Integers and tables of a statement whose weights are tried out one by one; more would take their time. */
const MAX_TRIED = 4;
const isInteger = ({ integer }: LoopFilter): boolean => integer !== undefined;

const sameOrder = (a: LoopOrder, b: LoopOrder): boolean =>
  a.terms.length === b.terms.length &&
  a.terms.every((term, i) => templateKey(term) === templateKey(b.terms[i] as Template));

/** What SQLite would sort by, had it no index for it. */
export function wishOf(
  kind: Wish['kind'],
  values: readonly Value[],
  scope: Scope,
  descending: readonly boolean[] = [],
  limited = false,
): Wish {
  const columns = values.map((value) => indexedColumn(value, scope));
  return { kind, columns, descending, limited };
}

/** SQLite: another order or a join comes after, and no aggregate or window looks at the order of the rows. */
export function isOrderless({ from: source, columns, having }: Core, { orderBy }: Ordered): boolean {
  if (orderBy.length === 0 && source?.type !== 'join') return false;
  return !seesOrder([columns, having, orderBy]);
}

/** Within an expression of another SELECT: what uses its row, the engine makes a join of. */
export function isInRow({ parent }: Scope): boolean {
  return parent !== undefined && (parent.relations.length > 0 || isInRow(parent));
}

/** Keys that no two rows share, so that an ORDER BY with one of them needs no tie-break. */
export function uniqueKeys(relations: readonly Relation[], group: Grouping | undefined): ReadonlySet<string> {
  const [relation] = relations;
  if (group !== undefined || relation === undefined || relations.length > 1) return new Set();
  return new Set(withoutNulls(relation).flatMap((set) => (set.length === 1 ? set : [])));
}
