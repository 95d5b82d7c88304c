// Bundles the console into dist/console: hashed names, compressed copies, a list of what there is, and the
// licences of what went in. `make build` runs it; nothing of it is part of the gateway.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');
const OUT = join(ROOT, 'dist', 'console');

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });

const options = {
  absWorkingDir: ROOT,
  outdir: 'dist/console',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
  tsconfig: 'src/console/tsconfig.json',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;
const modules = await build({
  ...options,
  entryPoints: ['src/console/main.ts', 'src/console/style.css'],
  format: 'esm',
  splitting: true,
});
// A module would run after the first paint: this one is a classic script, alone in its file.
const classic = await build({ ...options, entryPoints: ['src/console/first-paint.ts'], format: 'iife' });
const outputs = { ...modules.metafile.outputs, ...classic.metafile.outputs };

/** The page's file names by what the template calls them. */
const names: Record<string, string> = {};
for (const [path, { entryPoint }] of Object.entries(outputs)) {
  const name = path.split('/').at(-1) ?? '';
  if (entryPoint === 'src/console/main.ts') names['main'] = name;
  if (entryPoint === 'src/console/first-paint.ts') names['first-paint'] = name;
  if (entryPoint === 'src/console/style.css') names['style'] = name;
}
const icon = readFileSync(join(import.meta.dirname, 'icon.svg'));
names['icon'] = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
writeFileSync(join(OUT, names['icon']), icon);

const page = readFileSync(join(import.meta.dirname, 'index.html'), 'utf8')
  .replace(/\{\{(main|first-paint|style|icon)\}\}/g, (_, name: string) => `console/${names[name]}`)
  .replace(/\n\s+/g, '\n');
writeFileSync(join(OUT, 'index.html'), page);
writeFileSync(join(OUT, 'licenses.txt'), licences(Object.keys(modules.metafile.inputs)));

for (const name of readdirSync(OUT)) {
  if (name === 'index.html') continue;
  const bytes = readFileSync(join(OUT, name));
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(join(OUT, `${name}.br`), brotliCompressSync(bytes, brotli));
  writeFileSync(join(OUT, `${name}.gz`), gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
}

/** Their licences want to go with them. */
function licences(inputs: readonly string[]): string {
  const packages = new Set(
    inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  return [...packages]
    .sort()
    .map((name) => {
      const folder = join(ROOT, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text =
        file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '';
      return `${name} ${version} (${license})\n\n${text.trim()}\n`;
    })
    .join(`\n${'-'.repeat(78)}\n\n`);
}
