// schemathesis (PyPI) over the whole description of the API: what is described is what happens, also for requests
// that nobody thought of. SCHEMATHESIS names the program where it is not on the path; `none`: there can be none.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { neededSuite } from '../support/needed.ts';

const PROGRAM = process.env['SCHEMATHESIS'] ?? 'schemathesis';
const SEED = process.env['SEED'] ?? '1';
const EXAMPLES = process.env['EXAMPLES'] ?? '60';
const SAMPLES = join(import.meta.dirname, '..', '..', 'data', 'samples', 'validator.db');

/**
 * A 503 is what the description says of data that is not there yet. And `application/jsonl+json`, which the validator's
 * clients expect of several unwrapped rows, is no JSON to it.
 */
const SETTINGS = `
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]

[[operations]]
include-name = "GET /query"
parameters = { unwrap = "false" }
`;

const isMissing = PROGRAM === 'none' || spawnSync(PROGRAM, ['--version']).status !== 0;
const test = neededSuite<{ folder: string; gateway: TestGateway }>(
  'long/schemathesis',
  'schemathesis',
  isMissing ? `no ${PROGRAM}: pip install schemathesis, or set SCHEMATHESIS` : undefined,
  PROGRAM === 'none',
);

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-schemathesis-'));
  const data = join(context.folder, 'data');
  runImport(SAMPLES, data);
  writeFileSync(join(context.folder, 'schemathesis.toml'), SETTINGS);
  context.gateway = await startTestGateway({ data });
});
test.after(async ({ folder, gateway }) => {
  await gateway?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

async function run(folder: string, args: readonly string[]): Promise<readonly [number | null, string]> {
  const child = spawn(PROGRAM, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, said];
}

test(`finds nothing in the description of the API, seed ${SEED}`, async ({ folder, gateway }) => {
  const [code, said] = await run(folder, [
    ...['run', `${gateway.url}/openapi.json`, '--url', gateway.url, '--no-color'],
    ...['--seed', SEED, '--max-examples', EXAMPLES],
    // What fits the schema may still be no SQL, or of a chain that is not served.
    ...['--exclude-checks', 'positive_data_acceptance'],
  ]);
  assert.is(code, 0, said);
  assert.match(said, /Operations:\s+Selected: (\d+)\/\1\s+Tested: \1/);
});

test.run();
