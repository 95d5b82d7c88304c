// Writes the documentation's tables anew from the code: node --import tsx test/docs/update.ts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS, EXPECTED, splitPage } from './expected.ts';

for (const [page, rows] of Object.entries(EXPECTED)) {
  const { before, after } = splitPage(page);
  writeFileSync(join(DOCS, page), [...before, ...rows, ...after].join('\n'));
}
