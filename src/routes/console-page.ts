// The console at / and its files, which `make build` made: read once, compressed ahead, never changed under
// their names. Knows nothing of what they do.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer } from '../http/answer.ts';
import { matchesTag } from '../http/etag.ts';
import type { FindRoute, Request, Route } from '../http/router.ts';

/** The same from src/ and from dist/. */
const BUILT = join(import.meta.dirname, '..', '..', 'dist', 'console');

const TYPES: { readonly [ending: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

/** Nothing inline, nothing from elsewhere, no text that becomes markup, in nobody's frame. */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

type Encoding = 'br' | 'gzip' | 'identity';

interface File {
  readonly headers: readonly string[];
  readonly tag: string;
  readonly bodies: { readonly [E in Encoding]: Uint8Array };
}

const COMMON: readonly string[] = ['Vary', 'Accept-Encoding'];
const PAGE_HEADERS: readonly string[] = [
  ...['Content-Security-Policy', CONSOLE_POLICY, 'Cache-Control', 'no-cache'],
  ...['Referrer-Policy', 'no-referrer', 'Cross-Origin-Opener-Policy', 'same-origin'],
];
const REVALIDATED: readonly string[] = ['Cache-Control', 'no-cache'];
/** Of a file whose name changes with its bytes. */
const ASSET_HEADERS: readonly string[] = ['Cache-Control', 'public, max-age=31536000, immutable'];

/**
 * Finds the console's files besides the routes that `find` knows.
 * @returns undefined where the console was not built
 */
export function withConsole(find: FindRoute, basePath: string): FindRoute | undefined {
  const files = readConsole(basePath);
  if (files === undefined) return undefined;
  const routes = new Map([...files].map(([path, file]) => [path, { route: fileRoute(file), segments: [] }]));
  return (path) => find(path) ?? routes.get(path);
}

function fileRoute(file: File): Route {
  return {
    word: '',
    name: 'console',
    segments: 0,
    limited: false,
    handlers: { GET: (request) => answerFile(file, request) },
  };
}

function answerFile({ headers, tag, bodies }: File, request: Request): Answer {
  if (matchesTag(request.header('if-none-match'), tag))
    return { status: 304, headers: [...headers, 'ETag', tag], body: '' };
  const encoding = bestEncoding(request.header('accept-encoding') ?? '');
  const encoded = encoding === 'identity' ? [] : ['Content-Encoding', encoding];
  return { status: 200, headers: [...headers, ...encoded, 'ETag', tag], body: bodies[encoding] };
}

/** RFC 9110 section 12.5.3, as far as it matters: what is listed and not refused by `q=0`. */
function bestEncoding(header: string): Encoding {
  const accepted = new Set(
    header
      .toLowerCase()
      .split(',')
      .map((item) => item.split(';').map((part) => part.trim()))
      .filter(([, q = 'q=1']) => !/^q=0(\.0*)?$/.test(q))
      .map(([name]) => name),
  );
  if (accepted.has('br')) return 'br';
  return accepted.has('gzip') ? 'gzip' : 'identity';
}

function readConsole(basePath: string): ReadonlyMap<string, File> | undefined {
  const files = new Map<string, File>();
  try {
    for (const name of readdirSync(BUILT)) {
      if (name.endsWith('.br') || name.endsWith('.gz') || name === 'index.html') continue;
      const read = (ending: string): Buffer => readFileSync(join(BUILT, name + ending));
      const bodies = { identity: read(''), br: read('.br'), gzip: read('.gz') };
      const hashed = /-[0-9a-zA-Z]{8}\.\w+$/.test(name);
      files.set(`/console/${name}`, fileOf(name, bodies, hashed ? ASSET_HEADERS : REVALIDATED));
    }
    const template = readFileSync(join(BUILT, 'index.html'), 'utf8');
    // The setting's parser lets no character through that means anything in HTML.
    const page = Buffer.from(template.replaceAll('{{base-path}}', basePath));
    const bodies = { identity: page, br: brotliCompressSync(page), gzip: gzipSync(page) };
    files.set('/', fileOf('index.html', bodies, PAGE_HEADERS));
    return files;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function fileOf(name: string, bodies: File['bodies'], headers: readonly string[]): File {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return {
    headers: ['Content-Type', type, ...COMMON, ...headers],
    // Weak, as it stands for the bytes in every encoding.
    tag: `W/"${createHash('sha1').update(bodies.identity).digest('base64url')}"`,
    bodies,
  };
}
