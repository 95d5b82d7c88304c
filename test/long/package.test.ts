// The package from a clone to somebody's empty folder, by npm alone: what `npm pack` makes of a fresh clone is installed
// from its file and serves. Installs packages, as make does.
import { execFileSync, spawn } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '..', '..');
const MAX_INSTALLED_BYTES = 130e6;

const test = suite<{ folder: string }>('long/package');
test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-npm-'));
});
test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

function run(cwd: string, program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
}

test('npm pack of a fresh clone builds what npx serves a database with', async ({ folder }) => {
  const [clone, empty] = [join(folder, 'clone'), join(folder, 'empty')];
  run(folder, 'git', 'clone', '--quiet', ROOT, clone);
  // The last line is the name of the file; make's own lines stand before it.
  const name = run(clone, 'npm', 'pack', '--pack-destination', folder).trim().split('\n').at(-1) ?? '';
  assert.match(name, /^tablegate-.*\.tgz$/);
  mkdirSync(empty);
  run(empty, 'npm', 'init', '--yes');
  run(empty, 'npm', 'install', '--no-audit', '--no-fund', join(folder, name));
  const modules = join(empty, 'node_modules');
  const bytes = readdirSync(modules, { recursive: true, encoding: 'utf8' }).reduce((sum, path) => {
    const about = lstatSync(join(modules, path));
    return sum + (about.isFile() ? about.size : 0);
  }, 0);
  process.stdout.write(`\nNOTE installed from npm's archive it takes ${Math.round(bytes / 1e6)} MB\n`);
  assert.ok(bytes < MAX_INSTALLED_BYTES, `${bytes} bytes`);
  assert.match(run(empty, 'npx', 'tablegate', '--version'), /^\d+\.\d+\.\d+\n$/);
  const args = ['tablegate', 'serve', '--follow', join(ROOT, 'data/samples/validator.db'), '--port', '0'];
  // A group of its own: npx starts the program below a shell.
  const child = spawn('npx', args, { cwd: empty, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let text = '';
  try {
    for await (const part of child.stdout.setEncoding('utf8')) {
      text += part;
      const url = /listening on (\S+)/.exec(text)?.[1];
      if (url === undefined) continue;
      const answer = await fetch(`${url}/query?statement=select+count(*)+as+n+from+rigs_31337_2`);
      assert.is(await answer.text(), '[{"n":300}]');
      break;
    }
    assert.match(text, 'listening on');
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGTERM');
  }
});

test.run();
