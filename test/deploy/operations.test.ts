// docs/OPERATIONS.md against the code: every metric is explained there and none that is not, options and files that
// it names exist, and what it says of the image is what is measured.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ERRORS } from '../../src/base/errors.ts';
import { optionName, readArguments, variableName } from '../../src/cli/arguments.ts';
import { SETTINGS } from '../../src/cli/config.ts';
import { METRICS } from '../../src/metrics/catalogue.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'OPERATIONS.md'), 'utf8');

test('every metric has a row that says what it means and what to do, and no row is of another', () => {
  const rows = page.split('\n').filter((line) => /^\| `(tablegate|process|nodejs)_/.test(line));
  const named = rows.flatMap((row) => {
    const cells = row.split(' | ');
    assert.is(cells.length, 3, row);
    for (const cell of cells) assert.ok(cell.replace(/[| ]/g, '').length > 0, row);
    return [...(cells[0] ?? '').matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name);
  });
  assert.equal([...named].sort(), Object.keys(METRICS).sort());
});

test('options, variables and codes of errors that it names exist', () => {
  const names = Object.keys(SETTINGS);
  const options = new Set([
    ...names.map(optionName),
    '--rm',
    '--detach',
    '--profile',
    '--read-only',
    '--user',
    '--cap-drop',
    '--security-opt',
  ]);
  // Those of docker, systemd and git are theirs.
  const own = page.replaceAll(/^(?:sudo |SOURCE=\S+ )?(?:docker|systemd-run|systemctl) (?:.*\\\n)*.*$/gm, '');
  assert.ok(own.length < page.length - 300);
  for (const [option] of own.matchAll(/--[a-z][a-z-]+/g)) assert.ok(options.has(option), option);
  for (const [, words = ''] of page.matchAll(/(?:main\.js|tablegate) ((?:serve|import) .*)$/gm))
    for (const [option] of words.matchAll(/--[a-z][a-z-]+/g)) assert.ok(options.has(option), option);
  const variables = new Set(names.map(variableName));
  const settings = [...page.matchAll(/^(TABLEGATE_\w+)=(\d+)$/gm)];
  assert.ok(settings.length >= 3);
  for (const [, variable = ''] of settings) assert.ok(variables.has(variable), variable);
  readArguments([], Object.fromEntries(settings.map(([, name = '', value = '']) => [name, value])));
  for (const code of ['limit-memory', 'limit-time', 'overloaded', 'not-ready']) {
    assert.ok(code in ERRORS);
    assert.match(page, `\`${code}\``);
  }
});

test('files that it links to exist', () => {
  const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, to = '']) => to);
  assert.ok(links.length > 6);
  for (const to of links) assert.ok(existsSync(join(ROOT, 'docs', to)), to);
});

test('the settings for a small machine fit into it', () => {
  const bytes = [...page.matchAll(/^(TABLEGATE_\w+_BYTES)=(\d+)$/gm)];
  const of = (name: string): number => Number(bytes.find(([, each]) => each === `TABLEGATE_${name}`)?.[2]);
  const engine = of('SCAN_MEMORY_BYTES') + of('RESULT_CACHE_BYTES');
  assert.ok(engine + 800e6 < 2 * 1024 ** 3);
});

test('it says the size that the image has', () => {
  const [, size] = /The image is (\d+) MB unpacked/.exec(page) ?? [];
  // image.test.ts measures it and prints what it found.
  assert.ok(Number(size) > 150 && Number(size) < 250);
});

test.run();
