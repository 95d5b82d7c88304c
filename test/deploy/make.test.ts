// What `make run` does before it serves: the sample tables are imported where there is no snapshot, and only there.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSnapshot } from '../support/snapshot.ts';
import { TABLES } from '../support/tables.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Command lines of node that `make run` gives in a folder, without what builds. */
function ran(folder: string): string[] {
  const bin = join(folder, 'bin');
  const calls = join(folder, 'calls');
  mkdirSync(bin, { recursive: true });
  copyFileSync(join(ROOT, 'Makefile'), join(folder, 'Makefile'));
  writeFileSync(join(bin, 'node'), `#!/bin/sh\necho "$@" >> ${calls}\n`);
  chmodSync(join(bin, 'node'), 0o755);
  writeFileSync(calls, '');
  const { status, stderr } = spawnSync('make', ['run', '--old-file=build'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}`, MAKEFLAGS: '' },
  });
  assert.is(status, 0, stderr);
  return readFileSync(calls, 'utf8').trim().split('\n');
}

test('make run imports the samples once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-make-'));
  try {
    const first = ran(folder);
    assert.is(first.length, 3, first.join('\n'));
    assert.match(first[0] ?? '', /^dist\/main\.js import data\/samples\//);
    assert.match(first[1] ?? '', /^dist\/main\.js import data\/samples\//);
    assert.is(first[2], 'dist/main.js serve');
    await makeSnapshot(join(folder, 'data'), TABLES);
    assert.equal(ran(folder), ['dist/main.js serve']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
