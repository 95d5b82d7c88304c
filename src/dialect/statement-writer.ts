// Writes a statement in the reference's normal form for SQLite to run: what the validator's version reads or writes in
// another way is written so that this one does so, too.
import type { Expression } from './ast.ts';
import { mayBeBlob } from './blobs.ts';
import { writeAsText, writeExpression } from './canonical-text.ts';
import { CanonicalWriter, type Operand } from './canonical-writer.ts';
import type { Slot } from './plan.ts';
import type { Seek } from './seeks.ts';
import { identifier } from './value.ts';

/** A look-up in place of a scan: text before and after the value that is looked for. */
export interface UsedSeek {
  readonly seek: Seek;
  /** @param called the table, as the statement may call it */
  readonly before: (called: string) => string;
  readonly after: string;
}

function isSignedLiteral(expression: Expression): boolean {
  return expression.type === 'unary' && expression.operator !== 'not'
    ? isSignedLiteral(expression.operand)
    : expression.type === 'literal';
}

export class StatementWriter extends CanonicalWriter {
  override readonly runs = true;
  readonly #bound: ReadonlySet<Expression>;
  readonly #isBlob: (column: string) => boolean;
  readonly #realTexts: ReadonlySet<Expression>;
  readonly #uses: readonly UsedSeek[];

  /** @param realTexts see real-texts.ts */
  constructor(
    bound: ReadonlySet<Expression>,
    isBlob: (column: string) => boolean,
    realTexts: ReadonlySet<Expression>,
    uses: readonly UsedSeek[],
  ) {
    super();
    this.#bound = bound;
    this.#isBlob = isBlob;
    this.#realTexts = realTexts;
    this.#uses = uses;
  }

  override guard(place: Expression): boolean {
    const uses = this.#uses.filter(({ seek }) => seek.place === place);
    for (const { seek, before, after } of uses) {
      writeExpression(this.atom(before(identifier(seek.called))), seek.value);
      this.mark(after).word('and');
    }
    return uses.length > 0;
  }

  /**
   * Paths as 3.39 reads them; blobs are matched as texts, which this SQLite is built without; and a literal is never known
   * not to be NULL, since 3.53 makes a number of `'a' is null`, which in ORDER BY and GROUP BY is that of a column. Places
   * in a text are of 32 bits, as in 3.39, and reals become texts of 15 digits.
   */
  override operand(of: Operand, expression: Expression): (() => void) | undefined {
    const write = this.#instead(of, expression);
    if (write !== undefined) this.changes += 1;
    return write;
  }

  #instead(of: Operand, expression: Expression): (() => void) | undefined {
    switch (of) {
      case 'is null':
        if (!isSignedLiteral(expression)) return undefined;
        return () => {
          writeExpression(this, expression);
          this.word('collate').atom('binary');
        };
      case 'place':
        return () => {
          writeExpression(this.mark('('), expression);
          this.mark(')<<32>>32');
        };
      case '->':
        if (expression.type !== 'literal' || expression.kind !== 'text') return undefined;
        return () => this.atom({ index: expression.index, as: 'path' });
      case 'like':
        if (mayBeBlob(expression, this.#isBlob)) return () => writeAsText(this, expression);
        return this.#realText(expression, false);
      case 'text':
        return this.#realText(expression, false);
      case 'json':
        return this.#realText(expression, true);
    }
  }

  /** A real with 15 digits; integers, texts and NULL stay what they are. */
  #realText(expression: Expression, isJson: boolean): (() => void) | undefined {
    if (!this.#realTexts.has(expression)) return undefined;
    const [before, after] = isJson ? ['json(', ')'] : ['', ''];
    return () => {
      writeExpression(this.atom('iif').mark('(typeof('), expression);
      writeExpression(this.mark(`)='real',${before}printf('%!.15g',`), expression);
      writeExpression(this.mark(`)${after},`), expression);
      this.mark(')');
    };
  }

  override literal(expression: Extract<Expression, { readonly type: 'literal' }>): this {
    const as: Slot['as'] = this.#bound.has(expression) ? 'bind' : 'name';
    return this.atom({ index: expression.index, as });
  }
}
