// The versions of Node.js that are supported besides the one at hand: npm's package `node` brings their binaries. Not all
// of the quick ring, which would be 15 minutes more: what loads the engines' bindings, lanes, imports and HTTP, where
// versions can differ; the rest is JavaScript that the compiler has checked.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '..', '..');
const VERSIONS = [22, 24];
const FILES = [
  ...[
    'worker/session',
    'worker/query',
    'rowstore/',
    'columns',
    'encode/formats',
    'ingest/snapshot',
    'ingest/values',
  ],
  ...[
    'lane/lanes',
    'lane/machine',
    'http/',
    'routes/operations',
    'routes/formats',
    'follow/live',
    'main/serve',
  ],
];

/** Kept outside of the tree for the next run. */
function nodeOf(version: number): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'tablegate', `node-${version}`);
  const path = join(folder, 'node_modules', 'node', 'bin', 'node');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${version}`];
    execFileSync('npm', args, { stdio: 'pipe', timeout: 300_000 });
  }
  return path;
}

for (const version of VERSIONS)
  test(`what depends on Node.js runs on version ${version}`, () => {
    if (process.versions.node.startsWith(`${version}.`)) {
      process.stdout.write(`\nNOTE the whole ring runs on ${process.version}\n`);
      return;
    }
    const node = nodeOf(version);
    assert.match(execFileSync(node, ['--version'], { encoding: 'utf8' }), `v${version}.`);
    const args = ['--import', 'tsx', 'test/run.ts', ...FILES];
    const { status, stdout } = spawnSync(node, args, { cwd: ROOT, encoding: 'utf8', timeout: 1_500_000 });
    assert.is(status, 0, stdout);
    assert.match(stdout, /^[1-9]\d+ passed, 0 failed/m);
  });

test.run();
