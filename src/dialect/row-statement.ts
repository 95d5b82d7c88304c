// A statement for SQLite: the text that is run, in the reference's normal form, and what the row lane has to know
// of it. No client's text: every word comes from the syntax tree. SQLite itself resolves names and types.
import { GatewayError } from '../errors.ts';
import type { Literal } from '../protocol.ts';
import type { Expression, Name, Select, SelectCore, Source, Window } from './ast.ts';
import { writeStatement } from './canonical-text.ts';
import { CanonicalWriter } from './canonical-writer.ts';
import { literalName } from './names.ts';
import { type Page, pageOf } from './page.ts';
import { parse } from './parse.ts';
import type { Slot, Template } from './plan.ts';

export interface RowStatement {
  readonly template: Template;
  /** Lower-case names of the tables that it reads; common tables are none. */
  readonly tables: readonly string[];
  /** Tables of FROM clauses, by the lower-case name that SQLite's plan calls them by. */
  readonly scanned: ReadonlyMap<string, readonly string[]>;
  /** Tables, subqueries and functions of all FROM clauses. */
  readonly sources: number;
  readonly recursive: boolean;
  /** Places of literals that make the answer depend on the clock where their text is `now`. */
  readonly clocks: readonly number[];
  /** The answer depends on more than the snapshot, whatever the literals are. */
  readonly volatile: boolean;
  /** The answer depends on the chains' blocks. */
  readonly blocks: boolean;
  /** Values of the longest IN list. */
  readonly listed: number;
  /** A literal is a name in it: with another one it is another statement. */
  readonly pinned: boolean;
  /** Set where the statement reads no more rows than its LIMIT and OFFSET say, if it is run in stored order. */
  readonly page: Page | undefined;
}

/** SQL with its values. */
export interface Filled {
  readonly sql: string;
  readonly values: readonly (bigint | string)[];
}

/** @throws GatewayError statement-*, unsupported: what the grammar does not have */
export function rowStatement(shape: string, literals: readonly Literal[]): RowStatement {
  const { select, pins } = parse(shape, literals);
  const reading = new Reading();
  reading.select(select, new Set());
  const writer = new StatementWriter(reading.bound);
  writeStatement(writer, select);
  return {
    template: writer.parts,
    tables: [...reading.tables].sort(),
    scanned: reading.scanned,
    sources: reading.sources,
    recursive: reading.recursive,
    clocks: reading.clocks,
    volatile: reading.volatile,
    blocks: reading.blocks,
    listed: reading.listed,
    pinned: pins.length > 0,
    page: pageOf(select),
  };
}

/** The text that SQLite is given, and the values of its `?`. */
export function fillStatement(
  { template }: Pick<RowStatement, 'template'>,
  literals: readonly Literal[],
): Filled {
  let sql = '';
  const values: (bigint | string)[] = [];
  for (const part of template) {
    if (typeof part === 'string') {
      sql += part;
      continue;
    }
    const literal = literals[part.index];
    if (literal === undefined) throw new Error(`no literal ${part.index}`);
    const value = part.as === 'bind' ? boundValue(literal) : undefined;
    if (value === undefined) sql += literalText(literal);
    else {
      sql += '?';
      values.push(value);
    }
  }
  return { sql, values };
}

/** Longer integers, and hexadecimal ones, are SQLite's to read. */
const PLAIN_INTEGER = /^\d{1,18}$/;

/** SQLite's planner looks at a comparison with -1, 0 or 1: such a value stays in the text. */
function boundValue({ kind, text }: Literal): bigint | string | undefined {
  if (kind === 'text') return text.includes('\0') ? undefined : text;
  if (kind !== 'integer' || !PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value < 2n ? undefined : value;
}

function literalText(literal: Literal): string {
  // A text ends at its first NUL where SQL is read.
  if (literal.kind === 'text' && literal.text.includes('\0'))
    return `cast(x'${Buffer.from(literal.text).toString('hex')}' as text)`;
  return literalName(literal);
}

class StatementWriter extends CanonicalWriter {
  override readonly runs = true;
  readonly #bound: ReadonlySet<Expression>;

  constructor(bound: ReadonlySet<Expression>) {
    super();
    this.#bound = bound;
  }

  override literal(expression: Extract<Expression, { readonly type: 'literal' }>): this {
    const as: Slot['as'] = this.#bound.has(expression) ? 'bind' : 'name';
    return this.atom({ index: expression.index, as });
  }
}

/** Functions whose answer changes from call to call. */
const VOLATILE: ReadonlySet<string> = new Set([
  'random',
  'randomblob',
  'changes',
  'total_changes',
  'last_insert_rowid',
]);
/** How many arguments come before the time value; without it, it is now. */
const CLOCK_FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['date', 0],
  ['time', 0],
  ['datetime', 0],
  ['julianday', 0],
  ['unixepoch', 0],
  ['strftime', 1],
  ['timediff', 0],
]);
const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['json_each', 'json_tree']);
const lower = (name: Name): string => name.text.toLowerCase();

/** One walk over the tree. */
class Reading {
  readonly bound = new Set<Expression>();
  readonly tables = new Set<string>();
  readonly scanned = new Map<string, string[]>();
  readonly clocks: number[] = [];
  sources = 0;
  listed = 0;
  recursive = false;
  volatile = false;
  blocks = false;
  #named = 0;

  select(select: Select, outer: ReadonlySet<string>): void {
    let scope = outer;
    if (select.with !== undefined) {
      const names = new Set(outer);
      for (const { name } of select.with.tables) names.add(lower(name));
      // Without RECURSIVE a common table may read itself as well: SQLite takes both for the same.
      for (const table of select.with.tables) {
        if (refersTo(table.select, lower(table.name))) this.recursive = true;
        this.select(table.select, names);
      }
      scope = names;
    }
    for (const core of [select.first, ...select.rest.map((each) => each.core)]) this.#core(core, scope);
    for (const { expression } of select.orderBy) this.#expression(expression, scope);
    for (const count of [select.limit, select.offset])
      if (count !== undefined) this.#expression(count, scope);
  }

  #core(core: SelectCore, scope: ReadonlySet<string>): void {
    if (core.type === 'values') {
      for (const row of core.rows) for (const cell of row) this.#expression(cell, scope);
      return;
    }
    for (const column of core.columns)
      if (column.type === 'expression') {
        // A name is made of the expression's text: no value of it may be taken out.
        this.#named += column.alias === undefined ? 1 : 0;
        this.#expression(column.expression, scope);
        this.#named -= column.alias === undefined ? 1 : 0;
      }
    if (core.from !== undefined) this.#source(core.from, scope);
    if (core.where !== undefined) this.#condition(core.where, scope);
    for (const expression of core.groupBy) this.#expression(expression, scope);
    if (core.having !== undefined) this.#expression(core.having, scope);
    for (const { window } of core.windows) this.#window(window, scope);
  }

  #source(source: Source, scope: ReadonlySet<string>): void {
    switch (source.type) {
      case 'table': {
        this.sources += 1;
        const name = lower(source.name);
        if (scope.has(name)) return;
        this.tables.add(name);
        const called = source.alias === undefined ? name : lower(source.alias);
        const known = this.scanned.get(called);
        if (known === undefined) this.scanned.set(called, [name]);
        else if (!known.includes(name)) known.push(name);
        return;
      }
      case 'function':
        this.sources += 1;
        if (!TABLE_FUNCTIONS.has(lower(source.name)))
          throw new GatewayError('unknown-table', `no such table: ${source.name.text}`);
        for (const arg of source.args) this.#expression(arg, scope);
        return;
      case 'select':
        this.sources += 1;
        this.select(source.select, scope);
        return;
      case 'group':
        this.#source(source.source, scope);
        return;
      case 'join':
        this.#source(source.left, scope);
        this.#source(source.right, scope);
        if (source.on !== undefined) this.#condition(source.on, scope);
        return;
    }
  }

  /** Literals that are compared with a column may be bound: the plan does not depend on them. */
  #condition(expression: Expression, scope: ReadonlySet<string>): void {
    if (expression.type === 'binary') {
      const { operator, left, right } = expression;
      if (operator === 'and') {
        this.#condition(left, scope);
        this.#condition(right, scope);
        return;
      }
      if (COMPARISONS.has(operator)) {
        if (left.type === 'column') this.#bind(right);
        if (right.type === 'column') this.#bind(left);
      }
    } else if (expression.type === 'between' && expression.operand.type === 'column') {
      this.#bind(expression.low);
      this.#bind(expression.high);
    } else if (
      expression.type === 'in' &&
      expression.operand.type === 'column' &&
      expression.list.length > 1
    ) {
      for (const item of expression.list) this.#bind(item);
    }
    this.#expression(expression, scope);
  }

  #bind(expression: Expression): void {
    if (this.#named > 0) return;
    if (expression.type === 'literal') this.bound.add(expression);
    else if (expression.type === 'unary' && expression.operator === '-') this.#bind(expression.operand);
  }

  #window(window: Window, scope: ReadonlySet<string>): void {
    for (const expression of window.partitionBy) this.#expression(expression, scope);
    for (const { expression } of window.orderBy) this.#expression(expression, scope);
    const { frame } = window;
    if (frame === undefined) return;
    for (const bound of frame.end === undefined ? [frame.start] : [frame.start, frame.end])
      if ('offset' in bound) this.#expression(bound.offset, scope);
  }

  #expression(expression: Expression, scope: ReadonlySet<string>): void {
    const each = (...parts: readonly (Expression | undefined)[]): void => {
      for (const part of parts) if (part !== undefined) this.#expression(part, scope);
    };
    switch (expression.type) {
      case 'literal':
      case 'null':
      case 'boolean':
      case 'column':
        return;
      case 'now':
        this.volatile = true;
        return;
      case 'unary':
        each(expression.operand);
        return;
      case 'binary':
        each(expression.left, expression.right);
        return;
      case 'match':
        each(expression.operand, expression.pattern, expression.escape);
        return;
      case 'isnull':
      case 'cast':
      case 'collate':
        each(expression.operand);
        return;
      case 'between':
        each(expression.operand, expression.low, expression.high);
        return;
      case 'in':
        this.listed = Math.max(this.listed, expression.list.length);
        each(expression.operand, ...expression.list);
        return;
      case 'in-select':
        each(expression.operand);
        this.select(expression.select, scope);
        return;
      case 'exists':
      case 'subquery':
        this.select(expression.select, scope);
        return;
      case 'case':
        each(
          expression.operand,
          ...expression.whens.flatMap(({ when, result }) => [when, result]),
          expression.otherwise,
        );
        return;
      case 'row':
        each(...expression.items);
        return;
      case 'call':
        this.#call(expression);
        each(...expression.args, ...expression.orderBy.map((term) => term.expression), expression.filter);
        if (expression.over !== undefined && !('text' in expression.over))
          this.#window(expression.over, scope);
        return;
    }
  }

  #call({ name, args }: Extract<Expression, { readonly type: 'call' }>): void {
    const called = lower(name);
    if (VOLATILE.has(called)) this.volatile = true;
    if (called === 'block_num') this.blocks = true;
    const before = CLOCK_FUNCTIONS.get(called);
    if (before === undefined) return;
    if (args.length <= before) this.volatile = true;
    for (const arg of args) if (arg.type === 'literal' && arg.kind === 'text') this.clocks.push(arg.index);
  }
}

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<', '<=', '>', '>=']);

function refersTo(select: Select, name: string): boolean {
  const inSource = (source: Source | undefined): boolean => {
    switch (source?.type) {
      case undefined:
      case 'function':
        return false;
      case 'table':
        return lower(source.name) === name;
      case 'select':
        return refersTo(source.select, name);
      case 'group':
        return inSource(source.source);
      case 'join':
        return inSource(source.left) || inSource(source.right);
    }
  };
  return [select.first, ...select.rest.map(({ core }) => core)].some(
    (core) => core.type === 'select' && inSource(core.from),
  );
}
