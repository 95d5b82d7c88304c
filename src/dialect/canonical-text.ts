// Writes a syntax tree as the reference's normal form: keywords and function names in lower case, names as
// written, a space only where two words would run together. The reference hands this text to SQLite, which
// names unaliased columns after it. What the reference's grammar does not have is written in the same style.
import { asciiLower } from '../base/ascii-lower.ts';
import type {
  Expression,
  Frame,
  FrameBound,
  Name,
  OrderTerm,
  ResultColumn,
  Select,
  SelectCore,
  Source,
  Window,
} from './ast.ts';
import { type Operand, CanonicalWriter as Writer } from './canonical-writer.ts';
import { isTextType } from './cast-types.ts';
import { SUBSTRINGS } from './function-kinds.ts';
import { operandOf } from './operands.ts';
import type { Template } from './plan.ts';

export function canonicalExpression(expression: Expression): Template {
  const writer = new Writer();
  writeExpression(writer, expression);
  return writer.parts;
}

export function canonicalSelect(select: Select): Template {
  const writer = new Writer();
  writeSelect(writer, select);
  return writer.parts;
}

/** For a writer of its own kind. */
export function writeStatement(writer: Writer, select: Select): void {
  writeSelect(writer, select);
}

export { writeExpression };

export function writeAsText(writer: Writer, expression: Expression): void {
  writeExpression(writer.word('cast').mark('('), expression);
  writer.word('as').word('text').mark(')');
}

function writeExpression(writer: Writer, expression: Expression): void {
  const parens = expression.parens ?? 0;
  for (let i = 0; i < parens; i++) writer.mark('(');
  writeBare(writer, expression);
  for (let i = 0; i < parens; i++) writer.mark(')');
}

function writeBare(writer: Writer, expression: Expression): void {
  switch (expression.type) {
    case 'literal':
      writer.literal(expression);
      return;
    case 'null':
      writer.atom('null');
      return;
    case 'boolean':
      writer.atom(String(expression.value));
      return;
    case 'now':
      writer.atom(expression.part);
      return;
    case 'column':
      if (expression.table !== undefined) writeName(writer, expression.table).mark('.');
      writeName(writer, expression.name);
      return;
    case 'unary':
      writeUnary(writer, expression);
      return;
    case 'binary':
      writeBinary(writer, expression);
      return;
    case 'match':
      writeOperand(writer, 'like', expression.operand);
      writeNot(writer, expression.not).word(expression.operator);
      writeOperand(writer, 'like', expression.pattern);
      if (expression.escape !== undefined) writeExpression(writer.word('escape'), expression.escape);
      return;
    case 'isnull':
      writeOperand(writer, 'is null', expression.operand);
      writer.word(expression.not ? 'notnull' : 'isnull');
      return;
    case 'between':
      writeExpression(writer, expression.operand);
      writeExpression(writeNot(writer, expression.not).word('between'), expression.low);
      writeExpression(writer.word('and'), expression.high);
      return;
    case 'in':
      writeExpression(writer, expression.operand);
      writeNot(writer, expression.not).word('in').mark('(').list(expression.list, writeExpression).mark(')');
      return;
    case 'in-select':
      writeExpression(writer, expression.operand);
      writeSubquery(writeNot(writer, expression.not).word('in'), expression.select);
      return;
    case 'exists':
      writeSubquery(writeNot(writer, expression.not).word('exists'), expression.select);
      return;
    case 'subquery':
      writeSubquery(writer, expression.select);
      return;
    case 'case':
      writeCase(writer, expression);
      return;
    case 'cast':
      writer.word('cast').mark('(');
      if (isTextType(expression.to)) writeOperand(writer, 'text', expression.operand);
      else writeExpression(writer, expression.operand);
      writer.word('as').atom(asciiLower(expression.to)).mark(')');
      return;
    case 'collate':
      writeExpression(writer, expression.operand);
      writeName(writer.word('collate'), expression.collation);
      return;
    case 'row':
      writer.mark('(').list(expression.items, writeExpression).mark(')');
      return;
    case 'call':
      writeCall(writer, expression);
      return;
  }
}

type Kind<T extends Expression['type']> = Extract<Expression, { type: T }>;

function writeUnary(writer: Writer, { operator, operand }: Kind<'unary'>): void {
  if (operator === 'not') {
    writeExpression(writer.word('not'), operand);
    return;
  }
  writer.prefix(operator);
  // The reference writes `- -1` as `--1`, which SQLite takes for a comment: not copied.
  if (
    operand.type === 'unary' &&
    operand.parens === undefined &&
    (operator === '-' || !isNegativeNumber(operand))
  )
    writer.space();
  writeExpression(writer, operand);
}

/** A minus before an integer is part of it in the reference: `+-5`, but `+ -a`. */
function isNegativeNumber(expression: Kind<'unary'>): boolean {
  const { operator, operand } = expression;
  return (
    operator === '-' &&
    operand.type === 'literal' &&
    operand.kind === 'integer' &&
    operand.parens === undefined
  );
}

const WORDS: ReadonlySet<string> = new Set(['is', 'is not', 'and', 'or']);

function writeBinary(writer: Writer, expression: Kind<'binary'>): void {
  if (expression.right.type === 'null' && (expression.operator === 'is' || expression.operator === 'is not'))
    writeOperand(writer, 'is null', expression.left);
  else if (expression.operator === '||') writeOperand(writer, 'text', expression.left);
  else writeExpression(writer, expression.left);
  if (WORDS.has(expression.operator)) writer.word(expression.operator);
  else writer.mark(expression.operator);
  // Two minuses in a row begin a comment.
  if (expression.operator === '-' && beginsWithMinus(expression.right)) writer.space();
  if (expression.operator === '->' || expression.operator === '->>')
    writeOperand(writer, '->', expression.right);
  else if (expression.operator === '||') writeOperand(writer, 'text', expression.right);
  else writeExpression(writer, expression.right);
}

function beginsWithMinus(expression: Expression): boolean {
  if (expression.parens !== undefined) return false;
  if (expression.type === 'unary') return expression.operator === '-';
  if (expression.type === 'binary') return beginsWithMinus(expression.left);
  return 'operand' in expression &&
    expression.operand !== undefined &&
    expression.type !== 'cast' &&
    expression.type !== 'case'
    ? beginsWithMinus(expression.operand)
    : false;
}

function writeOperand(writer: Writer, of: Operand, expression: Expression): void {
  const instead = writer.operand(of, expression);
  if (instead === undefined) writeExpression(writer, expression);
  else instead();
}

function writeNot(writer: Writer, not: boolean): Writer {
  return not ? writer.word('not') : writer;
}

/** The reference sets CASE's own words off with spaces, but not WHEN and THEN from a parenthesis after them. */
function writeCase(writer: Writer, expression: Kind<'case'>): void {
  writer.word('case').space();
  if (expression.operand !== undefined) {
    writeExpression(writer, expression.operand);
    writer.space();
  }
  for (const { when, result } of expression.whens) {
    writeExpression(writer.word('when'), when);
    writeExpression(writer.word('then'), result);
    writer.space();
  }
  if (expression.otherwise !== undefined) {
    writeExpression(writer.word('else').space(), expression.otherwise);
    writer.space();
  }
  writer.word('end');
}

function writeCall(writer: Writer, call: Kind<'call'>): void {
  const { name } = call;
  if (name.quote === '') writer.atom(asciiLower(name.text));
  else writeName(writer, name);
  writer.mark('(');
  if (call.star) writer.mark('*');
  if (call.distinct) writer.word('distinct').space();
  const lower = asciiLower(name.text);
  call.args.forEach((arg, i) => {
    const of = operandOf(name, call.distinct, i);
    if (i > 0) writer.mark(',');
    if (of === undefined) writeExpression(writer, arg);
    else writeOperand(writer, of, arg);
  });
  // What is left out is the limit of a text's length, which counts for a place far before its first character.
  if (writer.runs && SUBSTRINGS.has(lower) && call.args.length === 2) writer.mark(',').atom(String(LONGEST));
  writeOrder(writer, call.orderBy);
  writer.mark(')');
  if (call.filter !== undefined) {
    writeExpression(writer.word('filter').mark('(').word('where').space(), call.filter);
    writer.mark(')');
  }
  if (call.over === undefined) return;
  writer.word('over');
  if ('text' in call.over) writeName(writer, call.over);
  else writeWindow(writer, call.over);
}

/** As the validator's SQLite is built. */
const LONGEST = 1_000_000_000;

function writeName(writer: Writer, name: Name): Writer {
  const { text, quote } = name;
  if (quote === '') return writer.atom(text);
  return writer.atom(
    quote === '[' ? `[${text}]` : `${quote}${text.replaceAll(quote, quote + quote)}${quote}`,
  );
}

function writeSubquery(writer: Writer, select: Select): Writer {
  writer.mark('(');
  writeSelect(writer, select);
  return writer.mark(')');
}

function writeSelect(writer: Writer, select: Select): void {
  if (select.with !== undefined) {
    writer.word(select.with.recursive ? 'with recursive' : 'with').list(select.with.tables, (w, table) => {
      writeName(w, table.name);
      if (table.columns.length > 0) w.mark('(').list(table.columns, writeName).mark(')');
      writeSubquery(w.word('as'), table.select);
    });
  }
  writeCore(writer, select.first);
  for (const { operator, core } of select.rest) writeCore(writer.word(operator), core);
  writeOrder(writer, select.orderBy);
  if (select.limit !== undefined) writeExpression(writer.word('limit'), select.limit);
  if (select.offset !== undefined) writeExpression(writer.word('offset'), select.offset);
}

function writeCore(writer: Writer, core: SelectCore): void {
  if (core.type === 'values') {
    writer.word('values').list(core.rows, (w, row) => {
      w.mark('(').list(row, writeExpression).mark(')');
    });
    return;
  }
  writer.word('select');
  if (core.distinct) writer.word('distinct');
  writer.list(core.columns, writeColumn);
  if (core.from !== undefined) writeSource(writer.word('from'), core.from);
  if (core.where !== undefined) writeCondition(writer.word('where').space(), core.where);
  if (core.groupBy.length > 0) writer.word('group by').list(core.groupBy, writeExpression);
  if (core.having !== undefined) writeExpression(writer.word('having').space(), core.having);
  if (core.windows.length > 0)
    writer.word('window').list(core.windows, (w, { name, window }) => {
      writeName(w, name).word('as');
      writeWindow(w, window);
    });
}

function writeColumn(writer: Writer, column: ResultColumn): void {
  if (column.type === 'star') {
    if (column.table !== undefined) writeName(writer, column.table).mark('.');
    writer.star();
    return;
  }
  const before = writer.changes;
  writeExpression(writer, column.expression);
  if (column.alias !== undefined) writeName(writer.word('as'), column.alias);
  // SQLite would name the column after what was written.
  else if (writer.changes > before) writer.word('as').quoted(canonicalExpression(column.expression));
}

function writeSource(writer: Writer, source: Source): void {
  switch (source.type) {
    case 'table':
      writeName(writer, source.name);
      writeAlias(writer, source.alias);
      return;
    case 'function':
      writeName(writer, source.name).mark('(').list(source.args, writeExpression).mark(')');
      writeAlias(writer, source.alias);
      return;
    case 'select':
      writeSubquery(writer, source.select);
      writeAlias(writer, source.alias);
      return;
    case 'group':
      // The reference drops the parentheses of a join, which for nested outer joins changes what it means.
      if (writer.runs) writer.mark('(');
      writeSource(writer, source.source);
      if (writer.runs) writer.mark(')');
      return;
    case 'join':
      writeSource(writer, source.left);
      writeSource(writer.word(joinWords(source.written, writer.runs)), source.right);
      if (source.on !== undefined) writeCondition(writer.word('on'), source.on);
      if (source.using.length > 0) writer.word('using').mark('(').list(source.using, writeName).mark(')');
      return;
  }
}

function writeCondition(writer: Writer, condition: Expression): void {
  if (!writer.guard(condition)) {
    writeExpression(writer, condition);
    return;
  }
  writeExpression(writer.mark('('), condition);
  writer.mark(')');
}

/** The reference writes a comma and CROSS JOIN as JOIN, and OUTER twice, which SQLite reads as once. */
function joinWords(written: string, runs: boolean): string {
  if (written === ',' || written === 'cross join') return 'join';
  return runs ? written : written.replace('outer', 'outer outer');
}

function writeAlias(writer: Writer, alias: Name | undefined): void {
  if (alias !== undefined) writeName(writer.word('as'), alias);
}

/** ASC is always written, and an ORDER BY NULL loses its direction. */
function writeOrder(writer: Writer, terms: readonly OrderTerm[]): void {
  if (terms.length === 0) return;
  writer.word('order by').list(terms, (w, term) => {
    writeExpression(w, term.expression);
    if (term.expression.type === 'null' && term.expression.parens === undefined) return;
    w.word(term.descending ? 'desc' : 'asc');
    if (term.nulls !== undefined) w.word(`nulls ${term.nulls}`);
  });
}

function writeWindow(writer: Writer, window: Window): void {
  writer.mark('(');
  if (window.base !== undefined) writeName(writer, window.base);
  if (window.partitionBy.length > 0) writer.word('partition by').list(window.partitionBy, writeExpression);
  writeOrder(writer, window.orderBy);
  if (window.frame !== undefined) writeFrame(writer, window.frame);
  writer.mark(')');
}

function writeFrame(writer: Writer, frame: Frame): void {
  writer.word(frame.unit);
  if (frame.end !== undefined) writer.word('between');
  writeBound(writer, frame.start);
  if (frame.end !== undefined) writeBound(writer.word('and'), frame.end);
  if (frame.exclude !== undefined) writer.word(`exclude ${frame.exclude}`);
}

function writeBound(writer: Writer, bound: FrameBound): void {
  if ('offset' in bound) writeExpression(writer, bound.offset);
  writer.word(bound.type);
}
