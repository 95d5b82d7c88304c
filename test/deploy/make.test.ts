// What the Makefile does before it serves or tests: installs as little as is needed, builds what changed, and imports the
// sample tables where there is no snapshot, and only there.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSnapshot } from '../support/snapshot.ts';
import { TABLES } from '../support/tables.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A folder with the Makefile, and programs that only write down that they were called, and with what. */
function prepared(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-make-'));
  const calls = join(folder, 'calls');
  const program = (path: string, more = ''): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `#!/bin/sh\necho "${basename(path)} $@" >> ${calls}\n${more}`, {
      mode: 0o755,
    });
  };
  program(
    'bin/node',
    '[ "$1" != dist/base/build-info-write.js ] || { mkdir -p dist; touch dist/build-info.json; }',
  );
  program('bin/npm', 'mkdir -p node_modules');
  program('node_modules/.bin/tsc');
  copyFileSync(join(ROOT, 'Makefile'), join(folder, 'Makefile'));
  mkdirSync(join(folder, 'src/part'), { recursive: true });
  mkdirSync(join(folder, 'test'));
  for (const name of [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'src/a.ts',
    'src/part/b.ts',
    'test/package.json',
  ])
    writeFileSync(join(folder, name), '');
  return folder;
}

function calls(folder: string, target: string): string[] {
  const log = join(folder, 'calls');
  writeFileSync(log, '');
  const { status, stderr } = spawnSync('make', [target], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
      // What the make was given that runs this test.
      ...{ MAKEFLAGS: '', AGAIN: '', QUICK: '', FILES: '' },
    },
  });
  assert.is(status, 0, stderr);
  return readFileSync(log, 'utf8').trim().split('\n');
}

const test = suite<{ folder: string }>('deploy/make');
test.before.each((context) => {
  context.folder = prepared();
});
test.after.each(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const SERVE = 'node dist/main.js serve';
const isBuild = (call: string): boolean => /^tsc |console\/build|settings-types|build-info-write/.test(call);
const isInstall = (call: string): boolean => call.startsWith('npm ');

test('make run imports the samples once', async ({ folder }) => {
  const first = calls(folder, 'run').filter((call) => !isBuild(call) && !isInstall(call));
  assert.is(first.length, 3, first.join('\n'));
  assert.match(first[0] ?? '', /^node dist\/main\.js import data\/samples\//);
  assert.match(first[1] ?? '', /^node dist\/main\.js import data\/samples\//);
  assert.is(first[2], SERVE);
  await makeSnapshot(join(folder, 'data'), TABLES);
  assert.equal(calls(folder, 'run'), [SERVE]);
});

test('make run installs what serving needs, and builds again what changed alone', async ({ folder }) => {
  await makeSnapshot(join(folder, 'data'), TABLES);
  const first = calls(folder, 'run');
  assert.equal(first.filter(isInstall), ['npm ci --workspaces=false --no-fund --no-audit --loglevel=error']);
  assert.is(first.filter(isBuild).length, 4, first.join('\n'));
  assert.equal(calls(folder, 'run'), [SERVE], 'nothing changed');
  const later = new Date(Date.now() + 10_000);
  const change = (name: string): void => utimesSync(join(folder, name), later, later);
  change('src/part/b.ts');
  assert.is(calls(folder, 'run').filter(isBuild).length, 4, 'a source changed');
  utimesSync(join(folder, 'dist/build-info.json'), later, later);
  assert.equal(calls(folder, 'run'), [SERVE]);
  change('package-lock.json');
  assert.is(calls(folder, 'run').filter(isInstall).length, 1, 'the packages changed');
});

test('make test installs the rest once, after which make run has nothing to install', async ({ folder }) => {
  await makeSnapshot(join(folder, 'data'), TABLES);
  const first = calls(folder, 'test');
  assert.equal(first.filter(isInstall), ['npm ci --no-fund --no-audit --loglevel=error']);
  assert.is(first.at(-1), 'node --import tsx test/run.ts');
  assert.equal(calls(folder, 'run'), [SERVE]);
  assert.equal(calls(folder, 'test'), ['node --import tsx test/run.ts']);
  const later = new Date(Date.now() + 10_000);
  utimesSync(join(folder, 'package-lock.json'), later, later);
  assert.equal(calls(folder, 'build').filter(isInstall), ['npm ci --no-fund --no-audit --loglevel=error']);
});

test('make build builds from a clean state, whatever is there', ({ folder }) => {
  for (let round = 0; round < 2; round++) {
    mkdirSync(join(folder, 'dist'), { recursive: true });
    writeFileSync(join(folder, 'dist/old.js'), '');
    assert.is(calls(folder, 'build').filter(isBuild).length, 4);
    assert.not.ok(existsSync(join(folder, 'dist/old.js')));
  }
});

test.run();
