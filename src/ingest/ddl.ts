// What a CREATE TABLE says beyond what SQLite's pragmas tell: the constraints of columns and table, written as
// the reference writes them in `/tables`, and collations. The reference takes table constraints apart in its own
// grammar; what is not in that grammar (it answers 500 there) is written here in the same style.
import { normalExpression } from './ddl-expression.ts';
import { type DdlToken, ddlTokens } from './ddl-tokens.ts';

export interface DdlColumn {
  /** Quotes removed. */
  readonly name: string;
  /** Quotes kept: the reference's `/tables` shows them. */
  readonly written: string;
  readonly constraints: readonly string[];
  /** Lower case; undefined where there is none. */
  readonly collation: string | undefined;
}
export interface Ddl {
  readonly strict: boolean;
  readonly withoutRowid: boolean;
  readonly columns: readonly DdlColumn[];
  readonly tableConstraints: readonly string[];
}

interface MutableColumn extends DdlColumn {
  readonly constraints: string[];
  readonly type: string;
}

const TABLE_CONSTRAINT = new Set(['constraint', 'primary', 'unique', 'check', 'foreign']);
const COLUMN_CONSTRAINT = new Set([
  ...['constraint', 'primary', 'not', 'null', 'unique', 'check', 'default', 'collate', 'references'],
  ...['generated', 'as'],
]);

/** @param sql of sqlite_master; SQLite accepted it, so nothing is refused here */
export function readDdl(sql: string): Ddl {
  const tokens = ddlTokens(sql);
  const items = splitItems(tokens);
  const columns: MutableColumn[] = [];
  const tableConstraints: string[] = [];
  for (const item of items) {
    const reader = new Reader(sql, item);
    if (reader.isWord(TABLE_CONSTRAINT)) {
      while (!reader.done) addTableConstraint(reader, columns, tableConstraints);
    } else columns.push(readColumn(reader));
  }
  return { ...tableOptions(tokens), columns, tableConstraints };
}

/** What stands behind the last parenthesis. */
function tableOptions(tokens: readonly DdlToken[]): Pick<Ddl, 'strict' | 'withoutRowid'> {
  const end = tokens.findLastIndex(({ kind, text }) => kind === 'mark' && text === ')');
  const words = new Set(tokens.slice(end + 1).map(({ text }) => text.toLowerCase()));
  return { strict: words.has('strict'), withoutRowid: words.has('without') };
}

/** What stands between the commas of the outer parentheses. */
function splitItems(tokens: readonly DdlToken[]): readonly (readonly DdlToken[])[] {
  const items: DdlToken[][] = [];
  let depth = 0;
  for (const token of tokens) {
    const mark = token.kind === 'mark' ? token.text : '';
    if (mark === ')') depth--;
    if (depth === 0 && items.length > 0) break;
    if (depth === 1 && mark === ',') items.push([]);
    else if (depth > 0) items.at(-1)?.push(token);
    if (mark === '(') {
      if (depth === 0) items.push([]);
      depth++;
    }
  }
  return items.filter((item) => item.length > 0);
}

class Reader {
  readonly #sql: string;
  readonly #tokens: readonly DdlToken[];
  #at = 0;

  constructor(sql: string, tokens: readonly DdlToken[]) {
    this.#sql = sql;
    this.#tokens = tokens;
  }
  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }
  peek(): DdlToken | undefined {
    return this.#tokens[this.#at];
  }
  next(): DdlToken | undefined {
    return this.#tokens[this.#at++];
  }
  /** The keyword that comes next, lower case; '' where something else does. */
  word(): string {
    const token = this.peek();
    return token?.kind === 'word' ? token.text.toLowerCase() : '';
  }
  isWord(words: ReadonlySet<string>): boolean {
    return words.has(this.word());
  }
  /** Takes the keywords if all of them come next. */
  take(...words: readonly string[]): boolean {
    const from = this.#at;
    for (const word of words) {
      if (this.word() !== word) {
        this.#at = from;
        return false;
      }
      this.#at++;
    }
    return true;
  }
  /** The tokens within the parentheses that come next; undefined where none do. */
  parenthesised(): readonly DdlToken[] | undefined {
    if (this.peek()?.text !== '(') return undefined;
    const from = ++this.#at;
    for (let depth = 1; !this.done; this.#at++) {
      const text = this.peek()?.kind === 'mark' ? this.peek()?.text : '';
      depth += text === '(' ? 1 : text === ')' ? -1 : 0;
      if (depth === 0) break;
    }
    return this.#tokens.slice(from, this.#at++);
  }
  textOf(tokens: readonly DdlToken[]): string {
    return this.#sql.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
  }
  /** The parenthesised expression that comes next, in the reference's normal form. */
  expression(): string {
    const tokens = this.parenthesised() ?? [];
    return normalExpression(this.textOf(tokens));
  }
}

function readColumn(reader: Reader): MutableColumn {
  const name = reader.next();
  const type: string[] = [];
  while (!reader.done && !reader.isWord(COLUMN_CONSTRAINT)) type.push(reader.next()?.text ?? '');
  const constraints: string[] = [];
  let collation: string | undefined;
  while (!reader.done) {
    const named = readName(reader);
    if (reader.take('collate')) {
      const written = reader.next();
      collation = written?.value.toLowerCase();
      constraints.push(`${named}collate ${written?.text ?? ''}`);
    } else {
      const constraint = columnConstraint(reader, type.join(' '));
      if (constraint !== '') constraints.push(named + constraint);
    }
  }
  return {
    name: name?.value ?? '',
    written: name?.text ?? '',
    type: type.join(' ').toLowerCase(),
    constraints,
    collation,
  };
}

function readName(reader: Reader): string {
  return reader.take('constraint') ? `constraint ${reader.next()?.text ?? ''} ` : '';
}

/** One constraint; '' for what is no constraint (`NULL`) or ends too early. */
function columnConstraint(reader: Reader, type: string): string {
  if (reader.take('primary', 'key')) return primaryKey(reader, type);
  if (reader.take('not', 'null')) return `not null${conflict(reader)}`;
  if (reader.take('unique')) return `unique${conflict(reader)}`;
  if (reader.take('check')) return `check(${reader.expression()})`;
  if (reader.take('default')) return `default ${defaultValue(reader)}`;
  if (reader.take('generated', 'always', 'as'))
    return `generated always as(${reader.expression()})${stored(reader)}`;
  if (reader.take('as')) return `as(${reader.expression()})${stored(reader)}`;
  if (reader.word() === 'references') return references(reader, true);
  reader.next();
  return '';
}

/** An INTEGER PRIMARY KEY shows as autoincrement whether or not it says so: rowids of Tableland never come again. */
function primaryKey(reader: Reader, type: string): string {
  const order = reader.take('asc') ? ' asc' : reader.take('desc') ? ' desc' : '';
  const clause = conflict(reader);
  reader.take('autoincrement');
  const auto = type.toLowerCase() === 'integer' && order !== ' desc' ? ' autoincrement' : '';
  return `primary key${order}${clause}${auto}`;
}

function stored(reader: Reader): string {
  if (reader.take('stored')) return 'stored';
  reader.take('virtual');
  return '';
}

function conflict(reader: Reader): string {
  return reader.take('on', 'conflict') ? ` on conflict ${(reader.next()?.text ?? '').toLowerCase()}` : '';
}

function defaultValue(reader: Reader): string {
  if (reader.peek()?.text === '(') return `(${reader.expression()})`;
  let sign = '';
  while (reader.peek()?.text === '-' || reader.peek()?.text === '+')
    if (reader.next()?.text === '-') sign += '-';
  const token = reader.next();
  if (token === undefined) return sign;
  if (token.kind === 'blob') return `${sign}X${token.text.slice(1)}`;
  return sign + (token.kind === 'word' ? token.text.toLowerCase() : token.text);
}

/** REFERENCES and what may follow it; the reference's grammar has none of it. */
function references(reader: Reader, inColumn: boolean): string {
  const parts: string[] = [];
  while (!reader.done) {
    const word = reader.word();
    const goesOn = word === 'references' || word === 'not' || word === 'null' || word === 'default';
    if (parts.length > 0 && inColumn && COLUMN_CONSTRAINT.has(word) && !continues(parts, word, goesOn)) break;
    if (reader.take('not', 'deferrable')) parts.push('not deferrable');
    else if (inColumn && parts.length > 0 && word === 'not') break;
    else parts.push(word === '' ? (reader.next()?.text ?? '') : (reader.next()?.text ?? '').toLowerCase());
  }
  return parts.join(' ').replace(/ ?([(),]) ?/g, '$1');
}

/** `on delete set null`, `on update set default`: keywords of constraints that belong to the action. */
function continues(parts: readonly string[], word: string, goesOn: boolean): boolean {
  return goesOn && (word === 'not' || parts.at(-1) === 'set');
}

function addTableConstraint(reader: Reader, columns: readonly MutableColumn[], constraints: string[]): void {
  const named = readName(reader);
  if (reader.take('primary', 'key')) {
    const keys = indexedColumns(reader.parenthesised() ?? []);
    const clause = conflict(reader);
    const only = keys.length === 1 ? keys[0] : undefined;
    const column = columns.find(({ written }) => written === only?.written);
    // The reference moves the key of a single INTEGER column to the column itself; it compares what is written.
    if (only !== undefined && column?.type === 'integer') {
      const auto = only.order === ' desc' ? '' : ' autoincrement';
      column.constraints.push(`${named}primary key${only.order}${clause}${auto}`);
    } else {
      const list = keys.map((key) => key.written + key.collation + key.order).join(',');
      constraints.push(`${named}primary key(${list})${clause}`);
    }
  } else if (reader.take('unique')) {
    const list = (reader.parenthesised() ?? []).map((token) => token.text).join('');
    constraints.push(`${named}unique(${list})${conflict(reader)}`);
  } else if (reader.take('check')) constraints.push(`${named}check(${reader.expression()})`);
  else if (reader.word() === 'foreign') constraints.push(named + references(reader, false));
  else reader.next();
}

interface IndexedColumn {
  readonly name: string;
  readonly written: string;
  readonly collation: string;
  readonly order: string;
}

function indexedColumns(tokens: readonly DdlToken[]): readonly IndexedColumn[] {
  const columns: IndexedColumn[] = [];
  let from = 0;
  for (let at = 0; at <= tokens.length; at++) {
    if (at < tokens.length && tokens[at]?.text !== ',') continue;
    const part = tokens.slice(from, at);
    from = at + 1;
    const words = part.map((token) => token.text.toLowerCase());
    const collate = words.indexOf('collate', 1);
    columns.push({
      name: part[0]?.value ?? '',
      written: part[0]?.text ?? '',
      collation: collate < 0 ? '' : ` COLLATE ${part[collate + 1]?.text ?? ''}`,
      order: words.includes('desc', 1) ? ' desc' : words.includes('asc', 1) ? ' asc' : '',
    });
  }
  return columns;
}
