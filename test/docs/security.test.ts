// docs/SECURITY.md promises nothing without a test: every file that it names is there, and every event and code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isErrorCode } from '../../src/base/errors.ts';
import { SETTINGS } from '../../src/cli/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/SECURITY.md'), 'utf8');
const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);

test('names only files that are there', () => {
  const files = quoted.filter((word) => /^(src|test|docs)\//.test(word));
  assert.ok(files.length > 20);
  for (const file of files) assert.ok(existsSync(join(ROOT, file)), file);
});

test('names only settings and error codes that exist', () => {
  const options = quoted.filter((word) => word.startsWith('--') && word !== '--follow');
  const known = new Set(
    Object.keys(SETTINGS).map(
      (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    ),
  );
  assert.ok(options.length > 5);
  for (const option of options) assert.ok(known.has(option), option);
  for (const code of quoted.filter((word) => /^(limit|statement)-[a-z-]+$/.test(word)))
    assert.ok(isErrorCode(code), code);
});

test.run();
