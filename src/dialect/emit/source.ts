// FROM: tables, subqueries, common tables and their joins (lang_select.html section 2).
// Gives the relations at once and the SQL at the end, when it is known whether the order of rows matters.
import type { Template } from '../plan.ts';
import { nameKey } from '../resolve/name.ts';
import type { Source } from '../resolve/tree.ts';
import { sql } from '../value.ts';
import type { Emitter } from './emitter.ts';
import type { Scope } from './scope.ts';
import type { Builder, Item } from './source-item.ts';
import { joined } from './source-join.ts';
import { commonTable, subquery } from './source-query.ts';
import { tableRelation } from './source-table.ts';

export interface From extends Item {
  /** Conditions of inner joins that had to move into WHERE. */
  readonly conditions: readonly Template[];
}

export function from(
  source: Source | undefined,
  { parent, common, block }: Scope,
  emitter: Emitter,
  orderless: boolean,
): From {
  if (source === undefined)
    return { relations: [], writeConditions: () => {}, conditions: [], render: () => [] };
  const conditions: Template[] = [];
  const item = build(
    source,
    { emitter, parent, common, block, conditions, orderless, alone: source.type !== 'join', build },
    true,
  );
  return {
    relations: item.relations,
    writeConditions: item.writeConditions,
    conditions,
    render: (want) => sql` FROM ${item.render(want)}`,
  };
}

function build(source: Source, builder: Builder, movable: boolean): Item {
  switch (source.type) {
    case 'table':
      return table(source, builder);
    case 'select':
      return subquery(source.select, source.relation, builder);
    case 'common':
      return common(source, builder);
    case 'group': {
      const item = builder.build(source.source, builder, movable);
      return { ...item, render: (want) => sql`(${item.render(want)})` };
    }
    case 'join':
      return joined(source, builder, movable);
  }
}

function table(
  { table: found, relation: of }: Extract<Source, { readonly type: 'table' }>,
  { emitter }: Builder,
): Item {
  emitter.tables.add(nameKey(found.name));
  const relation = tableRelation(found, of, emitter.alias('t'), emitter.engine);
  return {
    relations: [relation],
    writeConditions: () => {},
    render: () => [`${emitter.relation(found)} AS ${relation.alias}`],
  };
}

function common(
  { table: named, relation: of }: Extract<Source, { readonly type: 'common' }>,
  { emitter, common: tables, block, alone }: Builder,
): Item {
  for (let at = tables; at !== undefined; at = at.parent) {
    const entry = at.entries.get(named);
    if (entry !== undefined) return commonTable(entry.use(block, of.key ?? named.key, alone), of, emitter);
  }
  throw new Error(`common table ${named.key} is not around its use`);
}
