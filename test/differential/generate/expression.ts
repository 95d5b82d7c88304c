// Scalar expressions over a scope: well typed most of the time, and ill typed on purpose for the rest.
// Every function and operator of the reference's allow-list occurs.
import fc from 'fast-check';
import {
  blobLiteral,
  globPattern,
  integerLiteral,
  jsonInsertPath,
  jsonPath,
  jsonText,
  likePattern,
  printfFormat,
  realText,
  textLiteral,
} from './literal.ts';
import { columnOf, type Piece, type Scope } from './scope.ts';

const fixed = (text: fc.Arbitrary<string>): fc.Arbitrary<Piece> => text.map((sql) => () => sql);
const word = (...words: string[]): fc.Arbitrary<string> => fc.constantFrom(...words);

/** `template` with each `@` replaced by the next argument. */
function filled(template: string, ...args: fc.Arbitrary<Piece>[]): fc.Arbitrary<Piece> {
  const parts = template.split('@');
  return fc
    .tuple(...args)
    .map((pieces) => (scope) => parts.map((part, i) => part + (pieces[i]?.(scope) ?? '')).join(''));
}
function binary(
  operators: readonly string[],
  left: fc.Arbitrary<Piece>,
  right: fc.Arbitrary<Piece>,
): fc.Arbitrary<Piece> {
  return fc.tuple(word(...operators), left, right, fc.boolean()).map(([operator, l, r, bare]) => (scope) => {
    const sql = `${l(scope)} ${operator} ${r(scope)}`;
    return bare ? sql : `(${sql})`;
  });
}
function call(names: readonly string[], ...args: fc.Arbitrary<Piece>[]): fc.Arbitrary<Piece> {
  return fc.tuple(word(...names), fc.tuple(...args)).map(
    ([name, pieces]) =>
      (scope) =>
        `${name}(${pieces.map((piece) => piece(scope)).join(', ')})`,
  );
}
const list = (item: fc.Arbitrary<Piece>, min: number, max: number): fc.Arbitrary<Piece> =>
  fc
    .array(item, { minLength: min, maxLength: max })
    .map((pieces) => (scope) => pieces.map((piece) => piece(scope)).join(', '));

const integerColumn = columnOf(['integer'], '7');
const textColumn = columnOf(['text', 'json'], "'abc'");
const blobColumn = columnOf(['blob'], "x'6162'");
const anyColumn = columnOf(['integer', 'text', 'blob', 'json'], 'null');
const COLLATIONS = ['nocase', 'rtrim', 'binary'];

interface Kinds {
  readonly integer: Piece;
  readonly text: Piece;
  readonly blob: Piece;
  readonly truth: Piece;
  readonly json: Piece;
  readonly any: Piece;
}

/** Arbitraries of expressions by kind; `depth` is the most levels of operators. */
export function expressions(depth: number): { readonly [K in keyof Kinds]: fc.Arbitrary<Piece> } {
  return fc.letrec<Kinds>((loose) => {
    const tie = (kind: keyof Kinds): fc.Arbitrary<Piece> => loose(kind) as fc.Arbitrary<Piece>;
    const integer = tie('integer');
    const text = tie('text');
    const truth = tie('truth');
    const json = tie('json');
    const any = tie('any');
    const leafOr = (
      leaf: fc.Arbitrary<Piece>,
      rest: readonly fc.WeightedArbitrary<Piece>[],
    ): fc.Arbitrary<Piece> =>
      fc.oneof(
        { maxDepth: depth, depthSize: 'small', withCrossShrink: true },
        { weight: 3, arbitrary: leaf },
        ...rest,
      );
    const w = (weight: number, arbitrary: fc.Arbitrary<Piece>): fc.WeightedArbitrary<Piece> => ({
      weight,
      arbitrary,
    });
    const cases = (value: fc.Arbitrary<Piece>): fc.Arbitrary<Piece> =>
      fc.oneof(
        filled('case when @ then @ else @ end', truth, value, value),
        filled('case @ when @ then @ end', any, any, value),
        filled('case @ when @ then @ else @ end', integer, integer, value, value),
        filled('iif(@, @, @)', truth, value, value),
        filled('coalesce(@, @)', value, value),
        filled('ifnull(@, @)', value, value),
        filled('nullif(@, @)', value, value),
        call(['max', 'min'], value, value),
      );
    return {
      integer: leafOr(fc.oneof(integerColumn, integerColumn, fixed(integerLiteral)), [
        w(4, binary(['+', '-', '*', '/', '%'], integer, integer)),
        w(1, binary(['&', '|', '<<', '>>'], integer, integer)),
        w(1, filled('(-(@))', integer)),
        w(1, filled('~@', fc.oneof(integerColumn, fixed(integerLiteral)))),
        w(1, filled('abs(@ % 1000)', integer)),
        w(1, call(['length', 'unicode'], text)),
        w(1, call(['instr'], text, fixed(textLiteral))),
        w(1, filled('sign(@)', integer)),
        w(1, filled('cast(@ as integer)', any)),
        w(1, cases(integer)),
        w(1, filled('json_array_length(@)', json)),
        w(1, filled('(@)', truth)),
      ]),
      text: leafOr(fc.oneof(textColumn, textColumn, fixed(textLiteral)), [
        w(2, binary(['||'], text, text)),
        w(1, binary(['||'], any, any)),
        w(1, call(['upper', 'lower', 'trim', 'ltrim', 'rtrim'], text)),
        w(1, call(['trim', 'ltrim', 'rtrim'], text, fixed(word("'a'", "' a1'", "'xyz'", "'é'")))),
        w(1, call(['substr', 'substring'], text, integer)),
        w(
          1,
          call(
            ['substr'],
            text,
            fixed(word('1', '2', '0', '-2', '-1')),
            fixed(word('1', '2', '0', '-1', '5')),
          ),
        ),
        w(1, call(['replace'], text, fixed(textLiteral), fixed(textLiteral))),
        w(1, filled('cast(@ as text)', any)),
        w(1, call(['hex', 'quote', 'typeof'], any)),
        w(1, call(['printf', 'format'], fixed(printfFormat), any, any)),
        w(1, call(['char'], fixed(word('65', '97', '233', '128512')))),
        w(1, cases(text)),
        w(1, binary(['->>'], fixed(jsonText), fixed(jsonPath))),
      ]),
      blob: leafOr(fc.oneof(blobColumn, fixed(blobLiteral)), [
        w(1, call(['substr'], blobColumn, fixed(word('1', '2', '-1')))),
        w(1, cases(blobColumn)),
        w(1, filled('cast(@ as none)', any)),
      ]),
      truth: leafOr(binary(['=', '<', '>', '<=', '>=', '!=', '<>', '=='], integer, integer), [
        w(2, binary(['=', '<', '>', '<=', '>=', '!='], text, text)),
        w(3, binary(['=', '<', '>', '<=', '>=', '!=', 'is', 'is not'], any, any)),
        w(2, binary(['and', 'or'], truth, truth)),
        w(1, filled('@ is null', any)),
        w(1, filled('@ isnull', anyColumn)),
        w(1, filled('@ notnull', anyColumn)),
        w(1, filled('@ is not null', any)),
        w(1, filled('@ between @ and @', any, any, any)),
        w(1, filled('@ not between @ and @', integer, integer, integer)),
        w(1, filled('@ in (@)', any, list(any, 0, 4))),
        w(1, filled('@ not in (@)', integer, list(integer, 1, 4))),
        w(1, filled('@ like @', text, fixed(likePattern))),
        w(1, filled('@ not like @', any, fixed(likePattern))),
        w(1, filled("@ like @ escape '#'", text, fixed(likePattern))),
        w(1, filled('@ glob @', text, fixed(globPattern))),
        w(1, filled('@ not glob @', any, fixed(globPattern))),
        w(1, call(['like', 'glob'], fixed(likePattern), text)),
        w(1, call(['json_valid'], any)),
        w(1, filled('@ is true', any)),
        w(1, filled('@ is not false', any)),
        w(
          1,
          fc.tuple(word(...COLLATIONS), text, text).map(
            ([c, l, r]) =>
              (s) =>
                `${l(s)} = ${r(s)} collate ${c}`,
          ),
        ),
        w(
          1,
          fc.tuple(word(...COLLATIONS), textColumn, text).map(
            ([c, l, r]) =>
              (s) =>
                `${l(s)} collate ${c} < ${r(s)}`,
          ),
        ),
      ]),
      json: leafOr(fixed(jsonText), [
        w(
          1,
          textColumn.map(
            (piece) => (s: Scope) => `case when json_valid(${piece(s)}) then json(${piece(s)}) end`,
          ),
        ),
        w(1, filled('json_array(@)', list(fc.oneof(integer, text, json), 0, 3))),
        w(
          1,
          filled("json_object('k', @, 'v', @)", fc.oneof(integer, text, json), fc.oneof(integer, text, json)),
        ),
        w(
          1,
          call(
            ['json_insert', 'json_set', 'json_replace'],
            json,
            fixed(jsonInsertPath),
            fc.oneof(integer, text, json),
          ),
        ),
        w(1, call(['json_remove'], json, fixed(jsonPath))),
        w(1, call(['json_patch'], json, json)),
        w(1, filled('json(@)', fixed(jsonText))),
        w(1, filled('json_quote(@)', fc.oneof(integer, text, json))),
        w(1, binary(['->'], fixed(jsonText), fixed(jsonPath))),
      ]),
      any: leafOr(
        fc.oneof(anyColumn, fixed(integerLiteral), fixed(textLiteral), fixed(fc.constant('null'))),
        [
          w(2, integer),
          w(2, text),
          w(1, tie('blob')),
          w(1, truth),
          w(1, json),
          w(2, binary(['+', '-', '*', '/', '%'], any, any)),
          w(1, binary(['&', '|', '<<', '>>'], any, any)),
          w(1, binary(['+', '-', '*', '/'], any, fixed(realText))),
          w(1, filled('(-(@))', any)),
          w(1, filled('abs(@ / 10)', any)),
          w(1, filled('+@', anyColumn)),
          w(1, filled('round(@)', fc.oneof(fixed(realText), integer))),
          w(1, call(['round'], fc.oneof(fixed(realText), any), fixed(word('0', '1', '2')))),
          w(1, call(['json_extract'], fc.oneof(json, fixed(jsonText)), fixed(jsonPath))),
          w(1, call(['json_extract'], fixed(jsonText), fixed(jsonPath), fixed(jsonPath))),
          w(1, call(['json_type'], fixed(jsonText), fixed(jsonPath))),
          w(1, binary(['->', '->>'], fixed(jsonText), fixed(jsonPath))),
          w(1, cases(any)),
          w(1, call(['length', 'upper', 'trim', 'unicode', 'sign', 'lower', 'ltrim', 'typeof'], any)),
          w(1, call(['max', 'min'], any, any)),
          w(1, call(['max', 'min', 'coalesce'], any, any, any)),
          w(1, call(['instr', 'replace'].slice(0, 1), any, any)),
          w(1, call(['substr'], any, fixed(word('1', '2', '-1')), fixed(word('1', '2')))),
        ],
      ),
    };
  });
}
