// The rows that the documentation's tables must have, made from the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS, type ErrorCode } from '../../src/base/errors.ts';
import { optionName, valueText, variableName } from '../../src/cli/arguments.ts';
import { SETTINGS, type SettingName } from '../../src/cli/config.ts';

export const DOCS = join(import.meta.dirname, '..', '..', 'docs');

/** Defaults that follow from the machine, in words. */
const FROM_MACHINE: Partial<Record<SettingName, string>> = {
  importMemory: 'a quarter of memory, at most 2 GiB',
  fronts: 'one a core, at most 8 and an eighth of memory',
  rowLanes: 'half the cores, at most 4',
  longLanes: 'number of cores, at least 2',
  scanThreads: 'number of cores',
  scanApart: '`warm` with 4 GiB of memory or more, `on` with 2 GiB',
  scanMemoryBytes: 'a quarter of memory, at most 4 GiB',
  resultCacheBytes: 'a sixteenth of memory, at most 256 MiB',
};

function settingRow(name: SettingName): string {
  const { default: fallback, unit, help } = SETTINGS[name];
  const value = valueText(name, fallback);
  const shown = FROM_MACHINE[name] ?? (value === '' ? '' : `\`${value}\``);
  return row(`\`${optionName(name)}\``, `\`${variableName(name)}\``, shown, unit, help);
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`.replaceAll(/ {2,}\|/g, ' |');
}

/** Page of docs/ -> the rows of its first table, in order. */
export const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'SETTINGS.md': (Object.keys(SETTINGS) as SettingName[]).map(settingRow),
  'ERRORS.md': (Object.keys(ERRORS) as ErrorCode[]).map((code) =>
    row(`\`${code}\``, String(ERRORS[code].status), ERRORS[code].help),
  ),
};

/** The lines of a page: before its first table's rows, the rows, and after them. */
export function splitPage(page: string): { before: string[]; rows: string[]; after: string[] } {
  const lines = readFileSync(join(DOCS, page), 'utf8').split('\n');
  const head = lines.findIndex((line) => line.startsWith('| ---')) + 1;
  const length = lines.slice(head).findIndex((line) => !line.startsWith('|'));
  return {
    before: lines.slice(0, head),
    rows: lines.slice(head, head + length),
    after: lines.slice(head + length),
  };
}
