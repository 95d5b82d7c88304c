// docs/COMPATIBILITY.md against the suite's list: a section for each deliberate difference, with its example,
// and no section for one that is not listed. Whether an example still differs is the corpus test's matter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DIFFERENCES } from './differences.ts';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'COMPATIBILITY.md'), 'utf8');
const [, listed = ''] = PAGE.split('\n## Deliberate differences\n');
const sections = new Map(
  listed
    .split('\n## ')[0]
    ?.split('\n### ')
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', section] as const),
);

test('the page has a section for each listed difference, and no other', () => {
  assert.equal([...sections.keys()].sort(), DIFFERENCES.map((difference) => difference.id).sort());
});

test('each section gives the reason and the example of the list', () => {
  for (const { id, reason, example } of DIFFERENCES) {
    const section = sections.get(id)?.replaceAll('\n', ' ') ?? '';
    assert.ok(section.includes(reason), `${id}: the reason is not on the page`);
    assert.ok(section.includes(example), `${id}: the example is not on the page`);
  }
});

test.run();
