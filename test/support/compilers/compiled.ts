// Lanes run from dist/ and read no TypeScript: a compiler that stands in for the dialect's is bundled for them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSync } from 'esbuild';

/** What is shipped: a bundle that uses the dialect's own compiler shares its modules with the lane. */
const DIALECT = pathToFileURL(join(import.meta.dirname, '../../../dist/dialect/compile.js')).href;

/** @param name of a file in this folder. @returns the bundle's address; it is removed when this process ends */
export function compiled(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-compiler-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, name.replace(/\.ts$/, '.mjs'));
  buildSync({
    entryPoints: [join(import.meta.dirname, name)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    define: { DIALECT: JSON.stringify(DIALECT) },
    external: ['file://*'],
  });
  return pathToFileURL(outfile).href;
}
