// Table functions that may stand in FROM: json_each and json_tree (json1.html section 4.25).
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import type { Affinity, Kind, Value } from '../value.ts';

export interface TableColumn {
  readonly name: string;
  readonly kind: Exclude<Kind, 'boolean' | 'null'>;
  readonly affinity: Affinity;
}

export interface TableFunction {
  readonly columns: readonly TableColumn[];
  /** Name of the column in whose order the rows come. */
  readonly order: string;
  /** A SELECT in the engine's SQL that gives the columns by name; it may be correlated. */
  readonly emit: (args: readonly Value[], ctx: Context) => Template;
}

/** @param name in lower case */
export function tableFunction(_name: string): TableFunction | undefined {
  return undefined;
}
