// The fuzz campaigns of the quick ring, five times as long: FUZZ_SEED makes others of them, FUZZ_SECONDS longer ones.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '../..');
const SECONDS = process.env['FUZZ_SECONDS'] ?? '60';

for (const name of ['statements', 'http'])
  test(`${name} for ${SECONDS} seconds a campaign`, async () => {
    const fuzz = spawn(
      process.execPath,
      ['--import', 'tsx', join(ROOT, 'test/run.ts'), `fuzz/${name}.test`],
      {
        cwd: ROOT,
        env: { ...process.env, FUZZ_SECONDS: SECONDS },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let said = '';
    for (const stream of [fuzz.stdout, fuzz.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const [code] = (await once(fuzz, 'exit')) as [number | null];
    assert.is(code, 0, said);
    assert.match(said, /^[1-9]\d* passed, 0 failed/m);
  });

test.run();
