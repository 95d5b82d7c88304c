// Finds the route of a path by comparing texts, without regular expressions: a base path, one word, and up to
// two more segments. Knows no route by name.

import type { Asker } from '../answer/engine.ts';
import type { Abort } from '../base/abort.ts';
import type { Answer } from './answer.ts';

export type Method = 'GET' | 'POST';

/** What a handler may ask of its request; nothing is ever added to it. */
export interface Request {
  readonly requestId: string;
  /** The client's address, for fairness among clients. */
  readonly client: string;
  /** The segments after the route's word, still percent-encoded. */
  readonly segments: readonly string[];
  /** The query string as sent. */
  readonly search: string;
  /** Values of a repeated header are joined by commas. */
  header(lowerCaseName: string): string | undefined;
  body(): Promise<Uint8Array>;
  /** Aborts when the client is gone. */
  signal(): Abort;
}

/** Who asks the engine on behalf of a request. */
export function askerOf(request: Request): Asker {
  return { requestId: request.requestId, client: request.client, signal: request.signal() };
}

export type Handler = (request: Request) => Answer | Promise<Answer>;

export interface Route {
  /** First segment after the base path; '' is the base path itself. */
  readonly word: string;
  /** What log and metrics call it, where that is not the word. */
  readonly name?: string;
  /** How many segments follow it. */
  readonly segments: 0 | 2;
  /** Whether the client's token bucket pays for it. */
  readonly limited: boolean;
  /** GET answers HEAD too. */
  readonly handlers: { readonly [M in Method]?: Handler };
}

export interface Found {
  readonly route: Route;
  readonly segments: readonly string[];
}

export type FindRoute = (path: string) => Found | undefined;

export function createRouter(basePath: string, routes: readonly Route[]): FindRoute {
  const withSegments = (count: Route['segments']): ReadonlyMap<string, Route> =>
    new Map(routes.filter((route) => route.segments === count).map((route) => [route.word, route]));
  const alone = withSegments(0);
  const withTwo = withSegments(2);
  const none: readonly string[] = [];
  const atRoot = alone.get('');
  const root = atRoot && { route: atRoot, segments: none };
  return (path) => {
    if (!path.startsWith(basePath)) return undefined;
    if (path.length === basePath.length) return root;
    if (path.charCodeAt(basePath.length) !== 47) return undefined;
    const from = basePath.length + 1;
    const end = path.indexOf('/', from);
    const route = end < 0 ? alone.get(path.slice(from)) : withTwo.get(path.slice(from, end));
    if (route === undefined) return undefined;
    if (end < 0) return { route, segments: none };
    const middle = path.indexOf('/', end + 1);
    if (middle <= end + 1 || middle === path.length - 1 || path.indexOf('/', middle + 1) >= 0)
      return undefined;
    return { route, segments: [path.slice(end + 1, middle), path.slice(middle + 1)] };
  };
}

/** As the Allow header wants it (RFC 9110 section 10.2.1). */
export function allowed(route: Route): string {
  const methods = Object.keys(route.handlers);
  if (route.handlers.GET !== undefined) methods.push('HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

/** The handler of a method: HEAD is answered as GET. */
export function handlerOf(route: Route, method: string): Handler | undefined {
  if (method === 'GET' || method === 'HEAD') return route.handlers.GET;
  return method === 'POST' ? route.handlers.POST : undefined;
}
