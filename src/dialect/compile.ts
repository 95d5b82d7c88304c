// A statement's shape -> a plan: parse, resolve names, type, emit. All of SQLite's SELECT is in emit/,
// what operators and functions mean in operators/ and functions/.
import type { Literal } from '../protocol.ts';
import type { Select } from './ast.ts';
import { Emitter, type Query, type QueryColumn } from './emit/emitter.ts';
import { expression } from './emit/expression.ts';
import { integerLiteral, isGatherable } from './emit/gather.ts';
import { isIndexable } from './emit/index-terms.ts';
import { query } from './emit/select.ts';
import { ENGINE_TYPE } from './operators/computed.ts';
import { parse } from './parse.ts';
import type { Compile, CompileOptions, Gathering, IndexPlan, Plan, PlanColumn, Template } from './plan.ts';
import type { Schema } from './schema.ts';
import { join, sql } from './value.ts';

/**
 * @throws GatewayError statement-*, unsupported, unknown-*, ambiguous-column, run-failed (what SQLite finds
 * out while it runs, but is known before)
 */
export function compile(
  shape: string,
  literals: readonly Literal[],
  schema: Schema,
  options: CompileOptions,
): Plan {
  const { select, pins } = parse(shape, literals);
  const emitter = new Emitter(schema, literals, options.exact, { expression, query });
  for (const pin of pins) emitter.pins.add(pin);
  if (options.gather === true && isGatherable(select)) emitter.gather = { key: undefined, single: false };
  if (options.index === true && isIndexable(select)) emitter.index = { terms: [], rows: 0, taken: false };
  const compiled = emitter.query(select, undefined);
  const rows = emitter.check(typed(compiled));
  const gathering = gatheringOf(select, compiled, emitter);
  const index = indexOf(select, compiled, rows, emitter);
  return {
    ...(gathering === undefined ? {} : { gathering }),
    ...(index === undefined ? {} : { index }),
    pins: [...emitter.pins].sort((a, b) => a - b),
    sql: rows,
    columns: compiled.columns.map(planColumn),
    single: compiled.single && index === undefined,
    tables: [...emitter.tables].sort(),
    deterministic: emitter.deterministic,
    exact: options.exact,
  };
}

function gatheringOf(select: Select, { columns }: Query, emitter: Emitter): Gathering | undefined {
  const { key, single } = emitter.gather ?? {};
  if (key === undefined || !emitter.deterministic) return undefined;
  // A LIMIT counts the rows of one lookup: it may be left out only where that has one.
  if (select.limit !== undefined && single !== true) return undefined;
  // typed() would leave out the column that says which lookup a row is of.
  if (columns.some(({ kind }) => kind === 'null')) return undefined;
  return { key: key.index, column: key.column, kind: key.kind, limit: integerLiteral(select.limit) };
}

/** Each costs memory and time with every row that is looked at. */
const MAX_INDEX_TERMS = 8;

function indexOf(
  select: Select,
  { columns }: Query,
  rows: Template,
  emitter: Emitter,
): IndexPlan | undefined {
  if (emitter.index === undefined || !emitter.deterministic) return undefined;
  const terms = emitter.index.terms.map(({ literal, operator, kind }) => ({ literal, operator, kind }));
  const limit = integerLiteral(select.limit);
  const offset = integerLiteral(select.offset);
  const varying = new Set([limit, offset, ...terms.map(({ literal }) => literal)]);
  varying.delete(undefined);
  if (varying.size === 0 || terms.length > MAX_INDEX_TERMS) return undefined;
  // typed() would leave out the columns that are compared.
  if (columns.some(({ kind }) => kind === 'null')) return undefined;
  const fixed = [...rows, ...columns.flatMap(({ name }) => name)];
  const needsOther = fixed.some((part) => typeof part !== 'string' && varying.has(part.index));
  if (needsOther || [...emitter.pins].some((pin) => varying.has(pin))) return undefined;
  return { terms, limit, offset, varying: [...varying] as number[], rows: emitter.index.rows };
}

/** A column that is NULL in every row has no kind: any will do. */
function planColumn({ name, kind }: QueryColumn): PlanColumn {
  return { name, kind: kind === 'null' ? 'integer' : kind };
}

function typed({ columns, render }: Query): Template {
  const rows = render('rows');
  if (columns.every(({ kind }) => kind !== 'null')) return rows;
  const cells = columns.map(
    ({ kind }, i): Template => (kind === 'null' ? [`CAST(NULL AS ${ENGINE_TYPE.null}) AS c${i}`] : [`c${i}`]),
  );
  return sql`SELECT ${join(cells, ', ')} FROM (${rows}) AS p`;
}

/** The compiler of one snapshot. */
export function createCompiler(schema: Schema): Compile {
  return (shape, literals, options) => compile(shape, literals, schema, options);
}

/** The emitted SQL needs no macros: functions in JavaScript are registered by the worker. */
export const PRELUDE: readonly string[] = [];
export const MACROS: readonly string[] = [];
