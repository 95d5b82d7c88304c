// The core functions in JavaScript, by the names under which the SQL calls them.
import type { Collation } from '../../value.ts';
import { soundex, unhex, unistr, zeroBlob } from './codes.ts';
import type { EngineFunction } from './engine-function.ts';
import { applyNumeric, type SqlValue, toReal } from './number-text.ts';
import { extreme } from './order.ts';
import { printf } from './printf.ts';
import { repeatedSum } from './repeated-sum.ts';
import { roundTo } from './round.ts';
import {
  abs,
  char,
  charBytes,
  hexAny,
  instrAny,
  instrBlob,
  lengthAny,
  quote,
  replaceAny,
  substrAny,
  substrBlob,
  substrText,
  unicode,
} from './text.ts';

type Given = Exclude<SqlValue, null>;
const strict = { takesNull: false } as const;
const nullable = { takesNull: true } as const;

/** sqlite3_value_numeric_type: a number, or a text that is one through and through. */
function number(value: Given): bigint | number | null {
  const given = applyNumeric(value);
  return typeof given === 'bigint' || typeof given === 'number' ? given : null;
}

/** ceil, floor and trunc keep integers. */
const rounding =
  (round: (x: number) => number) =>
  (value: Given): bigint | number | null => {
    const given = number(value);
    return typeof given === 'number' ? round(given) : given;
  };

function sign(value: Given): bigint | null {
  const given = number(value);
  if (given === null) return null;
  const real = toReal(given);
  return real < 0 ? -1n : real > 0 ? 1n : 0n;
}

export const CORE_FUNCTIONS: readonly EngineFunction[] = [
  {
    ...strict,
    name: 'tg_number_real',
    args: ['any'],
    returns: 'real',
    run: (value: Given) => {
      const given = number(value);
      return given === null ? null : toReal(given);
    },
  },
  // fmod() of C, which the engine's own is not for numbers of different signs.
  {
    ...strict,
    name: 'tg_remainder',
    args: ['real', 'real'],
    returns: 'real',
    run: (x: number, y: number) => x % y,
  },
  {
    ...strict,
    name: 'tg_repeated_sum',
    args: ['real', 'integer'],
    returns: 'real',
    run: (x: number, count: bigint) => (count === 0n ? null : repeatedSum(x, Number(count))),
  },
  { ...strict, name: 'tg_ceil', args: ['any'], returns: 'any', run: rounding(Math.ceil) },
  { ...strict, name: 'tg_floor', args: ['any'], returns: 'any', run: rounding(Math.floor) },
  { ...strict, name: 'tg_trunc', args: ['any'], returns: 'any', run: rounding(Math.trunc) },
  { ...nullable, name: 'tg_printf', args: ['text'], rest: 'any', returns: 'text', run: printf },
  { ...strict, name: 'tg_abs', args: ['any'], returns: 'any', run: abs },
  { ...nullable, name: 'tg_char', args: [], rest: 'integer', returns: 'text', run: char },
  { ...nullable, name: 'tg_char_bytes', args: [], rest: 'integer', returns: 'blob', run: charBytes },
  { ...nullable, name: 'tg_soundex', args: ['text'], returns: 'text', run: soundex },
  { ...strict, name: 'tg_unhex', args: ['text', 'text'], returns: 'blob', run: unhex },
  { ...strict, name: 'tg_unistr', args: ['text'], returns: 'text', run: unistr },
  { ...strict, name: 'tg_zeroblob', args: ['integer'], returns: 'blob', run: zeroBlob },
  { ...strict, name: 'tg_unicode', args: ['text'], returns: 'integer', run: unicode },
  { ...nullable, name: 'tg_quote', args: ['any'], returns: 'text', run: quote },
  { ...strict, name: 'tg_hex', args: ['any'], returns: 'text', run: hexAny },
  { ...strict, name: 'tg_sign', args: ['any'], returns: 'integer', run: sign },
  { ...strict, name: 'tg_round', args: ['real', 'integer'], returns: 'real', run: roundTo },
  { ...strict, name: 'tg_length_text', args: ['text'], returns: 'integer', run: lengthAny },
  { ...strict, name: 'tg_length', args: ['any'], returns: 'integer', run: lengthAny },
  {
    ...strict,
    name: 'tg_substr_text',
    args: ['text', 'integer', 'integer'],
    returns: 'text',
    run: substrText,
  },
  {
    ...strict,
    name: 'tg_substr_blob',
    args: ['blob', 'integer', 'integer'],
    returns: 'blob',
    run: substrBlob,
  },
  { ...strict, name: 'tg_substr', args: ['any', 'integer', 'integer'], returns: 'any', run: substrAny },
  { ...strict, name: 'tg_instr_blob', args: ['blob', 'blob'], returns: 'integer', run: instrBlob },
  { ...strict, name: 'tg_instr', args: ['any', 'any'], returns: 'integer', run: instrAny },
  {
    ...nullable,
    name: 'tg_replace',
    args: ['any', 'any', 'any'],
    returns: 'any',
    run: (value: SqlValue, from: SqlValue, to: SqlValue) =>
      value === null || from === null ? null : replaceAny(value, from, to),
  },
  {
    ...nullable,
    name: 'tg_max',
    args: ['text'],
    rest: 'any',
    returns: 'any',
    run: (collation: Collation, ...values: SqlValue[]) => extreme(true, collation, values),
  },
  {
    ...nullable,
    name: 'tg_min',
    args: ['text'],
    rest: 'any',
    returns: 'any',
    run: (collation: Collation, ...values: SqlValue[]) => extreme(false, collation, values),
  },
];
