// The documentation's tables against the code, both ways: what is not documented, or no longer there, fails.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { optionName, variableName } from '../../src/arguments.ts';
import { SETTINGS, type SettingName } from '../../src/config.ts';
import { ERRORS, type ErrorCode } from '../../src/errors.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

/** Cells of the first table of a page, without its head. */
function tableOf(page: string): string[][] {
  const lines = readFileSync(join(DOCS, page), 'utf8').split('\n');
  const rows = lines.filter((line) => line.startsWith('|')).slice(2);
  return rows.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('docs/SETTINGS.md lists exactly the settings, as the code has them', () => {
  const names = Object.keys(SETTINGS) as SettingName[];
  const rows = tableOf('SETTINGS.md');
  assert.equal(
    rows.map(([option]) => option),
    names.map((name) => `\`${optionName(name)}\``),
  );
  for (const [i, name] of names.entries()) {
    const [, variable, , unit, help] = rows[i] ?? [];
    assert.is(variable, `\`${variableName(name)}\``);
    assert.is(unit, SETTINGS[name].unit);
    assert.is(help, SETTINGS[name].help);
  }
});

test('docs/SETTINGS.md shows the defaults, or how they follow from the machine', () => {
  const machine = /cores|memory/;
  for (const [option = '', , shown = ''] of tableOf('SETTINGS.md')) {
    const name = (Object.keys(SETTINGS) as SettingName[]).find(
      (each) => option === `\`${optionName(each)}\``,
    );
    const fallback = String(SETTINGS[name as SettingName].default);
    if (machine.test(shown)) continue;
    assert.is(shown, fallback === '' ? '' : `\`${fallback}\``, option);
  }
});

test('docs/ERRORS.md lists exactly the codes, with status and meaning', () => {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const rows = tableOf('ERRORS.md');
  assert.equal(
    rows.map(([code]) => code),
    codes.map((code) => `\`${code}\``),
  );
  for (const [i, code] of codes.entries()) {
    const [, status, help] = rows[i] ?? [];
    assert.is(status, String(ERRORS[code].status), code);
    assert.is(help, ERRORS[code].help, code);
  }
});

test('docs/HOUSE.md names every folder of src/', async () => {
  const { readdirSync } = await import('node:fs');
  const house = readFileSync(join(DOCS, 'HOUSE.md'), 'utf8');
  for (const entry of readdirSync(join(DOCS, '..', 'src'), { withFileTypes: true }))
    assert.match(house, entry.isDirectory() ? `\`${entry.name}/\`` : `\`${entry.name}\``);
});

test.run();
