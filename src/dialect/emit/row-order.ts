// The order in which SQLite's rows come where no ORDER BY says so: its loops, outermost first, each by rowid or by the
// index that its plan names.
import { NotNative } from '../not-native.ts';
import type { PlanNode, Planner } from '../planner.ts';
import type { ReadColumn } from '../read-column.ts';
import { nameKey } from '../resolve/name.ts';
import type { Block } from '../row-plan.ts';
import type { OrderKey } from './order-key.ts';
import type { Relation, RelationColumn } from './scope.ts';

export interface RowOrder {
  readonly keys: readonly OrderKey[];
  /** By which the loops go, outermost first; undefined where they go by something that has no name. */
  readonly columns: readonly (ReadColumn | undefined)[];
  /** One table by rowid: as the engine gives it. */
  readonly natural: boolean;
}

const LOOP =
  /^(SCAN|SEARCH) (.+?)(?: EXISTS)?(?: USING (?:INTEGER PRIMARY KEY|((?:AUTOMATIC )?(?:PARTIAL )?(?:COVERING )?INDEX)(?: (\S+))?)(?: \(.*\))?)?(?: LEFT-JOIN)?$/;
/** Lines that visit no rows of the FROM clause by themselves. */
const ASIDE =
  /^(?:USE TEMP B-TREE|CO-ROUTINE|MATERIALIZE|(?:CORRELATED |REUSE )?(?:SCALAR|LIST) SUBQUERY|BLOOM FILTER|SCAN CONSTANT ROW|REUSE )/;

export function rowOrder(
  relations: readonly Relation[],
  block: Block,
  planner: Planner | undefined,
): RowOrder {
  if (relations.length === 0) return { keys: [], columns: [], natural: true };
  if (relations.some(({ of: { join } }) => join === 'right' || join === 'full'))
    throw new NotNative('row order of a RIGHT or FULL JOIN');
  const [alone] = relations;
  // Its rows come as it makes them, or as SQLite makes them in its place.
  if (relations.length === 1 && alone?.stored === false) {
    block();
    return { ...ofItself(alone), natural: false };
  }
  const loops = block().filter(({ detail }) => !ASIDE.test(detail));
  const visited = new Set<Relation>();
  const found = loops.map(({ detail, automatic }): { relation: Relation; own: readonly LoopKey[] } => {
    const [, , called = '', kind, index] = LOOP.exec(detail) ?? [];
    const [relation, ...others] = relations.filter(
      ({ of: { key } }) => key !== undefined && key === nameKey(called),
    );
    if (relation === undefined || others.length > 0 || visited.has(relation)) throw unclear(detail);
    visited.add(relation);
    if (kind === undefined) return { relation, own: [] };
    if (kind.startsWith('AUTOMATIC')) return { relation, own: automaticKeys(relation, automatic) };
    if (index === undefined || planner === undefined) throw unclear(detail);
    return { relation, own: indexKeys(relation, planner, index) };
  });
  // SQLite leaves out a LEFT JOIN that adds neither rows nor columns.
  if (relations.some((relation) => !visited.has(relation) && relation.of.join !== 'left' && !relation.single))
    throw new NotNative('row order of a subquery that is part of its SELECT');
  // Asked for last: to tell its order, a subquery numbers its rows.
  const keys = found.flatMap(({ relation, own }) => {
    const byRowid = relation.order().map((key): LoopKey => ({ ...key, ...loopColumn(key, relation) }));
    if (relation.stored && byRowid.length === 0) throw new NotNative('row order of a table without rowid');
    return [...own, ...byRowid];
  });
  const [only] = loops;
  return {
    keys,
    columns: keys.map(({ loop }) => loop),
    natural: relations.length === 1 && relations[0]?.stored === true && isByRowid(only),
  };
}

function ofItself(relation: Relation): Pick<RowOrder, 'keys' | 'columns'> {
  const keys = relation.order();
  return { keys, columns: keys.map((key) => loopColumn(key, relation).loop) };
}

interface LoopKey extends OrderKey {
  /** What the loop goes by. */
  readonly loop: ReadColumn | undefined;
}

/** A table without a rowid is ordered by all of its columns, but no loop goes by them. */
function loopColumn({ column }: OrderKey, { rowid }: Relation): Pick<LoopKey, 'loop'> {
  return { loop: rowid === undefined ? undefined : column };
}

function byColumn({ sql: by, column }: RelationColumn['value'], descending = false): LoopKey {
  return { by, column, loop: column, direction: descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST' };
}

function isByRowid(node: PlanNode | undefined): boolean {
  const found = node === undefined ? null : LOOP.exec(node.detail);
  return found !== null && found[3] === undefined;
}

function indexKeys({ columns }: Relation, planner: Planner, index: string): readonly LoopKey[] {
  return planner.index(index).map(({ name, descending, collation }) => {
    const column = columns.find(({ of: { key } }) => name !== undefined && key === nameKey(name));
    const value = column?.value;
    if (value === undefined || collation !== 'BINARY') throw new NotNative('row order of such an index');
    return byColumn(value, descending);
  });
}

/** It holds the columns that are compared, then the others that the statement uses, then the rowid. */
function automaticKeys(
  { columns, stored }: Relation,
  automatic: readonly number[] | undefined,
): readonly LoopKey[] {
  return (automatic ?? [-1]).map((place) => {
    const value = stored ? columns[place]?.value : undefined;
    if (value === undefined || (value.collation?.name ?? 'binary') !== 'binary')
      throw new NotNative('row order of an index that is made for the statement');
    return byColumn(value);
  });
}

function unclear(detail: string): NotNative {
  return new NotNative(`row order of ${detail.split(' ')[0]?.toLowerCase() ?? 'a'} loop`);
}
