// A snapshot as it was written before format 4: the digest of a file is that of all its bytes.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { manifestPath, sourcesPath } from '../../src/snapshot/layout.ts';
import type { Manifest } from '../../src/snapshot/manifest.ts';

/** @param folder of a snapshot that nobody has open */
export function makeFormat3(folder: string): void {
  const records = new DatabaseSync(sourcesPath(folder));
  records.exec('drop table if exists rows_parts');
  records.close();
  const manifest = JSON.parse(readFileSync(manifestPath(folder), 'utf8')) as Manifest;
  const files = Object.fromEntries(
    Object.entries(manifest.files).map(([name, entry]) => {
      const content = readFileSync(join(folder, name));
      const sha256 = createHash('sha256').update(content).digest('hex');
      return [name, { ...entry, bytes: content.length, sha256 }];
    }),
  );
  writeFileSync(manifestPath(folder), JSON.stringify({ ...manifest, formatVersion: 3, files }));
}
