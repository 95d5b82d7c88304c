// A statement's shape -> a plan: parse, resolve names, emit the engine's SQL. SQLite's grammar is in parse/, what names
// stand for in resolve/, all of its SELECT in emit/, what operators and functions mean in operators/ and functions/.
import { GatewayError } from '../base/errors.ts';
import type { Literal } from '../wire/protocol.ts';
import { Emitter, type QueryColumn, type Target } from './emit/emitter.ts';
import { expression } from './emit/expression.ts';
import { query } from './emit/select.ts';
import { DUCKDB } from './engines/duckdb.ts';
import { explainedStatement } from './explain.ts';
import { parse } from './parse.ts';
import type { Compile, Plan, PlanColumn, Template } from './plan.ts';
import { resolve } from './resolve.ts';
import { statementBlock } from './row-plan.ts';
import type { Schema } from './schema.ts';
import { identifier } from './value.ts';

/**
 * @throws NotNative where the target's engine has no exact words for it
 * @throws GatewayError statement-*, unknown-*, ambiguous-column
 */
export function compile(
  shape: string,
  literals: readonly Literal[],
  schema: Schema,
  target: Target = COLUMNS,
): Plan {
  const { select, pins } = parse(shape, literals);
  const resolved = resolve(select, schema, literals);
  const emitter = new Emitter(schema, literals, target, { expression, query });
  for (const pin of [...pins, ...resolved.pins]) emitter.pins.add(pin);
  const block = statementBlock(schema, shape, literals, (index) => emitter.pin(index));
  const { columns, single, render } = emitter.query(resolved.select, undefined, block);
  const kinds = columns.map(({ kind }) => kind);
  const rows = target.engine.statement({
    kinds,
    inOrder: () => render('rows'),
    asRead: () => render('result'),
  });
  return {
    pins: [...emitter.pins].sort((a, b) => a - b),
    sql: emitter.check(rows),
    columns: kinds.map((kind, i) => planColumn(kind, resolved.select.columns[i]?.name ?? [])),
    single,
    tables: [...emitter.tables].sort(),
    readsBlocks: emitter.readsBlocks,
    late: emitter.late,
    deterministic: emitter.deterministic,
  };
}

/** The column store of a snapshot. */
const COLUMNS: Target = { engine: DUCKDB, relation: ({ name }) => identifier(name) };

/** A column that is NULL in every row has no kind: any will do. */
function planColumn(kind: QueryColumn['kind'], name: Template): PlanColumn {
  return { name, kind: kind === 'null' ? 'integer' : kind === 'number' ? 'any' : kind };
}

/** The compiler of one snapshot. */
export function createCompiler(schema: Schema): Compile {
  return (shape, literals) => {
    try {
      return compile(shape, literals, schema);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      throw explainedStatement(error, { shape, literals }, schema);
    }
  };
}

/** The emitted SQL needs no macros. */
export const PRELUDE: readonly string[] = [];
export const MACROS: readonly string[] = [];
