// What SQLite's planner says of a statement: in which order its loops visit rows. Asked for only where the order of
// rows decides something; whoever compiles is given somebody who can ask SQLite.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Literal } from '../wire/protocol.ts';
import type { Expression } from './ast.ts';
import { writeStatement } from './canonical-text.ts';
import { CanonicalWriter } from './canonical-writer.ts';
import { Backwards, NotNative } from './not-native.ts';
import { parse } from './parse.ts';
import type { PlanNode, Planner } from './planner.ts';
import { Reading } from './reading.ts';
import { fillStatement } from './row-statement.ts';
import type { Schema } from './schema.ts';

/** The plan of one SELECT. Asking may throw NotNative. */
export type Block = () => readonly PlanNode[];

export const unknownBlock =
  (what: string): Block =>
  () => {
    throw new NotNative(`row order of ${what}`);
  };

/** @param pin tells of a literal whose value SQLite's planner has seen */
export function statementBlock(
  schema: Pick<Schema, 'planner' | 'tables'>,
  shape: string,
  literals: readonly Literal[],
  pin: (index: number) => void,
): Block {
  let nodes: readonly PlanNode[] | undefined;
  return () => {
    nodes ??= planned(schema, shape, literals, pin);
    return nodes;
  };
}

function planned(
  { planner, tables }: Pick<Schema, 'planner' | 'tables'>,
  shape: string,
  literals: readonly Literal[],
  pin: (index: number) => void,
): readonly PlanNode[] {
  if (planner === undefined) throw new NotNative('row order without plans');
  const { select } = parse(shape, literals);
  const reading = new Reading();
  reading.statement(select);
  const writer = new PlanWriter(reading.bound);
  writeStatement(writer, select);
  // What is not bound is in the text that SQLite plans, and may change the plan.
  for (const part of writer.parts)
    if (typeof part !== 'string' && fillStatement({ template: [part] }, literals).values.length === 0)
      pin(part.index);
  const { sql } = fillStatement({ template: writer.parts }, literals);
  const create = new Map([...reading.tables].map((name) => [name, tables.get(name)?.create ?? []]));
  let found: ReturnType<Planner['plan']>;
  try {
    found = planner.plan(sql, create);
  } catch {
    // Why SQLite refuses it, it says where it is asked to run it.
    throw new NotNative('row order of what SQLite does not plan');
  }
  if (found.backwards) throw new Backwards();
  return found.nodes;
}

/** The statement as it is, with `?` where SQLite's plan does not depend on the value. */
class PlanWriter extends CanonicalWriter {
  override readonly runs = true;
  readonly #bound: ReadonlySet<Expression>;

  constructor(bound: ReadonlySet<Expression>) {
    super();
    this.#bound = bound;
  }

  override literal(expression: Extract<Expression, { readonly type: 'literal' }>): this {
    return this.atom({ index: expression.index, as: this.#bound.has(expression) ? 'bind' : 'name' });
  }
}

/**
 * The part of a block whose rows a FROM clause calls by one of these names.
 * @param alone its only source: where SQLite makes no rows of it by themselves, the block's loops are those of it
 */
export function madeBlock(block: Block, names: readonly string[], alone: boolean): Block {
  return () => {
    const nodes = block();
    const made = nodes.filter(({ detail }) => MADE.test(detail));
    const named = made.find(({ detail }) => names.includes(asciiLower(MADE.exec(detail)?.[1] ?? '')));
    const [only] = made;
    if (named !== undefined) return named.parts;
    if (alone && made.length <= 1) return only?.parts ?? nodes;
    throw new NotNative('row order of a subquery that is part of its SELECT');
  };
}
const MADE = /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/;

/** The terms of a compound SELECT, in order. */
export function termBlock(block: Block, index: number): Block {
  return () => {
    const nodes = block();
    const terms = nodes.length === 1 && nodes[0]?.detail === 'COMPOUND QUERY' ? nodes[0].parts : [];
    const term = terms[index];
    if (term === undefined) throw new NotNative('row order of a compound SELECT');
    return term.parts;
  };
}

/** Of a subquery that is a value: the only one of its SELECT. */
export function scalarBlock(block: Block): Block {
  return () => {
    const subqueries = block().filter(({ detail }) => / SUBQUERY /.test(` ${detail} `));
    const [only] = subqueries;
    if (only === undefined || subqueries.length > 1 || !/SCALAR SUBQUERY \d+$/.test(only.detail))
      throw new NotNative('row order of a subquery in an expression');
    return only.parts;
  };
}

/** Below the windows, which SQLite makes of subqueries of its own. */
export function rowsBelowWindows(block: Block): Block {
  return () => {
    let nodes = block();
    for (;;) {
      const inner = nodes.find(({ detail }) => /^CO-ROUTINE \(subquery-\d+\)$/.test(detail));
      if (inner === undefined) return nodes;
      nodes = inner.parts;
    }
  };
}

export const sorts = (nodes: readonly PlanNode[], what: 'GROUP BY' | 'DISTINCT'): boolean =>
  nodes.some(({ detail }) => detail === `USE TEMP B-TREE FOR ${what}`);
