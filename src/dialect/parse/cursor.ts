// Where the parser stands in a statement, and how it says what it does not understand. Knows tokens, not
// grammar; the two ends of the grammar's one circle (expressions hold selects) meet here as functions.
import { type ErrorCode, GatewayError } from '../../base/errors.ts';
import type { Literal } from '../../wire/protocol.ts';
import type { Expression, Name, Select } from '../ast.ts';
import { splitShape, type Token, tokenName } from './tokens.ts';
import { JOIN_WORDS, RESERVED } from './words.ts';

export interface Grammar {
  readonly expression: (cursor: Cursor) => Expression;
  readonly select: (cursor: Cursor) => Select;
}

/**
 * Levels of parentheses, calls, CASE, prefix operators and selects inside one another. The parser recurses
 * some four small frames a level; SQLite's own parser stack ends at about 100 (limits.html, section 5 allows
 * expressions 1,000 high).
 */
const MAX_NESTING = 200;
/** Selects inside selects: planners grow with the square of this or worse. */
const MAX_SELECT_NESTING = 24;
/**
 * Subqueries that are values, EXISTS or IN inside one another: the engine's planner takes twice as long for each
 * (measured: 20 ms for 12, 1 s for 18, and 22 cannot be stopped).
 */
const MAX_VALUE_NESTING = 12;

const AFTER_NOT: ReadonlySet<string> = new Set('null in like glob regexp match between exists'.split(' '));

const END: Token = { kind: 'end', text: '', key: '', literal: -1 };

export class Cursor {
  readonly grammar: Grammar;
  readonly literals: readonly Literal[];
  /** Literals that were read as names: 'x' in `select a as 'x'`. */
  readonly pins: number[] = [];
  readonly #tokens: readonly Token[];
  #at = 0;
  #nesting = 0;
  #selects = 0;
  #values = 0;

  constructor(shape: string, literals: readonly Literal[], grammar: Grammar) {
    this.#tokens = splitShape(shape);
    this.literals = literals;
    this.grammar = grammar;
  }

  get token(): Token {
    return this.#tokens[this.#at] ?? END;
  }
  /** The token `ahead` places further. */
  peek(ahead: number): Token {
    return this.#tokens[this.#at + ahead] ?? END;
  }
  next(): Token {
    const token = this.token;
    this.#at++;
    return token;
  }

  /** Whether the keywords or operators stand here, one after the other. */
  at(...keys: readonly string[]): boolean {
    return keys.every((key, i) => this.peek(i).key === key);
  }
  /** Steps over the keywords or operators if all of them stand here. */
  take(...keys: readonly string[]): boolean {
    if (!this.at(...keys)) return false;
    this.#at += keys.length;
    return true;
  }
  expect(key: string): void {
    if (!this.take(key)) throw this.unexpected(`expected ${key.length > 1 ? key.toUpperCase() : `"${key}"`}`);
  }

  /** Whether a name can start `ahead` places further (SQLite's `nm`, without texts). */
  isName(ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === 'quoted' || (token.kind === 'word' && !RESERVED.has(token.key));
  }
  /** Whether an alias without AS, a type or a collation can start here (SQLite's `ids`). */
  isAlias(): boolean {
    const { key } = this.token;
    return (this.isName() && !JOIN_WORDS.has(key) && key !== 'indexed') || this.isText();
  }
  /** A text in the statement, which can stand for a name; what is bound to a `?` cannot. */
  isText(ahead = 0): boolean {
    const { text, literal } = this.peek(ahead);
    return text === '?t' && this.literals[literal]?.param !== true;
  }
  /** A name; SQLite takes a text for one too, where only a name can stand. */
  name(what: string): Name {
    if (this.isText()) {
      const { literal } = this.next();
      this.pins.push(literal);
      return { text: this.literals[literal]?.text ?? '', quote: "'" };
    }
    if (!this.isName()) throw this.unexpected(`expected ${what}`);
    return tokenName(this.next());
  }

  /** Items of a list with commas between them. */
  list<T>(item: () => T): readonly T[] {
    const items = [item()];
    while (this.take(',')) items.push(item());
    return items;
  }

  nested<T>(parse: () => T): T {
    if (++this.#nesting > MAX_NESTING)
      throw tooComplex(`The statement is nested deeper than ${MAX_NESTING} levels.`);
    const result = parse();
    this.#nesting--;
    return result;
  }
  nestedSelect<T>(parse: () => T): T {
    if (++this.#selects > MAX_SELECT_NESTING)
      throw tooComplex(`SELECTs are nested deeper than ${MAX_SELECT_NESTING} levels.`);
    const result = this.nested(parse);
    this.#selects--;
    return result;
  }

  /** Of a subquery in an expression. */
  nestedValue<T>(parse: () => T): T {
    if (++this.#values > MAX_VALUE_NESTING)
      throw tooComplex(`Subqueries in expressions are nested deeper than ${MAX_VALUE_NESTING} levels.`);
    const result = this.nestedSelect(parse);
    this.#values--;
    return result;
  }

  /**
   * An error at the token that stands here. The message has the words around it, for those who have only the shape;
   * who has the statement's text says it as the reference does.
   * @param why what was expected: the client's hint
   * @param at how many places further the token is
   */
  unexpected(why = '', code: ErrorCode = 'statement-syntax', at = 0): GatewayError {
    const token = Math.min(this.#at + at + this.#halfTaken(), this.#tokens.length);
    const before = this.#tokens.slice(Math.max(0, token - 3), token).map((t) => this.#source(t));
    const found = this.#tokens[token];
    const near = found === undefined ? 'at the end' : `near ${JSON.stringify(this.#source(found))}`;
    const after = before.length === 0 ? '' : ` after ${JSON.stringify(before.join(' '))}`;
    return new GatewayError(code, `Syntax error ${near}${after}${why === '' ? '' : `: ${why}`}.`, {
      hint: why === '' ? undefined : `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
      token,
    });
  }
  /** Of words that come in pairs, which are taken together here, the reference takes the first one alone. */
  #halfTaken(): number {
    const { key } = this.token;
    if (key === 'group' || key === 'order') return this.peek(1).key === 'by' ? 0 : 1;
    return key === 'not' && !AFTER_NOT.has(this.peek(1).key) ? 1 : 0;
  }
  error(code: ErrorCode, message: string): GatewayError {
    return new GatewayError(code, message);
  }

  /** A token as the client wrote it, cut where it is long. */
  #source(token: Token): string {
    const literal = this.literals[token.literal];
    const text =
      literal === undefined
        ? token.text
        : literal.kind === 'text'
          ? `'${literal.text}'`
          : literal.kind === 'blob'
            ? `x'${literal.text}'`
            : literal.text;
    return text.length > 40 ? `${text.slice(0, 40).toWellFormed()}...` : text;
  }
}

export function tooComplex(message: string): GatewayError {
  return new GatewayError('statement-too-complex', message);
}
