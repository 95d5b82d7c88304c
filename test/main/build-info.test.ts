// What build this is: from git where there is one, `unknown` where there is none, never a constant.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BuildInfo, readBuildInfo } from '../../src/base/build-info.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');
const NOTHING = {
  git_commit: 'unknown',
  git_branch: 'unknown',
  git_state: 'unknown',
  git_summary: 'unknown',
};

const test = suite<{ folder: string }>('main/build-info');

test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-build-'));
});
test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

/** A package with the two files of the build, as `make build` would run them. */
function makePackage(root: string, version: string): { root: string; write: () => BuildInfo } {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', version }));
  for (const name of ['build-info.ts', 'build-info-write.ts'])
    cpSync(join(SRC, 'base', name), join(root, 'dist', 'base', name));
  symlinkSync(join(SRC, '..', 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, '.gitignore'), 'node_modules\ndist/build-info.json\n');
  const write = (): BuildInfo => {
    const done = spawnSync(
      process.execPath,
      ['--import', 'tsx', join(root, 'dist', 'base', 'build-info-write.ts')],
      {
        encoding: 'utf8',
        cwd: root,
      },
    );
    assert.is(done.status, 0, done.stderr);
    return readBuildInfo(join(root, 'dist'));
  };
  return { root, write };
}

function git(root: string, ...args: readonly string[]): string {
  const who = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b.c',
    '-c',
    'init.defaultBranch=trunk',
    '-c',
    'commit.gpgsign=false',
  ];
  return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' }).trim();
}

test('a build inside of git tells commit, branch, state, summary, date and version', ({ folder }) => {
  const { root, write } = makePackage(join(folder, 'repo'), '3.2.1');
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  git(root, 'tag', 'v3.2.1');
  const clean = write();
  assert.is(clean.git_commit, git(root, 'rev-parse', 'HEAD'));
  assert.is(clean.git_branch, 'trunk');
  assert.is(clean.git_state, 'clean');
  assert.is(clean.git_summary, 'v3.2.1');
  assert.is(clean.binary_version, '3.2.1');
  assert.is(new Date(clean.build_date).toISOString(), clean.build_date);
  writeFileSync(join(root, 'package.json'), readFileSync(join(root, 'package.json'), 'utf8').concat('\n'));
  const dirty = write();
  assert.is(dirty.git_state, 'dirty');
  assert.is(dirty.git_summary, 'v3.2.1-dirty');
});

test('a build of a source archive says what it does not know', ({ folder }) => {
  const { write } = makePackage(join(folder, 'archive'), '1.0.0');
  const { build_date, ...rest } = write();
  assert.equal(rest, { ...NOTHING, binary_version: '1.0.0' });
  assert.ok(Date.parse(build_date) > 0);
});

test("a package inside of somebody else's repository is not taken for it", ({ folder }) => {
  const outer = join(folder, 'outer');
  const { root, write } = makePackage(join(outer, 'vendor', 'tablegate'), '1.0.0');
  git(outer, 'init', '-q');
  git(outer, 'add', '-A');
  git(outer, 'commit', '-qm', 'theirs');
  const { git_commit } = write();
  assert.is(git_commit, 'unknown');
  assert.ok(root.startsWith(outer));
});

test('run from the sources, the version is known and the rest is not', ({ folder }) => {
  const { root } = makePackage(join(folder, 'sources'), '0.9.0');
  assert.equal(readBuildInfo(join(root, 'dist')), {
    ...NOTHING,
    build_date: 'unknown',
    binary_version: '0.9.0',
  });
});

test.run();
