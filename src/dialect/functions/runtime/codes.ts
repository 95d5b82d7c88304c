// soundex(), unhex(), unistr() and zeroblob() (lang_corefunc.html), which the reference lacks.
import { GatewayError } from '../../../errors.ts';
import { bound, untilNul } from './text.ts';

const SOUNDEX: Readonly<Record<string, string>> = {
  B: '1',
  F: '1',
  P: '1',
  V: '1',
  C: '2',
  G: '2',
  J: '2',
  K: '2',
  Q: '2',
  S: '2',
  X: '2',
  Z: '2',
  D: '3',
  T: '3',
  L: '4',
  M: '5',
  N: '5',
  R: '6',
};

/** func.c soundexFunc: equal codes are told apart by anything between them that has none. */
export function soundex(given: string | null): string {
  const text = given === null ? null : untilNul(given);
  const start = (text ?? '').search(/[A-Za-z]/);
  if (text === null || start < 0) return '?000';
  let out = text[start]!.toUpperCase();
  let before = SOUNDEX[out];
  for (let at = start; at < text.length && out.length < 4; at++) {
    const code = SOUNDEX[text[at]!.toUpperCase()];
    if (code !== undefined && code !== before) out += code;
    before = code;
  }
  return out.padEnd(4, '0');
}

/** NULL where it is not pairs of digits; `ignored` characters may stand between pairs. */
export function unhex(text: string, ignored: string): Uint8Array | null {
  const skip = new Set(ignored);
  const end = untilNul(text).length;
  const bytes = new Uint8Array(end >> 1);
  let size = 0;
  for (let at = 0; at < end; ) {
    const high = digit(text.charCodeAt(at));
    const low = at + 1 < end ? digit(text.charCodeAt(at + 1)) : -1;
    if (high >= 0) {
      if (low < 0) return null;
      bytes[size++] = high * 16 + low;
      at += 2;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at)!);
    if (!skip.has(character)) return null;
    at += character.length;
  }
  return bytes.slice(0, size);
}

/** -1: no hexadecimal digit. */
function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = (code | 32) - 97;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** Backslash escapes resolved: \XXXX, \uXXXX, \+XXXXXX, \UXXXXXXXX, \\. */
export function unistr(text: string): string {
  return text.replace(
    /\\(?:(\\)|u([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|U([0-9A-Fa-f]{8})|([0-9A-Fa-f]{4})|)/g,
    (all, backslash?: string, ...codes: (string | undefined)[]) => {
      if (backslash !== undefined) return backslash;
      const digits = codes.slice(0, 4).find((code) => typeof code === 'string');
      if (digits === undefined || all === '\\')
        throw new GatewayError('run-failed', 'invalid Unicode escape');
      const code = Number.parseInt(digits, 16);
      return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

export function zeroBlob(size: bigint): Uint8Array {
  if (size <= 0n) return new Uint8Array(0);
  bound(Number(size));
  return new Uint8Array(Number(size));
}
