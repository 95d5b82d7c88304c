// The documentation's tables against the code, both ways: what is not documented, or no longer there, fails.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DOCS, EXPECTED, splitPage } from './expected.ts';

for (const [page, rows] of Object.entries(EXPECTED))
  test(`docs/${page} has exactly the rows that the code has (update.ts writes them)`, () => {
    assert.ok(rows.length > 10);
    assert.equal(splitPage(page).rows, rows);
  });

test('docs/ARCHITECTURE.md names every part of src/', () => {
  const house = readFileSync(join(DOCS, 'ARCHITECTURE.md'), 'utf8');
  for (const entry of readdirSync(join(DOCS, '..', 'src'), { withFileTypes: true }))
    assert.match(house, entry.isDirectory() ? `\`${entry.name}/\`` : `\`${entry.name}\``);
});

test.run();
