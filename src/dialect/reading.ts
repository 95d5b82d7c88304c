// One walk over a statement's tree: what SQLite's lanes have to know of it before it is run. Resolves no names.

import { asciiLower } from '../base/ascii-lower.ts';
import { GatewayError } from '../base/errors.ts';
import { notResolved } from '../base/reference-words.ts';
import type { Expression, Name, Select, SelectCore, Source, Window } from './ast.ts';
import { isBlobType, type MadeNames, resultsOf } from './blobs.ts';
import { COMPARISONS, isComparison, PATTERNS, widthOf } from './conditions.ts';
import { LINEAR_FUNCTIONS } from './linear-functions.ts';

/** Functions whose answer changes from call to call. */
const VOLATILE: ReadonlySet<string> = new Set([
  'random',
  'randomblob',
  'changes',
  'total_changes',
  'last_insert_rowid',
]);
/** Functions that can give bytes that are no text of arguments that are texts. */
const BYTE_MAKERS: ReadonlySet<string> = new Set(['char', 'unhex', 'unistr', 'zeroblob', 'randomblob']);
/** Without a length, these take the limit of a value for it, which is lower where SQLite runs in the front. */
const SUBSTRINGS: ReadonlySet<string> = new Set(['substr', 'substring']);
/** Functions that make a value far larger than what they are given. */
const EXPANDING: ReadonlySet<string> = new Set(
  'replace hex zeroblob randomblob printf format quote json_pretty'.split(' '),
);
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
const PLAIN: ReadonlySet<string> = new Set(['column', 'literal', 'null', 'boolean']);
export type Core = Extract<SelectCore, { readonly type: 'select' }>;

const lower = (name: Name): string => asciiLower(name.text);

/** As the reference, which puts the block in before it runs the statement. */
function checkChain(args: readonly Expression[]): void {
  const [chain, ...more] = args;
  if (chain === undefined || more.length > 0)
    throw new GatewayError(
      'unknown-function',
      notResolved('block_num function should have exactly one argument'),
    );
  const given = chain.type === 'unary' ? chain.operand : chain;
  const isInteger = (given.type === 'literal' && given.kind === 'integer') || given.type === 'boolean';
  if (isInteger) return;
  const what = given.type === 'literal' ? 'an integer' : 'a literal value';
  throw new GatewayError('unsupported', notResolved(`argument of block_num is not ${what}`), {
    hint: 'block_num takes the number of a chain.',
  });
}

/** One walk over the tree. */
export class Reading {
  readonly bound = new Set<Expression>();
  readonly tables = new Set<string>();
  readonly scanned = new Map<string, string[]>();
  /** Each mention of a table in a FROM clause, by its lower-case name. */
  readonly references: string[] = [];
  /** Every SELECT that is no VALUES. */
  readonly cores: Core[] = [];
  /** Names that results are given: any of these values may stand behind any of the names. */
  readonly made: MadeNames[] = [];
  /** Lower-case names of all common tables. */
  readonly commons = new Set<string>();
  readonly clocks: number[] = [];
  sources = 0;
  listed = 0;
  /** Calls of functions that make large values. */
  expanding = 0;
  /** Names of columns in lower case, and what may make a text of a blob. */
  readonly columns = new Set<string>();
  makesText = false;
  /** A text may be made of bytes that are none, whatever the tables hold. */
  mayBreak = false;
  /** A value may be made a blob. */
  makesBlob = false;
  /** Calls of any function, casts, and paths of JSON. */
  calls = 0;
  /** Parts of expressions. */
  parts = 0;
  /** Of these, columns of the result that are a table's column and no more. */
  plainColumns = 0;
  /** Whether all words take time in proportion to the values that they are given. */
  linear = true;
  windows = false;
  /** Conditions, and terms of an order, that SQLite weighs for each order of the tables. */
  comparisons = 0;
  recursive = false;
  volatile = false;
  blocks = false;
  /** Columns of the result that a condition or an order may name: SQLite makes their values anew at each mention. */
  readonly #made = new Set<string>();
  readonly #mentioned = new Set<string>();
  #named = 0;

  /**
   * Whether a value that is made in the list of columns may be made again for each mention of its name.
   * @param isColumn whether a table of that lower-case name has a column of this one
   */
  repeats(isColumn: (table: string, name: string) => boolean): boolean {
    // SQLite looks for a name among the columns of FROM first, and then among the aliases of that SELECT. Where there is one
    // alone, of tables alone, an alias that one of these has for a column is no name for a value that is made.
    const isPlain = this.cores.length === 1 && this.references.length === this.sources;
    const isAlias = (name: string): boolean =>
      !isPlain || !this.references.some((table) => isColumn(table, name));
    return [...this.#made].some((name) => this.#mentioned.has(name) && isAlias(name));
  }

  select(select: Select, outer: ReadonlySet<string>): void {
    let scope = outer;
    if (select.with !== undefined) {
      const names = new Set(outer);
      for (const { name } of select.with.tables) {
        names.add(lower(name));
        this.commons.add(lower(name));
      }
      // Without RECURSIVE a common table may read itself as well: SQLite takes both for the same.
      for (const table of select.with.tables) {
        if (table.columns.length > 0)
          this.made.push({ names: table.columns.map(lower), values: resultsOf(table.select) });
        if (refersTo(table.select, lower(table.name))) this.recursive = true;
        this.select(table.select, names);
      }
      scope = names;
    }
    // In the order in which SQLite looks for tables: the first that is none is the one that it names.
    const cores = [select.first, ...select.rest.map((each) => each.core)];
    for (const core of cores.reverse()) this.#core(core, scope);
    this.comparisons += select.orderBy.length;
    // A column of the result that is named alone is not made again.
    for (const { expression } of select.orderBy)
      if (expression.type !== 'column') this.#expression(expression, scope);
    for (const count of [select.limit, select.offset])
      if (count !== undefined) this.#expression(count, scope);
  }

  #core(core: SelectCore, scope: ReadonlySet<string>): void {
    if (core.type === 'values') {
      for (const row of core.rows) for (const cell of row) this.#expression(cell, scope);
      this.made.push({
        names: (core.rows[0] ?? []).map((_, i) => `column${i + 1}`),
        values: core.rows.flat(),
      });
      return;
    }
    this.cores.push(core);
    if (core.from !== undefined) this.#source(core.from, scope);
    for (const column of core.columns)
      if (column.type === 'expression') {
        // A name is made of the expression's text: no value of it may be taken out.
        this.#named += column.alias === undefined ? 1 : 0;
        if (column.alias !== undefined)
          this.made.push({ names: [lower(column.alias)], values: [column.expression] });
        if (column.alias !== undefined && !PLAIN.has(column.expression.type))
          this.#made.add(lower(column.alias));
        if (column.expression.type === 'column') this.plainColumns += 1;
        this.#expression(column.expression, scope);
        this.#named -= column.alias === undefined ? 1 : 0;
      }
    if (core.where !== undefined) this.#condition(core.where, scope);
    this.comparisons += core.groupBy.length;
    for (const expression of core.groupBy) this.#expression(expression, scope);
    if (core.having !== undefined) this.#expression(core.having, scope);
    for (const { window } of core.windows) this.#window(window, scope);
  }

  #scan(called: string, name: string): void {
    const known = this.scanned.get(called);
    if (known === undefined) this.scanned.set(called, [name]);
    else if (!known.includes(name)) known.push(name);
  }

  #source(source: Source, scope: ReadonlySet<string>): void {
    switch (source.type) {
      case 'table': {
        this.sources += 1;
        const name = lower(source.name);
        if (scope.has(name)) return;
        this.tables.add(name);
        this.references.push(name);
        if (source.alias !== undefined) this.#scan(lower(source.alias), name);
        // Of a count(*) of a whole table, the plan names that and not its alias.
        this.#scan(name, name);
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
        // As many equalities as there are columns of one name, which only SQLite counts.
        this.comparisons += source.natural ? Number.POSITIVE_INFINITY : source.using.length;
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
    this.linear = false;
    this.windows = true;
    for (const expression of window.partitionBy) this.#expression(expression, scope);
    for (const { expression } of window.orderBy) this.#expression(expression, scope);
    const { frame } = window;
    if (frame === undefined) return;
    for (const bound of frame.end === undefined ? [frame.start] : [frame.start, frame.end])
      if ('offset' in bound) this.#expression(bound.offset, scope);
  }

  #expression(expression: Expression, scope: ReadonlySet<string>): void {
    this.parts += 1;
    const each = (...parts: readonly (Expression | undefined)[]): void => {
      for (const part of parts) if (part !== undefined) this.#expression(part, scope);
    };
    switch (expression.type) {
      case 'literal':
        if (expression.kind === 'blob') this.mayBreak = true;
        return;
      case 'null':
      case 'boolean':
        return;
      case 'column':
        this.columns.add(lower(expression.name));
        if (expression.table === undefined) this.#mentioned.add(lower(expression.name));
        return;
      case 'now':
        this.volatile = true;
        return;
      case 'unary':
        each(expression.operand);
        return;
      case 'binary':
        if (expression.operator === '->' || expression.operator === '->>') this.calls += 1;
        if (isComparison(expression.operator))
          this.comparisons += Math.max(widthOf(expression.left), widthOf(expression.right));
        if (expression.operator === '||') this.makesText = true;
        each(expression.left, expression.right);
        return;
      case 'match':
        // A pattern may be a range, too.
        this.comparisons += 2;
        this.linear = false;
        each(expression.operand, expression.pattern, expression.escape);
        return;
      case 'cast':
        this.makesText = true;
        if (isBlobType(expression.to)) this.makesBlob = true;
        this.calls += 1;
        each(expression.operand);
        return;
      case 'isnull':
        this.comparisons += 1;
        each(expression.operand);
        return;
      case 'collate':
        each(expression.operand);
        return;
      case 'between':
        this.comparisons += 2 * widthOf(expression.operand);
        each(expression.operand, expression.low, expression.high);
        return;
      case 'in':
        this.listed = Math.max(this.listed, expression.list.length);
        this.comparisons += widthOf(expression.operand);
        each(expression.operand, ...expression.list);
        return;
      case 'in-select':
        this.comparisons += widthOf(expression.operand);
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
        if (expression.over === undefined) return;
        this.linear = false;
        this.windows = true;
        if (!('text' in expression.over)) this.#window(expression.over, scope);
        return;
    }
  }

  #call({ name, args }: Extract<Expression, { readonly type: 'call' }>): void {
    const called = lower(name);
    if (VOLATILE.has(called)) this.volatile = true;
    this.calls += 1;
    this.makesText = true;
    if (!LINEAR_FUNCTIONS.has(called) || (SUBSTRINGS.has(called) && args.length < 3)) this.linear = false;
    if (PATTERNS.has(called)) this.comparisons += 2;
    if (BYTE_MAKERS.has(called)) this.mayBreak = true;
    if (called.startsWith('jsonb')) this.makesBlob = true;
    if (EXPANDING.has(called)) this.expanding += 1;
    if (called === 'block_num') {
      this.blocks = true;
      checkChain(args);
    }
    const before = CLOCK_FUNCTIONS.get(called);
    if (before === undefined) return;
    if (args.length <= before) this.volatile = true;
    for (const arg of args) if (arg.type === 'literal' && arg.kind === 'text') this.clocks.push(arg.index);
  }
}

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
