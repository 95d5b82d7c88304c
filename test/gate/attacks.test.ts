// Attacks through the front door: real statements that hang, grow, nest and multiply. Whatever each is answered,
// it is answered, in words that a client may read; the next lookup is answered too, and the data is untouched.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ITEMS } from '../lane/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { times } from '../support/ring.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { DEEP, HEAVY, LONG } from './attacks.ts';

const MIB = 1024 * 1024;
const DEADLINE_MS = times(300, 800);
/** Not a measure of speed: a hang lasts for ever, and this machine may be busy. */
const FOR_EVER_MS = 20_000;

let gateway: TestGateway;
let data: string;
test.before(async () => {
  data = mkdtempSync(join(tmpdir(), 'tablegate-attacks-'));
  await makeSnapshot(data, [ITEMS]);
  const args = {
    'deadline-ms': DEADLINE_MS,
    'scan-memory-bytes': 512 * MIB,
    // Lookups stand beside scans here, and others may keep the machine busy.
    'scan-nice': 0,
    'lane-spare-bytes': 512 * MIB,
    'result-cache-bytes': 0,
  };
  gateway = await startTestGateway({
    data,
    args: Object.entries(args).flatMap(([name, value]) => [`--${name}`, String(value)]),
  });
});
test.after(async () => {
  await gateway?.stop();
  rmSync(data, { recursive: true, force: true });
});

interface Ending {
  readonly status: number;
  readonly body: string;
}
async function attack(statement: string): Promise<Ending> {
  const before = performance.now();
  const answer = await gateway.post({ statement });
  const body = await answer.text();
  assert.ok(performance.now() - before < FOR_EVER_MS, statement.slice(0, 100));
  return { status: answer.status, body };
}
const folder = (): string =>
  readdirSync(join(data, 'snapshots'), { recursive: true, withFileTypes: true })
    .map((entry) => {
      const bytes = entry.isFile() ? readFileSync(join(entry.parentPath, entry.name)) : '';
      return `${entry.name} ${createHash('sha256').update(bytes).digest('hex')}`;
    })
    .join('\n');
/** Waits out a lane that was killed: a new shape needs the one that is being started. */
async function again(statement: string): Promise<Ending> {
  for (let tries = 0; ; tries++) {
    const ending = await attack(statement);
    if (ending.status !== 503 || tries === 20) return ending;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

for (const [kind, attacks] of Object.entries({ LONG, HEAVY, DEEP }))
  test(`outlives statements: ${kind.toLowerCase()}`, async () => {
    const before = folder();
    for (const [name, statement] of Object.entries(attacks)) {
      const { status, body } = await again(statement);
      assert.ok(status === 200 || status === 400, `${name}: ${status} ${body}`);
      if (status === 400) {
        const { code, message } = JSON.parse(body) as { code: string; message: string };
        assert.is.not(code, 'internal', name);
        assert.not.match(message, /tmp|snapshots|node_modules|\.duckdb|\bat .*:\d+:\d+|DuckDB/i, name);
        // Over a limit, the message says which.
        if (code === 'limit-time') assert.match(message, `${DEADLINE_MS} ms`);
        if (code === 'limit-memory') assert.match(message, /limit of \d+ bytes/);
        if (code === 'statement-too-complex') assert.match(message, /\d/, `${name}: ${message}`);
      }
      const other = await again('select name from items_1_1 where id = 5');
      assert.is(other.body, '[{"name":"item 5"}]', name);
    }
    assert.is(folder(), before);
    assert.not.ok(gateway.seen.some((event) => event.type === 'bug'));
    assert.not.ok(gateway.seen.some((event) => event.type === 'request' && event.status === 500));
  });

test('names the limit of rows and of bytes', async () => {
  const small = await startTestGateway({
    data,
    args: ['--max-result-rows', '100', '--max-result-bytes', '1000'],
  });
  try {
    const rows = await small.query('select id from items_1_1 limit 101');
    assert.is(rows.status, 400);
    assert.match(await rows.text(), /limit-rows|limit of 100/);
    assert.is((await small.query('select 1 from items_1_1 limit 90')).status, 200);
    const bytes = await small.query('select name, name, name from items_1_1 limit 100');
    assert.is(bytes.status, 400);
    assert.match(await bytes.text(), /limit of 1000/);
  } finally {
    await small.stop();
  }
});

test.run();
