// Several fronts answer as one does, byte for byte: a slice of the written corpus, and exports to readers that are slow or
// leave.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Case, nameOf } from '../differential/case.ts';
import { BEYOND, CORPUS } from '../differential/corpus.ts';
import type { Client } from '../differential/gateway-client.ts';
import { type SideBySide, startSideBySide } from '../differential/side-by-side.ts';
import { referenceBinary } from '../support/reference.ts';
import { inLong } from '../support/ring.ts';
import { clientOf, clientsOf, isAlive, pidOf, startFronts } from './support.ts';

const ROWS = 100_000;
const EXPORT = `/query?statement=${encodeURIComponent('select i, word from numbers_31337_9 order by i')}`;
const TABLE = {
  name: 'numbers_31337_9',
  columns: [
    { name: 'i', type: 'integer' },
    { name: 'word', type: 'text' },
  ],
  select: `select i, 'a word of its own ' || md5(i::varchar) from range(1, ${ROWS + 1}) t(i)`,
} as const;

if (referenceBinary() === undefined) {
  test.skip('the corpus needs the reference to make its database: there is none for this machine', () => {});
} else {
  inLong(test)('the written corpus is answered in the same bytes', async () => {
    const sides: SideBySide = await startSideBySide();
    try {
      const several: Client = await sides.oursWith(['--fronts', '2']);
      const cases: readonly Case[] = [...Object.values(CORPUS).flat(), ...BEYOND];
      assert.ok(cases.length > 50);
      for (let at = 0; at < cases.length; at += 8)
        await Promise.all(
          cases.slice(at, at + 8).map(async (each) => {
            const [one, other] = await Promise.all([sides.ours.ask(each), several.ask(each)]);
            // What depends on the moment differs from itself.
            if (one.body !== other.body && (await sides.ours.ask(each)).body !== one.body) return;
            const { cache: _, ...rest } = one;
            const { cache: __, ...others } = other;
            assert.equal(others, rest, nameOf(each));
          }),
        );
    } finally {
      await sides.stop();
    }
  });
}

test('exports are whole for quick and slow readers at once, and one whose reader leaves is stopped', async () => {
  const gateway = await startFronts(2, {
    tables: [TABLE],
    args: ['--metrics-port', '0', '--deadline-ms', '60000'],
  });
  try {
    const read = async (pauseMs: number): Promise<string> => {
      const client = clientOf(gateway);
      const answer = await client.open(EXPORT);
      assert.is(answer.statusCode, 200);
      let text = '';
      let parts = 0;
      for await (const part of answer.setEncoding('utf8')) {
        text += part;
        if (pauseMs > 0 && ++parts % 8 === 0) await sleep(pauseMs);
      }
      client.close();
      return text;
    };
    const [quick, slow] = await Promise.all([read(0), read(20)]);
    assert.is((JSON.parse(quick) as unknown[]).length, ROWS);
    assert.ok(slow === quick, 'the slow one has the same bytes');

    // What one has answered, another one knows by its tag.
    const path = '/query?statement=select+i+from+numbers_31337_9+where+i+%3D+5';
    const [a, b] = [clientOf(gateway), clientOf(gateway)];
    const [first, again] = [await a.get(path), await b.get(path)];
    assert.equal([first.body, again.body], ['[{"i":5}]', '[{"i":5}]']);
    assert.is.not(again.front, first.front, 'connections are handed out in turn');
    assert.is((await b.get(path, { 'if-none-match': first.headers['etag'] ?? '' })).status, 304);
    a.close();
    b.close();

    const leaver = clientOf(gateway);
    const answer = await leaver.open(`${EXPORT}&format=table`);
    await once(answer, 'data');
    answer.destroy();
    leaver.close();
    const address = /metrics at (\S+)/.exec(gateway.log)?.[1] ?? '';
    for (let tries = 0; ; tries++) {
      const metrics = await (await fetch(address)).text();
      if (
        !/^tablegate_lane_running\{[^}]*\} [1-9]/m.test(metrics) &&
        /^tablegate_http_requests_running 0$/m.test(metrics)
      )
        break;
      assert.ok(tries < 500, metrics);
      await sleep(20);
    }
    assert.not.match(gateway.log, /bug|ended|killed/);
  } finally {
    await gateway.stop();
  }
});

test('what a front has looked at goes past the row lane', async () => {
  const gateway = await startFronts(2, { tables: [TABLE] });
  const clients = await clientsOf(gateway, 2);
  const lane = pidOf(gateway, 'lane rows');
  assert.ok(isAlive(lane));
  process.kill(lane, 'SIGSTOP');
  try {
    for (const [at, client] of clients.entries()) {
      const { body, headers } = await client.query(`select count(*) as n from ${TABLE.name} where i > ${at}`);
      assert.is(body, `[{"n":${ROWS - at}}]`);
      assert.match(headers['server-timing'] ?? '', /"scan: visits"/);
    }
    assert.not.match(gateway.log, /lane rows (?:ended|killed)/, 'it stands still, and nobody waited for it');
  } finally {
    for (const client of clients) client.close();
    await gateway.stop();
  }
});

test.run();
