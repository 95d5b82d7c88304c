// The digest of a file by its parts: what is read of it again, and that it is the digest of all of it.
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  digestOfParts,
  PART_BYTES,
  partCount,
  readParts,
  rereadParts,
} from '../../src/snapshot/file-parts.ts';

const test = suite('snapshot/file-parts');
const folder = mkdtempSync(join(tmpdir(), 'tablegate-parts-'));
const path = join(folder, 'file');
test.after(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

test('each part has its digest, the last one however short it is', async () => {
  for (const bytes of [
    0,
    1,
    PART_BYTES - 1,
    PART_BYTES,
    PART_BYTES + 1,
    3 * PART_BYTES,
    5 * PART_BYTES + 77,
  ]) {
    const content = Buffer.alloc(bytes, 'some text of no matter');
    writeFileSync(path, content);
    const parts = await readParts(path);
    assert.is(parts.bytes, bytes);
    const expected = Array.from({ length: partCount(bytes) }, (_, i) =>
      sha256(content.subarray(i * PART_BYTES, (i + 1) * PART_BYTES)),
    );
    assert.equal(parts.digests, Buffer.concat(expected));
    assert.is(digestOfParts(parts.digests), sha256(Buffer.concat(expected)).toString('hex'));
  }
});

test('of a file that was changed, made longer or cut only such parts are read', async () => {
  const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
  process.stdout.write(`seed ${seed}\n`);
  let state = seed;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  for (let round = 0; round < 40; round++) {
    // No part is like another.
    const content = randomBytes(below(6 * PART_BYTES));
    writeFileSync(path, content);
    const before = await readParts(path);
    const changed = Array.from({ length: below(4) }, () => below(content.length + 1)).filter(
      (at) => at < content.length,
    );
    for (const at of changed) content[at] = (content[at] as number) ^ 1;
    writeFileSync(path, content);
    if (round % 3 === 1) appendFileSync(path, Buffer.alloc(below(3 * PART_BYTES), 'more'));
    if (round % 3 === 2) truncateSync(path, below(content.length + 1));
    assert.equal(await rereadParts(path, before, changed), await readParts(path), `round ${round}`);
  }
});

test('a part that is not said to have changed is not read', async () => {
  writeFileSync(path, Buffer.alloc(3 * PART_BYTES, 'x'));
  const { bytes, digests } = await readParts(path);
  const other = Buffer.from(digests);
  other.fill(0, 32, 64);
  other.fill(0, 64, 96);
  const found = await rereadParts(path, { bytes, digests: other }, [2 * PART_BYTES + 5]);
  assert.equal(found.digests.subarray(0, 32), digests.subarray(0, 32));
  assert.equal(found.digests.subarray(32, 64), Buffer.alloc(32));
  assert.equal(found.digests.subarray(64), digests.subarray(64));
});

test.run();
