// What every kind of source in a FROM clause is built from and gives. State and types only.
import type { Template } from '../plan.ts';
import type { Source } from '../resolve/tree.ts';
import type { Block } from '../row-plan.ts';
import type { Emitter, Want } from './emitter.ts';
import type { CommonTables, Relation, Scope } from './scope.ts';

export interface Item {
  readonly relations: readonly Relation[];
  /** ON and USING in SQL: called once, with the scope that has all the relations. */
  readonly writeConditions: (scope: Scope) => void;
  /** Called last, when it is known whether the order of rows matters. */
  readonly render: (want: Want) => Template;
}

export interface Builder {
  readonly emitter: Emitter;
  /** What surrounds the SELECT: subqueries in FROM see that, not their neighbours. */
  readonly parent: Scope | undefined;
  readonly common: CommonTables | undefined;
  /** Conditions of inner joins that had to move into WHERE. */
  readonly conditions: Template[];
  /** The order of a subquery's rows decides nothing to SQLite, which drops its ORDER BY (select.c). */
  readonly orderless: boolean;
  /** The FROM clause has nothing but this source. */
  readonly alone: boolean;
  /** SQLite's plan of the SELECT. */
  readonly block: Block;
  /** @param movable conditions of inner joins here may stand in WHERE: no outer join is around them */
  readonly build: (source: Source, builder: Builder, movable: boolean) => Item;
}
