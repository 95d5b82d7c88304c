// JSON text out of SQL values and SQL values out of JSON text (json.c jsonAppendValue, jsonReturn).
import { GatewayError } from '../../../errors.ts';
import { eachItem, skipString, skipValue, typeAt } from './json-scan.ts';
import { MAX_INTEGER, MIN_INTEGER, readReal, realText, type SqlValue } from './number-text.ts';

const SHORT: Readonly<Record<number, string>> = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r' };

/** A JSON string of a text: quotes, backslashes and control characters are escaped, nothing else. */
export function quoteText(text: string): string {
  let out = '"';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 34 && code !== 92 && code > 0x1f) continue;
    out += text.slice(from, at);
    if (code > 0x1f) out += `\\${text[at]}`;
    else out += SHORT[code] ?? `\\u${code.toString(16).padStart(4, '0')}`;
    from = at + 1;
  }
  return `${out}${text.slice(from)}"`;
}

/** @param json whether a text is JSON already (SQLite's subtype) */
export function valueJson(value: SqlValue, json: boolean): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return realText(value);
  if (typeof value === 'string') return json ? value : quoteText(value);
  throw new GatewayError('run-failed', 'JSON cannot hold BLOB values');
}

/** The value in valid JSON that starts there, without spaces. */
export function minify(text: string, start: number): string {
  const end = skipValue(text, start);
  const container = text[start] === '{' || text[start] === '[';
  if (!container) return text.slice(start, end);
  // Nearly all stored JSON has no spaces outside of strings or has them everywhere.
  const body = text.slice(start, end);
  if (!/[ \n\r\t]/.test(body)) return body;
  const out: string[] = [];
  write(text, start, out);
  return out.join('');
}

function write(text: string, start: number, out: string[]): void {
  const open = text[start];
  if (open !== '{' && open !== '[') {
    out.push(text.slice(start, skipValue(text, start)));
    return;
  }
  let separator = '';
  out.push(open);
  eachItem(text, start, (value, label) => {
    out.push(separator);
    separator = ',';
    if (label >= 0) out.push(text.slice(label, skipString(text, label)), ':');
    write(text, value, out);
    return false;
  });
  out.push(open === '{' ? '}' : ']');
}

/** The SQL value of a JSON value: numbers, texts, 1 and 0; arrays and objects as their JSON. */
export function sqlValue(text: string, start: number): SqlValue {
  switch (typeAt(text, start)) {
    case 'null':
      return null;
    case 'true':
      return 1n;
    case 'false':
      return 0n;
    case 'integer': {
      const digits = text.slice(start, skipValue(text, start));
      const value = BigInt(digits);
      return value > MAX_INTEGER || value < MIN_INTEGER ? readReal(digits).value : value;
    }
    case 'real':
      return readReal(text.slice(start, skipValue(text, start))).value;
    case 'text':
      return unquote(text.slice(start + 1, skipString(text, start) - 1));
    case 'array':
    case 'object':
      return minify(text, start);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** What stands between the quotes of a JSON string, escapes resolved. The text ends at `\u0000`, as in C. */
export function unquote(raw: string): string {
  let at = raw.indexOf('\\');
  if (at < 0) return raw;
  let out = '';
  let from = 0;
  for (; at >= 0; at = raw.indexOf('\\', from)) {
    out += raw.slice(from, at);
    const letter = raw[at + 1]!;
    from = at + 2;
    if (letter !== 'u') {
      out += ESCAPES[letter] ?? letter;
      continue;
    }
    const code = Number.parseInt(raw.slice(from, from + 4), 16);
    from += 4;
    if (code === 0) return out;
    if (code < 0xd800 || code > 0xdfff) {
      out += String.fromCharCode(code);
      continue;
    }
    const low = raw.startsWith('\\u', from) ? Number.parseInt(raw.slice(from + 2, from + 6), 16) : 0;
    if (code <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) {
      out += String.fromCharCode(code, low);
      from += 6;
      // Half a pair is three bytes that are no UTF-8.
    } else out += '\ufffd\ufffd\ufffd';
  }
  return out + raw.slice(from);
}
