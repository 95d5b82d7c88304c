// The loader behind register.ts; runs in a thread of its own.
import { existsSync } from 'node:fs';
import type { ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const SRC = new URL('src/', ROOT).href;
const DIST = new URL('dist/', ROOT).href;

export const resolve: ResolveHook = async (specifier, context, next) => {
  const found = await next(specifier, context);
  if (!found.url.startsWith(SRC) || !found.url.endsWith('.ts')) return found;
  const url = `${DIST}${found.url.slice(SRC.length, -'ts'.length)}js`;
  // The console's modules are bundled for the browser: their tests read the sources.
  return existsSync(fileURLToPath(url)) ? { ...found, url, format: 'module' } : found;
};
