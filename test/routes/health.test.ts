// Health and refusals while lanes are gone: a gateway that cannot answer says so, stays up, and comes back.
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

const test = suite<{ data: string; gateway: TestGateway }>('routes/health');

test.before.each(async (context) => {
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-health-'));
  await makeSnapshot(context.data, TABLES);
  context.gateway = await startTestGateway({ data: context.data });
});
test.after.each(async ({ data, gateway }) => {
  await gateway.stop();
  rmSync(data, { recursive: true, force: true });
});

const STATEMENT = `select id from tokens_${CHAIN}_1 where id = 1`;

function killLanes(gateway: TestGateway): void {
  for (const event of gateway.seen) {
    if (event.type !== 'lane-started') continue;
    try {
      process.kill(event.pid, 'SIGKILL');
    } catch {
      // It ended before.
    }
  }
}

async function health(gateway: TestGateway): Promise<number> {
  const answer = await fetch(`${gateway.url}/health`);
  const text = await answer.text();
  if (answer.status === 503) {
    assert.is((JSON.parse(text) as { code: string }).code, 'not-ready');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  } else assert.is(answer.status, 200, text);
  return answer.status;
}

async function untilHealth(gateway: TestGateway, status: number): Promise<void> {
  for (let i = 0; i < 1500; i++) {
    if ((await health(gateway)) === status) return;
    await sleep(20);
  }
  throw new Error(`health never became ${status}`);
}

test('after its lanes were killed a gateway answers again, and health is 200 or 503 meanwhile', async ({
  gateway,
}) => {
  await untilHealth(gateway, 200);
  killLanes(gateway);
  await untilHealth(gateway, 200);
  const answer = await gateway.query(STATEMENT);
  assert.is(await answer.text(), '[{"id":1}]');
});

test('a request that runs while its lane is killed is answered all the same', async ({ gateway }) => {
  const asked = Array.from({ length: 20 }, () => gateway.query(STATEMENT));
  killLanes(gateway);
  for (const answer of await Promise.all(asked)) {
    const text = await answer.text();
    assert.ok(answer.status === 200 || answer.status === 503, text);
    if (answer.status === 200) assert.is(text, '[{"id":1}]');
  }
});

test('a snapshot that is gone when a lane must start anew is 503, and 200 when it is back', async ({
  data,
  gateway,
}) => {
  const folder = join(data, 'snapshots');
  const [name = ''] = readdirSync(folder).filter((each) => /^\d/.test(each));
  renameSync(join(folder, name), join(data, 'aside'));
  killLanes(gateway);
  await untilHealth(gateway, 503);
  // What the front runs itself needs no lane.
  const refused = await gateway.query(`${STATEMENT} and name like '%'`);
  assert.is(refused.status, 503, await refused.text());
  assert.is((await fetch(`${gateway.url}/version`)).status, 200, 'the front is up');
  renameSync(join(data, 'aside'), join(folder, name));
  await untilHealth(gateway, 200);
  assert.is(await (await gateway.query(STATEMENT)).text(), '[{"id":1}]');
});

test.run();
