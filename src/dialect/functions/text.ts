// Core scalar functions on texts and blobs (lang_corefunc.html). ASCII only where SQLite is.
import type { Context } from '../context.ts';
import { asciiLower, asciiUpper } from '../operators/collation.ts';
import { computed, integerConstant, nullOf } from '../operators/computed.ts';
import { knowsBytes, toAny, toBlob, toInteger, toText, untilNul, withBytes } from '../operators/convert.ts';
import { canFail } from '../operators/logic.ts';
import { match } from '../operators/match.ts';
import { join, sql, type Value } from '../value.ts';
import type { ScalarFunctions } from './scalar-function.ts';

const MANY = 127;
/** SQLITE_LIMIT_LENGTH, which substr() without a length takes for it. */
const MAX_LENGTH = 1_000_000_000;
/** Bytes that replace() can make of one text at most, for the engine's own to be called. */
const MAX_PLAIN_REPLACE = 100_000;
const anyNull = (args: readonly Value[]): boolean => args.some((x) => x.kind === 'null');
const allGiven = (args: readonly Value[]): boolean => args.every((x) => x.notNull);

function hex(x: Value, ctx: Context): Value {
  if (x.kind === 'null') return computed('text', ["''"], true);
  const y = x.kind === 'blob' || knowsBytes(x) ? toBlob(x) : x.kind === 'any' ? undefined : toText(x);
  // hex(NULL) is an empty text.
  const text = y === undefined ? sql`tg_hex(${toAny(x, ctx).sql})` : sql`hex(${y.sql})`;
  return computed('text', x.notNull ? text : sql`COALESCE(${text}, '')`, true);
}

function instr(args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('integer');
  const [x, y] = args as [Value, Value];
  const notNull = allGiven(args);
  if (x.kind === 'any' || y.kind === 'any')
    return computed('integer', sql`tg_instr(${toAny(x, ctx).sql}, ${toAny(y, ctx).sql})`, notNull);
  if (x.kind === 'blob' && y.kind === 'blob')
    return computed('integer', sql`tg_instr_blob(${x.sql}, ${y.sql})`, notNull);
  const [text, part] = [toText(x), toText(y)];
  return ctx.once([part], ([p]) =>
    computed(
      'integer',
      // The engine gives 0 for an empty text that is looked for in an empty one.
      sql`CASE WHEN ${p!.sql} = '' AND ${text.sql} IS NOT NULL THEN 1 ELSE instr(${text.sql}, ${p!.sql}) END`,
      notNull,
    ),
  );
}

function length(x: Value, ctx: Context): Value {
  switch (x.kind) {
    case 'null':
      return nullOf('integer');
    case 'any':
      return computed('integer', sql`tg_length(${x.sql})`, x.notNull);
    case 'blob':
      return computed('integer', sql`octet_length(${x.sql})`, x.notNull);
    case 'text':
      if (canFail(x.sql)) return computed('integer', sql`tg_length_text(${x.sql})`, x.notNull);
      // Characters before the first NUL (lang_corefunc.html#length).
      return ctx.once([x], ([y]) =>
        computed(
          'integer',
          sql`CASE WHEN contains(${y!.sql}, chr(0)) THEN instr(${y!.sql}, chr(0)) - 1 ELSE length(${y!.sql}) END`,
          x.notNull,
        ),
      );
    case 'integer':
    case 'real':
    case 'boolean':
      return computed('integer', sql`length(${toText(x).sql})`, x.notNull);
  }
}

function substr(args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('null');
  const [x, y, z] = args as [Value, Value, Value | undefined];
  const start = toInteger(y);
  const count = z === undefined ? integerConstant(MAX_LENGTH) : toInteger(z);
  const notNull = allGiven(args);
  if (x.kind === 'any') return computed('any', sql`tg_substr(${x.sql}, ${start.sql}, ${count.sql})`);
  if (x.kind === 'blob') return computed('blob', sql`tg_substr_blob(${x.sql}, ${start.sql}, ${count.sql})`);
  const given = toText(x);
  if (canFail(given.sql))
    return computed('text', sql`tg_substr_text(${given.sql}, ${start.sql}, ${count.sql})`, notNull);
  return ctx.once([given, start, count], ([text, first, size]) =>
    computed(
      'text',
      // From the start forwards the engine does the same; with literals it sees at once that this is so.
      sql`CASE WHEN ${first!.sql} BETWEEN 1 AND 2147483647 AND ${size!.sql} BETWEEN 0 AND 2147483647 AND NOT contains(${text!.sql}, chr(0)) THEN substring(${text!.sql}, ${first!.sql}, ${size!.sql}) ELSE tg_substr_text(${text!.sql}, ${first!.sql}, ${size!.sql}) END`,
      notNull,
    ),
  );
}

function replace(args: readonly Value[], ctx: Context): Value {
  const [x, from, to] = args as [Value, Value, Value];
  if (x.kind === 'null' || from.kind === 'null') return nullOf('null');
  if (x.kind !== 'text' || from.kind !== 'text' || to.kind !== 'text')
    return computed(
      'any',
      sql`tg_replace(${join(
        args.map((a) => toAny(a, ctx).sql),
        ', ',
      )})`,
    );
  return ctx.once([x, from, to], ([text, pattern, by]) =>
    computed(
      'text',
      // What could grow beyond measure goes where it is measured first: the engine's own is not.
      sql`CASE WHEN ${pattern!.sql} = '' OR starts_with(${pattern!.sql}, chr(0)) THEN ${text!.sql} WHEN strlen(${text!.sql}) * (strlen(${by!.sql}) + 1) <= ${MAX_PLAIN_REPLACE} THEN replace(${text!.sql}, ${pattern!.sql}, ${by!.sql}) WHEN ${text!.sql} IS NOT NULL AND ${pattern!.sql} IS NOT NULL AND ${by!.sql} IS NOT NULL THEN union_extract(tg_replace(${toAny({ ...text!, notNull: true }, ctx).sql}, ${toAny({ ...pattern!, notNull: true }, ctx).sql}, ${toAny({ ...by!, notNull: true }, ctx).sql}), 't') END`,
      allGiven(args),
    ),
  );
}

function trim(name: 'trim' | 'ltrim' | 'rtrim', args: readonly Value[], ctx: Context): Value {
  if (anyNull(args)) return nullOf('text');
  const [x, characters] = args as [Value, Value | undefined];
  // Without characters: spaces only, where the engine takes all white space.
  const set = characters === undefined ? ["' '"] : untilNul(toText(characters), ctx).sql;
  return computed('text', sql`${name}(${toText(x).sql}, ${set})`, allGiven(args));
}

const cased =
  (fold: typeof asciiLower) =>
  (args: readonly Value[], ctx: Context): Value => {
    const x = args[0]!;
    return x.kind === 'null' ? nullOf('text') : computed('text', fold(toText(x), ctx).sql, x.notNull);
  };

function printf(args: readonly Value[], ctx: Context): Value {
  const [format, ...values] = args;
  if (format === undefined || format.kind === 'null') return nullOf('text');
  const list = [toText(format).sql, ...values.map((x) => toAny(x, ctx).sql)];
  return computed('text', sql`tg_printf(${join(list, ', ')})`);
}

export const TEXT: ScalarFunctions = {
  format: { min: 0, max: MANY, rule: printf },
  printf: { min: 0, max: MANY, rule: printf },
  char: {
    min: 0,
    max: MANY,
    rule: (args) => {
      const codes = join(
        args.map((x) => toInteger(x).sql),
        ', ',
      );
      return withBytes(computed('text', sql`tg_char(${codes})`, true), sql`tg_char_bytes(${codes})`);
    },
  },
  concat: {
    min: 1,
    max: MANY,
    // NULLs are left out (lang_corefunc.html#concat).
    rule: (args) =>
      computed(
        'text',
        sql`concat(${join(
          args.map((x) => toText(x).sql),
          ', ',
        )})`,
        true,
      ),
  },
  concat_ws: {
    min: 2,
    max: MANY,
    rule: (args) =>
      args[0]!.kind === 'null'
        ? nullOf('text')
        : computed(
            'text',
            sql`concat_ws(${join(
              args.map((x) => toText(x).sql),
              ', ',
            )})`,
            args[0]!.notNull,
          ),
  },
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
  octet_length: {
    min: 1,
    max: 1,
    rule: ([x]) =>
      x!.kind === 'null'
        ? nullOf('integer')
        : computed('integer', sql`octet_length(${toBlob(x!).sql})`, x!.notNull),
  },
  replace: { min: 3, max: 3, rule: replace },
  soundex: { min: 1, max: 1, rule: ([x]) => computed('text', sql`tg_soundex(${toText(x!).sql})`, true) },
  substr: { min: 2, max: 3, rule: substr },
  substring: { min: 2, max: 3, rule: substr },
  // The characters of Y may stand between pairs of digits (lang_corefunc.html#unhex).
  unhex: {
    min: 1,
    max: 2,
    rule: ([x, y]) =>
      anyNull(y === undefined ? [x!] : [x!, y])
        ? nullOf('blob')
        : computed('blob', sql`tg_unhex(${toText(x!).sql}, ${y === undefined ? ["''"] : toText(y).sql})`),
  },
  unistr: {
    min: 1,
    max: 1,
    rule: ([x]) =>
      x!.kind === 'null' ? nullOf('text') : computed('text', sql`tg_unistr(${toText(x!).sql})`),
  },
  zeroblob: {
    min: 1,
    max: 1,
    // A NULL counts as 0 (lang_corefunc.html#zeroblob).
    rule: ([x]) => computed('blob', sql`tg_zeroblob(COALESCE(${toInteger(x!).sql}, 0))`, true),
  },
  unicode: {
    min: 1,
    max: 1,
    rule: ([x]) =>
      x!.kind === 'null' ? nullOf('integer') : computed('integer', sql`tg_unicode(${toText(x!).sql})`),
  },
};
