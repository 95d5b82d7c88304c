// Core scalar functions on texts and blobs (lang_corefunc.html). ASCII only where SQLite is.
import type { Context } from '../context.ts';
import { both, type Known } from '../facts.ts';
import { NotNative } from '../not-native.ts';
import { asciiLower, asciiUpper } from '../operators/collation.ts';
import { computed, integerConstant, nullOf } from '../operators/computed.ts';
import { toInteger, toText, withoutNul } from '../operators/convert.ts';
import { known } from '../operators/known.ts';
import { pinnedText } from '../operators/literal.ts';
import { match } from '../operators/match.ts';
import type { Template } from '../plan.ts';
import { join, type Pin, sql, type Value } from '../value.ts';
import { printf } from './printf.ts';
import type { ScalarFunctions } from './scalar-function.ts';

const MANY = 127;
/** Longer than any text is: what substr() without a length takes for it. */
const MAX_LENGTH = 1_000_000_000;
/** Bytes that replace() may make of one text. */
const MAX_REPLACED = 100_000;
const anyNull = (args: readonly Value[]): boolean => args.some((x) => x.kind === 'null');
const allGiven = (args: readonly Value[]): boolean => args.every((x) => x.notNull);

/** A text whose characters are all among those of another. */
function part(of: Value, text: Template, notNull: boolean): Value {
  const facts = (ctx: Pin): Known => {
    const { dates: _, json: __, min: ___, max: ____, ...facts } = known(of, ctx);
    return facts;
  };
  return { ...computed('text', text, notNull), known: facts };
}

function hex(x: Value, { engine }: Context): Value {
  if (x.kind === 'null') return computed('text', ["''"], true);
  const text = engine.hex(x.kind === 'blob' ? x.sql : toText(x).sql, x.kind);
  // hex(NULL) is an empty text.
  const whole = x.notNull ? text : sql`COALESCE(${text}, '')`;
  return { ...computed('text', whole, true), known: () => ({ ascii: true, noNul: true }) };
}

function instr(args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('integer');
  const [text, sought] = args.map(toText) as [Value, Value];
  const literal = pinnedText(sought, ctx);
  const answer = (found: Template): Value => computed('integer', found, allGiven(args));
  if (literal !== undefined && literal !== '') return answer(ctx.engine.position(text.sql, sought.sql));
  // The engine gives 0 for an empty text that is looked for in an empty one.
  return ctx.once([sought], ([p]) =>
    answer(
      sql`CASE WHEN ${p!.sql} = '' AND ${text.sql} IS NOT NULL THEN 1 ELSE ${ctx.engine.position(text.sql, p!.sql)} END`,
    ),
  );
}

function length(x: Value, ctx: Context): Value {
  if (x.kind === 'null') return nullOf('integer');
  const text =
    x.kind === 'blob' ? ctx.engine.blobBytes(x.sql) : sql`length(${withoutNul(x, 'length', ctx).sql})`;
  return computed('integer', text, x.notNull);
}

function substr(args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('null');
  const [x, y, z] = args as [Value, Value, Value | undefined];
  const text = withoutNul(x, 'substr', ctx);
  const start = toInteger(y, ctx);
  const count = z === undefined ? integerConstant(MAX_LENGTH) : toInteger(z, ctx);
  const notNull = allGiven(args);
  const [from, size] = [known(start, ctx), known(count, ctx)];
  const isShort = (f: Known): boolean => f.max !== undefined && f.max <= BigInt(MAX_LENGTH);
  if (isShort(from) && isShort(size) && (size.min ?? -1n) >= 0n) {
    if ((from.min ?? 0n) >= 1n)
      return part(text, sql`substring(${text.sql}, ${start.sql}, ${count.sql})`, notNull);
    if (from.min === from.max && from.min !== undefined)
      return part(text, fromEnd(text, Number(from.min), z === undefined ? undefined : count, ctx), notNull);
  }
  // From the start forwards the engine does the same.
  return ctx.once([text, start, count], ([t, first, many]) =>
    part(
      text,
      sql`CASE WHEN ${first!.sql} BETWEEN 1 AND ${MAX_LENGTH} AND ${many!.sql} BETWEEN 0 AND ${MAX_LENGTH} THEN substring(${t!.sql}, ${first!.sql}, ${many!.sql}) WHEN ${t!.sql} IS NOT NULL AND ${first!.sql} IS NOT NULL AND ${many!.sql} IS NOT NULL THEN ${ctx.engine.failing('VARCHAR')} END`,
      notNull,
    ),
  );
}

/** From place 0, which is before the first character, or so many characters before the end. */
function fromEnd(
  { sql: text }: Value,
  start: number,
  count: Value | undefined,
  { engine }: Context,
): Template {
  if (start === 0)
    return count === undefined ? text : sql`substring(${text}, 1, greatest(${count.sql} - 1, 0))`;
  const back = -start;
  if (back > MAX_LENGTH) throw new NotNative('substr from so far before the end');
  if (count === undefined) return engine.right(text, back);
  // What would lie before the first character counts.
  const missing = sql`greatest(${back} - length(${text}), 0)`;
  return sql`substring(${engine.right(text, back)}, 1, greatest(${count.sql} - ${missing}, 0))`;
}

function replace(args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('null');
  const [x, from, to] = args.map(toText) as [Value, Value, Value];
  const sought = pinnedText(from, ctx);
  if (sought === undefined || sought.includes('\0')) throw new NotNative('replace of what is no literal');
  if (sought === '') return to.notNull ? x : nullOf('null');
  const by = known(to, ctx);
  const most = known(x, ctx).maxCharacters;
  const text = sql`replace(${x.sql}, ${from.sql}, ${to.sql})`;
  const made = (whole: Template): Value => {
    const facts = (pin: Pin): Known => {
      const [a, b] = [known(x, pin), known(to, pin)];
      return { ...both('ascii', a, b), ...both('noNul', a, b) };
    };
    return { ...computed('text', whole, allGiven(args)), known: facts };
  };
  if (
    most !== undefined &&
    by.maxCharacters !== undefined &&
    most * 4 * (by.maxCharacters * 4 + 1) <= MAX_REPLACED
  )
    return made(text);
  // What could grow beyond measure is not the engine's to make.
  return ctx.once([x, to], ([t, b]) =>
    made(
      sql`CASE WHEN ${ctx.engine.textBytes(t!.sql)} * (${ctx.engine.textBytes(b!.sql)} + 1) <= ${MAX_REPLACED} THEN replace(${t!.sql}, ${from.sql}, ${b!.sql}) WHEN ${t!.sql} IS NOT NULL AND ${b!.sql} IS NOT NULL THEN ${ctx.engine.failing('VARCHAR')} END`,
    ),
  );
}

function trim(name: 'trim' | 'ltrim' | 'rtrim', args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('text');
  const [given, characters] = args as [Value, Value | undefined];
  const x = toText(given);
  // Without characters: spaces only, where the engine takes all white space.
  const set = characters === undefined ? ["' '"] : withoutNul(characters, name, ctx).sql;
  return part(x, ctx.engine.trimmed(name, x.sql, set), allGiven(args));
}

const cased =
  (fold: typeof asciiLower) =>
  (args: readonly Value[], ctx: Context): Value => {
    const x = args[0]!;
    if (x.kind === 'null') return nullOf('text');
    const text = toText(x);
    const made = fold(text, ctx);
    return part(made, made.sql, x.notNull);
  };

function unicode(x: Value, ctx: Context): Value {
  if (x.kind === 'null') return nullOf('integer');
  return ctx.once([withoutNul(x, 'unicode', ctx)], ([text]) =>
    computed('integer', sql`CASE WHEN ${text!.sql} <> '' THEN ${ctx.engine.codePoint(text!.sql)} END`),
  );
}

const octetLength = (x: Value, { engine }: Context): Value =>
  x.kind === 'null'
    ? nullOf('integer')
    : computed(
        'integer',
        x.kind === 'blob' ? engine.blobBytes(x.sql) : sql`CAST(${engine.textBytes(toText(x).sql)} AS BIGINT)`,
        x.notNull,
      );

/** NULLs are left out (lang_corefunc.html#concat). */
function concat(args: readonly Value[], { engine }: Context): Value {
  return computed('text', engine.concat(args.map((x) => toText(x).sql)), true);
}

function concatWithSeparator(args: readonly Value[]): Value {
  const [separator] = args as readonly [Value, ...Value[]];
  if (separator.kind === 'null') return nullOf('text');
  const texts = args.map((x) => toText(x).sql);
  return computed('text', sql`concat_ws(${join(texts, ', ')})`, separator.notNull);
}

export const TEXT: ScalarFunctions = {
  format: { min: 1, max: MANY, rule: printf },
  printf: { min: 1, max: MANY, rule: printf },
  concat: { min: 1, max: MANY, rule: concat },
  concat_ws: { min: 2, max: MANY, rule: concatWithSeparator },
  // The functions take the pattern first (lang_corefunc.html#like).
  glob: { min: 2, max: 2, rule: ([p, x], ctx) => match('glob', x!, p!, undefined, ctx) },
  like: { min: 2, max: 3, rule: ([p, x, mark], ctx) => match('like', x!, p!, mark, ctx) },
  hex: { min: 1, max: 1, rule: ([x], ctx) => hex(x!, ctx) },
  instr: { min: 2, max: 2, rule: instr },
  length: { min: 1, max: 1, rule: ([x], ctx) => length(x!, ctx) },
  lower: { min: 1, max: 1, rule: cased(asciiLower) },
  upper: { min: 1, max: 1, rule: cased(asciiUpper) },
  ltrim: { min: 1, max: 2, rule: (args, ctx) => trim('ltrim', args, ctx) },
  rtrim: { min: 1, max: 2, rule: (args, ctx) => trim('rtrim', args, ctx) },
  trim: { min: 1, max: 2, rule: (args, ctx) => trim('trim', args, ctx) },
  octet_length: { min: 1, max: 1, rule: ([x], ctx) => octetLength(x!, ctx) },
  replace: { min: 3, max: 3, rule: replace },
  substr: { min: 2, max: 3, rule: substr },
  substring: { min: 2, max: 3, rule: substr },
  unicode: { min: 1, max: 1, rule: ([x], ctx) => unicode(x!, ctx) },
};
