// The written corpus by category. The cases themselves are data, one file a category.
import type { Case } from './case.ts';
import { AFFINITY } from './corpus/affinity.ts';
import { AGGREGATES } from './corpus/aggregates.ts';
import { BEYOND } from './corpus/beyond.ts';
import { COMPOUNDS, SUBQUERIES } from './corpus/compounds.ts';
import { CORE_FUNCTIONS } from './corpus/core-functions.ts';
import { DAPPS } from './corpus/dapps.ts';
import { EXPRESSIONS } from './corpus/expressions.ts';
import { GROUPING } from './corpus/grouping.ts';
import { JOINS } from './corpus/joins.ts';
import { JSON_FUNCTIONS } from './corpus/json-functions.ts';
import { LITERALS } from './corpus/literals.ts';
import { MATCHING } from './corpus/matching.ts';
import { OPERATORS } from './corpus/operators.ts';
import { ORDERING } from './corpus/ordering.ts';
import { OUTPUT_OPTIONS } from './corpus/output-options.ts';
import { PARAMETERS } from './corpus/parameters.ts';
import { REFUSALS } from './corpus/refusals.ts';
import { ROWIDS } from './corpus/rowids.ts';
import { SYSTEM_TABLES } from './corpus/system-tables.ts';

/** Compared with the real reference. */
export const CORPUS: Readonly<Record<string, readonly Case[]>> = {
  'core functions': CORE_FUNCTIONS,
  'json functions': JSON_FUNCTIONS,
  aggregates: AGGREGATES,
  operators: OPERATORS,
  expressions: EXPRESSIONS,
  'affinity and collation': AFFINITY,
  joins: JOINS,
  compounds: COMPOUNDS,
  subqueries: SUBQUERIES,
  grouping: GROUPING,
  ordering: ORDERING,
  'like and glob': MATCHING,
  'literals and names': LITERALS,
  rowid: ROWIDS,
  params: PARAMETERS,
  'output options': OUTPUT_OPTIONS,
  'real dapps': DAPPS,
  'system tables': SYSTEM_TABLES,
  refusals: REFUSALS,
};

/** Compared with SQLite itself, where the reference's parser refuses. */
export { BEYOND };
