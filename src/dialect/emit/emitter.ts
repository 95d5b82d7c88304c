// What the parts of one statement's SQL share, and how expressions and selects reach each other without importing
// each other. State only; see compile.ts for the order of things.
import type { Literal } from '../../wire/protocol.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { NotNative } from '../not-native.ts';
import type { Template } from '../plan.ts';
import type { Expression, Select } from '../resolve/tree.ts';
import type { Block } from '../row-plan.ts';
import type { Schema, SchemaTable } from '../schema.ts';
import type { Value } from '../value.ts';
import type { Scope } from './scope.ts';
import { templateLength } from './templates.ts';

export interface QueryColumn {
  readonly kind: Exclude<Value['kind'], 'boolean'>;
  readonly affinity: Value['affinity'];
  readonly collation: Value['collation'];
  readonly notNull: boolean;
  readonly known: NonNullable<Value['known']>;
  /** As Value.json: it goes through scalar subqueries, but not through FROM (json1.html section 3.4). */
  readonly json?: Value['json'];
}

/** A SELECT, compiled: its columns are named c0, c1, ... */
export interface Query {
  readonly columns: readonly QueryColumn[];
  /** Known to have at most one row. */
  readonly single: boolean;
  /** The SQL; asked for once, when all that uses the query is known. */
  readonly render: (want: Want) => Template;
}

/**
 * What is wanted of a query's rows: `any` order (ORDER BY is left out where it decides nothing), `rows` in
 * SQLite's order, `result` the same with columns as the lane reads them, only the `first` one of these, or
 * `numbered`: any order, and their place in SQLite's as a column `o`.
 */
export type Want = 'any' | 'rows' | 'result' | 'first' | 'numbered';

/** The two halves of the one circle: expressions hold selects, selects hold expressions. */
export interface Language {
  readonly expression: (expression: Expression, scope: Scope, emitter: Emitter) => Value;
  readonly query: (select: Select, scope: Scope | undefined, block: Block, emitter: Emitter) => Query;
}

/** Characters of emitted SQL; the engine's own parser takes some 10 ms for this. */
const MAX_SQL = 400_000;
/** Longer operands are computed once where a rule writes them more than once. */
const SMALL_OPERAND = 400;
/** Expressions emitted, over all: bounds work where an alias or a common table is used again and again. */
const MAX_WORK = 60_000;

/** What the SQL is for. */
export interface Target {
  readonly engine: Engine;
  /** A table's name there. */
  readonly relation: (table: SchemaTable) => string;
}

export class Emitter implements Context {
  readonly engine: Engine;
  readonly relation: Target['relation'];
  readonly schema: Schema;
  readonly literals: readonly Literal[];
  readonly pins = new Set<number>();
  readonly tables = new Set<string>();
  readsBlocks = false;
  deterministic = true;
  /** As {@link Plan.late}. */
  late = false;
  readonly #language: Language;
  #aliases = 0;
  #work = 0;

  constructor(schema: Schema, literals: readonly Literal[], target: Target, language: Language) {
    this.engine = target.engine;
    this.relation = target.relation;
    this.schema = schema;
    this.literals = literals;
    this.#language = language;
  }

  blockNumber(chain: number): number | undefined {
    this.readsBlocks = true;
    return this.schema.blocks.get(chain);
  }

  pin(index: number): Literal {
    this.pins.add(index);
    const literal = this.literals[index];
    if (literal === undefined) throw new Error(`no literal ${index}`);
    return literal;
  }

  nondeterministic(): void {
    this.deterministic = false;
  }

  /** A name that nothing else in the emitted SQL has. */
  alias(letter: string): string {
    return `${letter}${this.#aliases++}`;
  }

  expression(expression: Expression, scope: Scope): Value {
    if (++this.#work > MAX_WORK) throw tooComplex();
    const value = this.#language.expression(expression, scope, this);
    this.check(value.sql);
    return value;
  }

  /** @param block SQLite's plan of it */
  query(select: Select, scope: Scope | undefined, block: Block): Query {
    return this.#language.query(select, scope, block, this);
  }

  check(template: Template): Template {
    if (templateLength(template) > MAX_SQL || template.length > MAX_WORK) throw tooComplex();
    return template;
  }

  /** For aggregates and window functions, which cannot stand in a lambda: operands are written as they are. */
  withoutLambdas(): Context {
    return {
      engine: this.engine,
      literals: this.literals,
      blockNumber: (chain) => this.blockNumber(chain),
      pin: (index) => this.pin(index),
      nondeterministic: () => this.nondeterministic(),
      once: (operands, build) => build(operands),
    };
  }

  once(operands: readonly Value[], build: (cheap: readonly Value[]) => Value): Value {
    const heavy = operands.filter((value) => !isSmall(value));
    if (heavy.length === 0) return build(operands);
    const name = this.alias('v');
    const fields: Template[] = [];
    const { engine } = this;
    const cheap = operands.map((value): Value => {
      if (isSmall(value)) return value;
      const field = engine.bound(name, fields.length);
      fields.push(value.sql);
      const { literal: _, ...rest } = value;
      return { ...rest, sql: [field], simple: true };
    });
    const built = build(cheap);
    // The engine takes no subqueries in a lambda.
    if (built.sql.some((part) => typeof part === 'string' && part.includes('(SELECT ')))
      return build(operands);
    return { ...built, sql: engine.bind(name, fields, built.sql), simple: false };
  }
}

function isSmall(value: Value): boolean {
  return value.simple || value.kind === 'null' || templateLength(value.sql) <= SMALL_OPERAND;
}

function tooComplex(): NotNative {
  return new NotNative('statement of so many parts');
}
