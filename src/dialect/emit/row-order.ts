// The order in which SQLite's rows come where no ORDER BY says so: its loops, outermost first, each by rowid or by the
// index that its plan names.
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { PlanNode, Planner } from '../planner.ts';
import type { Block } from '../row-plan.ts';
import { sql } from '../value.ts';
import { nameKey } from './name.ts';
import type { Relation } from './scope.ts';

export interface RowOrder {
  /** Complete ORDER BY terms. */
  readonly terms: readonly Template[];
  /** The same without direction, to compare with GROUP BY terms. */
  readonly columns: readonly string[];
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
  if (relations.length === 0) return { terms: [], columns: [], natural: true };
  if (relations.some(({ join }) => join === 'right' || join === 'full'))
    throw new NotNative('row order of a RIGHT or FULL JOIN');
  const [alone] = relations;
  // Its rows come as it makes them, or as SQLite makes them in its place.
  if (relations.length === 1 && alone?.stored === false) {
    block();
    return { ...plain(alone), natural: false };
  }
  const loops = block().filter(({ detail }) => !ASIDE.test(detail));
  const visited = new Set<Relation>();
  const keys = loops.flatMap(({ detail, automatic }): readonly Key[] => {
    const [, , called = '', kind, index] = LOOP.exec(detail) ?? [];
    const [relation, ...others] = relations.filter(({ key }) => key !== undefined && key === nameKey(called));
    if (relation === undefined || others.length > 0 || visited.has(relation)) throw unclear(detail);
    visited.add(relation);
    const byRowid = relation.order().map((text): Key => ({ sql: text, column: text.join(''), plain: true }));
    if (relation.stored && byRowid.length === 0) throw new NotNative('row order of a table without rowid');
    if (kind === undefined) return byRowid;
    if (kind.startsWith('AUTOMATIC')) return [...automaticKeys(relation, automatic), ...byRowid];
    if (index === undefined || planner === undefined) throw unclear(detail);
    return [...indexKeys(relation, planner, index), ...byRowid];
  });
  // SQLite leaves out a LEFT JOIN that adds neither rows nor columns.
  if (relations.some((relation) => !visited.has(relation) && relation.join !== 'left' && !relation.single))
    throw new NotNative('row order of a subquery that is part of its SELECT');
  const [only] = loops;
  return {
    terms: keys.map(({ sql: text, plain, descending }) =>
      plain ? text : sql`${text} ${descending === true ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`,
    ),
    columns: keys.map(({ column }) => column),
    natural: relations.length === 1 && relations[0]?.stored === true && isByRowid(only),
  };
}

function plain(relation: Relation): Pick<RowOrder, 'terms' | 'columns'> {
  const terms = relation.order();
  return { terms, columns: terms.map((term) => term.join('')) };
}

interface Key {
  readonly sql: Template;
  readonly column: string;
  /** Never NULL where it decides: the engine's own order. */
  readonly plain?: boolean;
  readonly descending?: boolean;
}

function isByRowid(node: PlanNode | undefined): boolean {
  const found = node === undefined ? null : LOOP.exec(node.detail);
  return found !== null && found[3] === undefined;
}

function indexKeys({ columns }: Relation, planner: Planner, index: string): readonly Key[] {
  return planner.index(index).map(({ name, descending, collation }): Key => {
    const column = columns.find(({ key }) => name !== undefined && key === nameKey(name));
    const value = column?.value;
    if (value === undefined || collation !== 'BINARY') throw new NotNative('row order of such an index');
    return { sql: value.sql, column: value.sql.join(''), descending };
  });
}

/** It holds the columns that are compared, then the others that the statement uses, then the rowid. */
function automaticKeys(
  { columns, stored }: Relation,
  automatic: readonly number[] | undefined,
): readonly Key[] {
  return (automatic ?? [-1]).map((place): Key => {
    const value = stored ? columns[place]?.value : undefined;
    if (value === undefined || (value.collation?.name ?? 'binary') !== 'binary')
      throw new NotNative('row order of an index that is made for the statement');
    return { sql: value.sql, column: value.sql.join('') };
  });
}

function unclear(detail: string): NotNative {
  return new NotNative(`row order of ${detail.split(' ')[0]?.toLowerCase() ?? 'a'} loop`);
}
