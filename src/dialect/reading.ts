// One walk over a statement's tree: what SQLite's lanes have to know of it before it is run. Resolves no names.

import { asciiLower } from '../base/ascii-lower.ts';
import { GatewayError } from '../base/errors.ts';
import type { Expression, Name, Select, SelectCore, Source, Window } from './ast.ts';
import { type MadeNames, resultsOf } from './blobs.ts';
import { isBlobType } from './cast-types.ts';
import { checkChain } from './chain-argument.ts';
import { COMPARISONS, isComparison, isConstant, PATTERNS, widthOf } from './conditions.ts';
import {
  BYTE_MAKERS,
  CALL_PARTS,
  CLOCK_FUNCTIONS,
  EXPANDING,
  LINEAR_FUNCTIONS,
  PATH_CALLS,
  PATH_FUNCTIONS,
  QUICK_FUNCTIONS,
  SUBSTRINGS,
  TABLE_FUNCTIONS,
  VOLATILE,
} from './function-kinds.ts';
import { refersTo } from './refers-to.ts';

/** Of a list: more are looked through at once, where all are constants. */
const FEW_VALUES = 2;
const PLAIN: ReadonlySet<string> = new Set(['column', 'literal', 'null', 'boolean']);
export type Core = Extract<SelectCore, { readonly type: 'select' }>;

const lower = (name: Name): string => asciiLower(name.text);

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
  /** These are told of at RowStatement. */
  tableSquares = 0;
  gathers = false;
  listed = 0;
  lists = 0;
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
  /** See RowStatement. */
  dear = 0;
  /** Parts of expressions; a list of literals is looked through at once. */
  parts = 0;
  /** See RowStatement. */
  heaviest = 0;
  /** Of these, columns of the result and of its order that are a table's column and no more. */
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
  /** Words of the SELECTs in the one that is being read. */
  #inner = 0;

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

  /** The whole statement. */
  statement(select: Select): void {
    this.#select(select, new Set(), (tables) => {
      this.tableSquares += tables ** 2;
    });
    // Where a common table is named, all that it reads may become a part of that SELECT.
    if (select.with !== undefined) this.tableSquares = this.sources ** 2;
  }

  get #words(): number {
    return this.parts + CALL_PARTS * this.calls;
  }

  /** @param onTerm is told how many tables each of its terms reads, with all that stands in it; and its order and limit */
  #select(select: Select, outer: ReadonlySet<string>, onTerm?: (tables: number) => void): void {
    const before = this.#words;
    const around = this.#inner;
    this.#inner = 0;
    this.#terms(select, outer, onTerm);
    const words = this.#words - before;
    this.heaviest = Math.max(this.heaviest, words - this.#inner);
    this.#inner = around + words;
  }

  #terms(
    select: Select,
    outer: ReadonlySet<string>,
    onTerm: (tables: number) => void = () => undefined,
  ): void {
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
        this.#select(table.select, names);
      }
      scope = names;
    }
    // In the order in which SQLite looks for tables: the first that is none is the one that it names.
    const cores = [select.first, ...select.rest.map((each) => each.core)];
    if (select.rest.some(({ operator }) => operator !== 'union all')) this.gathers = true;
    for (const core of cores.reverse()) {
      const before = this.sources;
      this.#core(core, scope);
      onTerm(this.sources - before);
    }
    const before = this.sources;
    this.comparisons += select.orderBy.length;
    // A column of the result that is named alone is not made again, but compared where rows are sorted.
    for (const { expression } of select.orderBy)
      if (expression.type === 'column') {
        this.parts += 1;
        this.plainColumns += 1;
      } else this.#expression(expression, scope);
    for (const count of [select.limit, select.offset])
      if (count !== undefined) this.#expression(count, scope);
    onTerm(this.sources - before);
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
    if (core.distinct || core.groupBy.length > 0) this.gathers = true;
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
        // Which may be JSON.
        this.made.push({ names: ['value', 'json'], values: [] });
        return;
      case 'select':
        this.sources += 1;
        this.#select(source.select, scope);
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
      case 'collate':
        each(expression.operand);
        return;
      case 'binary':
        if (expression.operator === '->' || expression.operator === '->>') this.#countCall();
        if (isComparison(expression.operator))
          this.comparisons += Math.max(widthOf(expression.left), widthOf(expression.right));
        if (expression.operator === '||') {
          this.makesText = true;
          this.dear += 1;
        }
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
        this.#countCall();
        each(expression.operand);
        return;
      case 'isnull':
        this.comparisons += 1;
        each(expression.operand);
        return;
      case 'between':
        this.comparisons += 2 * widthOf(expression.operand);
        each(expression.operand, expression.low, expression.high);
        return;
      case 'in':
        this.listed = Math.max(this.listed, expression.list.length);
        this.lists += 1;
        this.comparisons += widthOf(expression.operand);
        each(expression.operand, ...expression.list);
        if (expression.list.length > FEW_VALUES && expression.list.every(isConstant))
          this.parts -= expression.list.length - 1;
        return;
      case 'in-select':
        this.lists += 1;
        this.comparisons += widthOf(expression.operand);
        each(expression.operand);
        this.#select(expression.select, scope);
        return;
      case 'exists':
      case 'subquery':
        this.#select(expression.select, scope);
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
        // One that is only named here is read where it is defined.
        if (expression.over !== undefined && !('text' in expression.over))
          this.#window(expression.over, scope);
        return;
    }
  }

  #countCall(isQuick = false): void {
    this.calls += 1;
    this.dear += isQuick ? 0 : 1;
  }

  #call({ name, args }: Extract<Expression, { readonly type: 'call' }>): void {
    const called = lower(name);
    if (VOLATILE.has(called)) this.volatile = true;
    this.#countCall(QUICK_FUNCTIONS.has(called));
    // Each path is a way through the whole value.
    if (PATH_FUNCTIONS.has(called)) this.calls += PATH_CALLS * Math.max(0, args.length - 2);
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
