// Compiles what tests are made of once a run: each process would do it again for itself, beside a compiler that has to
// start there.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, buildSync, type OutputFile } from 'esbuild';
import { COMPILED, ROOT } from './places.ts';

/** Folders with sources that a test file can import. Of src/ that is the console's; the rest comes out of dist/. */
const FOLDERS = ['test', 'bench', 'data', 'src'];

/** These are loaded before there is anything that would find a `.ts` compiled: each is whole. */
const LOADER = ['register.ts', 'hooks.ts'].map((name) => join('test', 'runner', name));

/**
 * Brings COMPILED up to date, `test/a.ts` as `test/a.js`. Another run may be reading it.
 * @throws Error where a file cannot be parsed
 */
export function compile(): void {
  const options = {
    absWorkingDir: ROOT,
    // As if they lay beside their sources, which is how their source maps name these.
    outdir: '.',
    outbase: '.',
    write: false,
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'silent',
  } satisfies BuildOptions;
  const entryPoints = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => join(folder, name)),
  ).filter((name) => !LOADER.includes(name));
  write(buildSync({ ...options, entryPoints }).outputFiles);
  write(buildSync({ ...options, entryPoints: LOADER, bundle: true, platform: 'node' }).outputFiles);
}

function write(files: readonly OutputFile[]): void {
  for (const { path, contents } of files) {
    const to = join(ROOT, COMPILED, relative(ROOT, path));
    if (existsSync(to) && readFileSync(to).equals(contents)) continue;
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(`${to}.${process.pid}`, contents);
    renameSync(`${to}.${process.pid}`, to);
  }
}
