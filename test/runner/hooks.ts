// The loader behind register.ts; runs in a thread of its own.
import { readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { COMPILED, ROOT } from './places.ts';

const PROJECT = pathToFileURL(join(ROOT, '/')).href;
const MODULES = `${PROJECT}node_modules/`;

/** Inside of the project, with `js` for `ts`; undefined for what is no source of the project's. */
function compiledName(url: string): string | undefined {
  const isSource = url.startsWith(PROJECT) && url.endsWith('.ts') && !url.startsWith(MODULES);
  return isSource ? `${fileURLToPath(url).slice(join(ROOT, '/').length, -'ts'.length)}js` : undefined;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** What `make build` made of a source takes its place. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const found = await next(specifier, context);
  const name = compiledName(found.url);
  if (name?.startsWith('src/') !== true) return found;
  const built = join(ROOT, 'dist', name.slice('src/'.length));
  // The console's modules are bundled for the browser: their tests read the sources.
  return (await exists(built)) ? { ...found, url: pathToFileURL(built).href, format: 'module' } : found;
};

/** A test file keeps its address, so that what it finds beside itself is there, and is read compiled. */
export const load: LoadHook = async (url, context, next) => {
  const name = compiledName(url);
  if (name === undefined) return next(url, context);
  const source = readFileSync(join(ROOT, COMPILED, name), 'utf8');
  return { format: 'module', source, shortCircuit: true };
};
