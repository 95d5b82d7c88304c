// A request's target, read strictly: path, query and percent-encoding. Decodes nothing that is not asked for;
// bodies are read by body.ts.
import { GatewayError } from '../base/errors.ts';

export interface Target {
  /** As sent, still percent-encoded, without the query. */
  readonly path: string;
  /** After the `?`, as sent; '' where there is none. */
  readonly search: string;
}

/** @param url the request line's target: origin form, or absolute form as proxies send it (RFC 9112 section 3.2). */
export function readTarget(url: string): Target {
  let text = url;
  if (!text.startsWith('/')) {
    const authority = text.indexOf('://');
    const slash = authority < 0 ? -1 : text.indexOf('/', authority + 3);
    text = slash < 0 ? '/' : text.slice(slash);
  }
  const mark = text.indexOf('?');
  return mark < 0 ? { path: text, search: '' } : { path: text.slice(0, mark), search: text.slice(mark + 1) };
}

/**
 * Percent-decodes one piece of a path or query.
 * @param name what the message calls it
 * @throws GatewayError bad-parameter for `%zz`, a cut-off `%4` and bytes that are not UTF-8 (`%ff`, overlong forms)
 */
export function decode(text: string, name: string): string {
  if (!text.includes('%')) return text;
  try {
    // Strict by its specification: malformed escapes and malformed UTF-8 throw URIError.
    return decodeURIComponent(text);
  } catch {
    throw new GatewayError(
      'bad-parameter',
      `The percent-encoding of ${name} is broken: each % needs two hexadecimal digits, and the bytes must be UTF-8.`,
    );
  }
}

/** The parameters of a query string by name, each with all of its values in order. */
export type Parameters = ReadonlyMap<string, readonly string[]>;

/**
 * Pairs are separated by `&`; `+` is a space (URL standard, application/x-www-form-urlencoded).
 * @throws GatewayError bad-parameter, naming the parameter
 */
export function readParameters(search: string): Parameters {
  const found = new Map<string, string[]>();
  if (search === '') return found;
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(spaces(equals < 0 ? pair : pair.slice(0, equals)), 'a parameter name');
    const value = equals < 0 ? '' : decode(spaces(pair.slice(equals + 1)), shown(name));
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return found;
}

function spaces(text: string): string {
  return text.includes('+') ? text.replaceAll('+', ' ') : text;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}...` : name);
}
