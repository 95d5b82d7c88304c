// FROM: tables, subqueries, common tables, table functions and their joins (lang_select.html section 2).
// Gives the relations at once and the SQL at the end, when it is known whether the order of rows matters.
import { GatewayError } from '../../base/errors.ts';
import type { Name, Source } from '../ast.ts';
import type { Template } from '../plan.ts';
import { sql } from '../value.ts';
import type { Emitter } from './emitter.ts';
import { nameKey } from './name.ts';
import type { Scope } from './scope.ts';
import type { Builder, Item } from './source-item.ts';
import { joined } from './source-join.ts';
import { commonTable, functionCall, subquery } from './source-query.ts';
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
  if (source === undefined) return { relations: [], resolve: () => {}, conditions: [], render: () => [] };
  const conditions: Template[] = [];
  const item = build(
    source,
    { emitter, parent, common, block, conditions, orderless, alone: source.type !== 'join', build },
    true,
  );
  return {
    relations: item.relations,
    resolve: item.resolve,
    conditions,
    render: (want) => sql` FROM ${item.render(want)}`,
  };
}

function build(source: Source, builder: Builder, movable: boolean): Item {
  switch (source.type) {
    case 'table':
      return table(source.name, source.alias, builder);
    case 'select':
      return subquery(source.select, source.alias, builder);
    case 'function':
      return functionCall(source);
    case 'group': {
      const item = builder.build(source.source, builder, movable);
      return { ...item, render: (want) => sql`(${item.render(want)})` };
    }
    case 'join':
      return joined(source, builder, movable);
  }
}

function table(name: Name, alias: Name | undefined, { emitter, common, block, alone }: Builder): Item {
  const key = nameKey(name.text);
  const aliasKey = alias === undefined ? key : nameKey(alias.text);
  for (let at = common; at !== undefined; at = at.parent) {
    const entry = at.entries.get(key);
    if (entry !== undefined) return commonTable(entry.use(block, aliasKey, alone), aliasKey, emitter);
  }
  const schemaTable = emitter.schema.tables.get(key);
  if (schemaTable === undefined) throw new GatewayError('unknown-table', `no such table: ${name.text}`);
  emitter.tables.add(key);
  const relation = tableRelation(schemaTable, emitter.alias('t'), aliasKey, emitter.engine);
  return {
    relations: [relation],
    resolve: () => {},
    render: () => [`${emitter.relation(schemaTable)} AS ${relation.alias}`],
  };
}
