// A whole SELECT: WITH, its terms, ORDER BY and LIMIT.
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { Select } from '../resolve/tree.ts';
import { type Block, termBlock } from '../row-plan.ts';
import { join, sql } from '../value.ts';
import { compoundQuery, type Term } from './compound.ts';
import type { Emitter, Query } from './emitter.ts';
import { limitClause } from './limit.ts';
import { emptyScope, type Scope } from './scope.ts';
import { coreQuery, NO_TAIL, type Tail } from './select-core.ts';
import { valuesQuery } from './values.ts';
import { commonTables } from './with.ts';

export function query(select: Select, scope: Scope | undefined, block: Block, emitter: Emitter): Query {
  const withClause = commonTables(select.common, scope, emitter);
  const around = emptyScope(scope, withClause.common, block);
  const made = body(select, around, emitter);
  return {
    ...made,
    render: (want) => {
      const main = made.render(want);
      const definitions = withClause.definitions();
      if (definitions.length === 0) return main;
      return sql`WITH ${join(definitions, ', ')} ${main}`;
    },
  };
}

/** @param around an empty scope with what surrounds the SELECT */
function body(select: Select, around: Scope, emitter: Emitter): Query {
  const { first, rest, orderBy, limit, offset } = select;
  const tail: Tail = { orderBy, limit, offset };
  if (rest.length === 0 && first.type === 'select') return coreQuery(first, tail, around, emitter);
  const termOf = (core: Select['first'], index: number): Term['query'] =>
    term(core, { ...around, block: termBlock(around.block, index) }, emitter);
  const terms: Term[] = [
    { operator: undefined, query: termOf(first, 0) },
    ...rest.map(({ operator, core }, i) => ({ operator, query: termOf(core, i + 1) })),
  ];
  if (rest.length > 0) return compoundQuery(terms, tail, around, emitter);
  return limitedValues((terms[0] as Term).query, tail, around, emitter);
}

function term(core: Select['first'], around: Scope, emitter: Emitter): Term['query'] {
  return core.type === 'select'
    ? coreQuery(core, NO_TAIL, around, emitter)
    : valuesQuery(core.rows, around, emitter);
}

/** VALUES with ORDER BY or LIMIT is a compound of one term to SQLite. */
function limitedValues(values: Query, tail: Tail, around: Scope, emitter: Emitter): Query {
  if (tail.orderBy.length > 0)
    return compoundQuery([{ operator: undefined, query: values }], tail, around, emitter);
  const limit: Template = limitClause(tail, around, emitter);
  if (limit.length === 0) return values;
  return {
    ...values,
    render: (want) => {
      if (!emitter.engine.keepsOrder) throw new NotNative('VALUES with LIMIT');
      return sql`SELECT * FROM (${values.render(want)}) AS ${emitter.alias('q')}${limit}`;
    },
  };
}
