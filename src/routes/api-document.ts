// GET /openapi.json and /docs: the description of the API for programs and for people; and the base path itself, which
// leads there. All are made once.
import { JSON_TYPE } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import type { Request, Route } from '../http/router.ts';
import { openApiDocument } from '../openapi/document.ts';
import { apiPage, PAGE_POLICY } from '../openapi/page.ts';

export interface ApiDocumentContext {
  readonly version: string;
  readonly basePath: string;
  /** Whether there is a page at / to link to. */
  readonly console: boolean;
}

const SHORTLY: readonly string[] = ['Cache-Control', 'no-cache'];

export function apiDocumentRoutes({ version, basePath, console }: ApiDocumentContext): readonly Route[] {
  const document = openApiDocument({ version, server: basePath === '' ? '/' : basePath });
  const links = { 'openapi.json': `${basePath}/openapi.json`, ...(console ? { Console: '/' } : {}) };
  const page = apiPage(document, links);
  return [
    baseRoute(basePath),
    made('openapi.json', JSON.stringify(document), ['Content-Type', 'application/json', ...SHORTLY]),
    made('docs', page, [
      ...['Content-Type', 'text/html; charset=utf-8', ...SHORTLY],
      ...['Content-Security-Policy', PAGE_POLICY, 'Referrer-Policy', 'no-referrer'],
    ]),
  ];
}

/** A browser goes on to the page; a program that does not follow sees where things are. */
function baseRoute(basePath: string): Route {
  const paths = ['docs', 'openapi.json', 'tables', 'query', 'explain', 'version', 'health'];
  const body = JSON.stringify(Object.fromEntries(paths.map((path) => [path, `${basePath}/${path}`])));
  const headers = [...JSON_TYPE, ...SHORTLY, 'Location', `${basePath}/docs`];
  return {
    word: '',
    name: 'api-document',
    segments: 0,
    limited: false,
    handlers: { GET: () => ({ status: 302, headers, body }) },
  };
}

function made(word: string, text: string, headers: readonly string[]): Route {
  const body = Buffer.from(text);
  const tagged = [...headers, 'ETag', entityTag([text])];
  const tag = tagged.at(-1) ?? '';
  return {
    word,
    name: 'api-document',
    segments: 0,
    limited: false,
    handlers: {
      GET: (request: Request) =>
        matchesTag(request.header('if-none-match'), tag)
          ? { status: 304, headers: ['ETag', tag], body: '' }
          : { status: 200, headers: tagged, body },
    },
  };
}
