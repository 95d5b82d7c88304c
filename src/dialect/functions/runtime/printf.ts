// printf() and format() as SQLite 3.39's own formatter does them (printf.html, printf.c). Widths and
// precisions count bytes unless `!` is given, so the output is put together in bytes.
import { blobText, type SqlValue, toInteger, toReal, toText } from './number-text.ts';
import { formatReal } from './real-format.ts';
import { bound, untilNul } from './text.ts';

interface Flags {
  left: boolean;
  /** `+`, a space, or nothing. */
  plus: string;
  alternate: boolean;
  alternate2: boolean;
  zero: boolean;
  thousands: boolean;
  width: number;
  /** -1: not given. */
  precision: number;
}

class Arguments {
  readonly #values: readonly SqlValue[];
  #used = 0;
  constructor(values: readonly SqlValue[]) {
    this.#values = values;
  }
  #next(): SqlValue {
    return this.#values[this.#used++] ?? null;
  }
  integer(): bigint {
    const value = this.#next();
    return value === null ? 0n : toInteger(value);
  }
  int(): number {
    return Number(BigInt.asIntN(32, this.integer()));
  }
  real(): number {
    const value = this.#next();
    return value === null ? 0 : toReal(value);
  }
  text(): string | undefined {
    const value = this.#next();
    if (value === null) return undefined;
    return untilNul(toText(value));
  }
}

const digit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';

/** Reads flags, width and precision; gives the index of the conversion's letter. */
function readFlags(format: string, start: number, flags: Flags, args: Arguments): number {
  let at = start;
  for (; at < format.length; at++) {
    const character = format[at]!;
    if (character === '-') flags.left = true;
    else if (character === '+' || character === ' ') flags.plus = character;
    else if (character === '#') flags.alternate = true;
    else if (character === '!') flags.alternate2 = true;
    else if (character === '0') flags.zero = true;
    else if (character === ',') flags.thousands = true;
    else break;
  }
  if (format[at] === '*') {
    flags.width = args.int();
    if (flags.width < 0) {
      flags.left = true;
      flags.width = flags.width >= -2147483647 ? -flags.width : 0;
    }
    at++;
  } else {
    const digits = at;
    while (digit(format[at])) at++;
    if (at > digits) flags.width = int(format.slice(digits, at));
  }
  if (format[at] === '.') {
    at++;
    if (format[at] === '*') {
      const precision = args.int();
      flags.precision = precision < 0 ? (precision >= -2147483647 ? -precision : -1) : precision;
      at++;
    } else {
      const digits = at;
      while (digit(format[at])) at++;
      flags.precision = int(format.slice(digits, at));
    }
  }
  if (format[at] === 'l') at += format[at + 1] === 'l' ? 2 : 1;
  return at;
}

/** The C code's unsigned arithmetic, cut to 31 bits. */
const int = (digits: string): number => (digits === '' ? 0 : Number(BigInt(digits) & 0x7fffffffn));

const PREFIXES: Readonly<Record<string, string>> = { o: '0', x: '0x', X: '0X', p: '0x' };
const BASES: Readonly<Record<string, number>> = { d: 10, i: 10, u: 10, r: 10, o: 8, x: 16, X: 16, p: 16 };

function integer(letter: string, flags: Flags, value: bigint): string {
  const signed = letter === 'd' || letter === 'i' || letter === 'r';
  const magnitude = signed ? (value < 0n ? -value : value) : BigInt.asUintN(64, value);
  const prefix = signed ? (value < 0n ? '-' : flags.plus) : '';
  let precision = flags.precision;
  if (flags.zero && precision < flags.width - prefix.length) precision = flags.width - prefix.length;
  bound(precision);
  let digits = magnitude.toString(BASES[letter]);
  if (letter === 'X' || letter === 'p') digits = digits.toUpperCase();
  if (letter === 'r') digits += ordinal(magnitude);
  digits = digits.padStart(precision, '0');
  if (flags.thousands && 'diu'.includes(letter)) digits = grouped(digits);
  const alternate = flags.alternate && magnitude !== 0n ? (PREFIXES[letter] ?? '') : '';
  return alternate + prefix + digits;
}

function grouped(digits: string): string {
  const first = digits.length % 3 || 3;
  const parts = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) parts.push(digits.slice(at, at + 3));
  return parts.join(',');
}

function ordinal(value: bigint): string {
  const last = Number(value % 10n);
  if (last >= 4 || (value / 10n) % 10n === 1n) return 'th';
  return ['th', 'st', 'nd', 'rd'][last]!;
}

function real(letter: 'f' | 'e' | 'E' | 'g' | 'G', flags: Flags, value: number): string {
  const text = formatReal(value, {
    conversion: letter,
    precision: flags.precision < 0 ? 6 : flags.precision,
    alternate: flags.alternate,
    alternate2: flags.alternate2,
    plus: flags.plus,
  });
  if (!flags.zero || flags.left || text.length >= flags.width || !Number.isFinite(value)) return text;
  const signed = digit(text[0]) ? 0 : 1;
  return text.slice(0, signed) + '0'.repeat(flags.width - text.length) + text.slice(signed);
}

/** The first `precision` bytes, or characters with `!`. */
function cut(text: string, flags: Flags): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  if (flags.precision < 0) return bytes;
  if (flags.alternate2) return Buffer.from(Array.from(text).slice(0, flags.precision).join(''), 'utf8');
  return bytes.subarray(0, flags.precision);
}

function escaped(letter: 'q' | 'Q' | 'w', flags: Flags, text: string | undefined): Buffer {
  const quote = letter === 'w' ? '"' : "'";
  const shown = cut(text ?? (letter === 'Q' ? 'NULL' : '(NULL)'), flags);
  const around = letter === 'Q' && text !== undefined ? quote : '';
  // Bytes as characters, since a precision may cut one in two.
  const inner = shown.toString('latin1').replaceAll(quote, quote + quote);
  return Buffer.from(around + inner + around, 'latin1');
}

/** %c: the first character, as often as the precision says. */
function character(text: string | undefined, flags: Flags): Buffer {
  const first = Buffer.from(
    text === undefined || text === '' ? '\0' : String.fromCodePoint(text.codePointAt(0)!),
  );
  const times = Math.max(flags.precision, 1);
  bound(first.length * times);
  // The C code takes the repetitions off the width before it pads.
  return Buffer.concat(Array.from({ length: times }, () => first));
}

/** Undefined: a conversion that SQL does not have, where SQLite's output ends. */
function convert(letter: string | undefined, flags: Flags, args: Arguments): Buffer | undefined {
  switch (letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'r':
    case 'o':
    case 'x':
    case 'X':
    case 'p':
      return Buffer.from(integer(letter, flags, args.integer()));
    case 'f':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
      bound(flags.precision);
      return Buffer.from(real(letter, flags, args.real()));
    case 's':
    case 'z':
      return cut(args.text() ?? '', flags);
    case 'q':
    case 'Q':
    case 'w':
      return escaped(letter, flags, args.text());
    case 'c':
      return character(args.text(), flags);
    case '%':
      return Buffer.from('%');
    case 'n':
      flags.width = 0;
      return Buffer.alloc(0);
    default:
      return undefined;
  }
}

const IN_CHARACTERS = 'szqQwc';

function pad(piece: Buffer, letter: string, flags: Flags): Buffer {
  const size =
    letter === 'c' || (flags.alternate2 && IN_CHARACTERS.includes(letter))
      ? Array.from(piece.toString('utf8')).length
      : piece.length;
  const missing = flags.width - size;
  if (missing <= 0) return piece;
  bound(flags.width);
  const spaces = Buffer.alloc(missing, 32);
  return flags.left ? Buffer.concat([piece, spaces]) : Buffer.concat([spaces, piece]);
}

export function printf(given: string | null, ...values: SqlValue[]): string | null {
  if (given === null) return null;
  const format = untilNul(given);
  const args = new Arguments(values);
  const out: Buffer[] = [];
  let size = 0;
  let pushed = false;
  const push = (piece: Buffer): void => {
    pushed = true;
    size += piece.length;
    bound(size);
    out.push(piece);
  };
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent !== at) push(Buffer.from(format.slice(at, percent < 0 ? undefined : percent)));
    if (percent < 0) break;
    if (percent + 1 === format.length) {
      push(Buffer.from('%'));
      break;
    }
    const flags: Flags = {
      left: false,
      plus: '',
      alternate: false,
      alternate2: false,
      zero: false,
      thousands: false,
      width: 0,
      precision: -1,
    };
    const letterAt = readFlags(format, percent + 1, flags, args);
    const letter = format[letterAt];
    const piece = convert(letter, flags, args);
    if (piece === undefined) break;
    push(pad(piece, letter!, flags));
    at = letterAt + 1;
  }
  // Where nothing was written, not even an empty text, it is NULL (sqlite3_str_finish).
  return !pushed ? null : blobText(Buffer.concat(out));
}
