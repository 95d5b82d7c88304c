// What ends in the scan lane is asked of the distributed engine where that is set and its tables have copies there; where
// that cannot answer, it ends as if nobody had been asked. A cluster that answers is test/long/remote-lake.test.ts's.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeLake } from '../../src/snapshot/lake.ts';
import { ITEMS, startTestLanes, statement } from './support.ts';

const test = suite('lane/overflow');

/** 40 thousand million pairs. */
const ENDLESS = 'select count(*) from items_1_1 a, items_1_1 b where a.id * 3 + b.id * 7 > 11';
const ENDS = { deadlineMs: 300 };

test('a cluster that is gone is asked for tables that it has, and the time limit is what is told', async () => {
  let asked = 0;
  const gone = createServer(async (request, response) => {
    const body = await text(request);
    // How many nodes there are is asked now and then, whatever runs.
    if (request.method === 'POST' && !body.includes('runtime.nodes')) asked += 1;
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  const lanes = await startTestLanes({
    config: { trino: `http://127.0.0.1:${port}`, trinoOverflow: 'on' },
    locks: {},
    tables: [ITEMS],
  });
  try {
    const ended = async (): Promise<string> => {
      const reply = await lanes.lanes.run(statement(ENDLESS, ENDS));
      return reply.ok ? 'answered' : `${reply.code}: ${reply.message}`;
    };
    const LIMIT = 'limit-time: the statement ran longer than the limit of 300 ms';
    assert.is(await ended(), LIMIT);
    assert.is(asked, 0, 'none of its tables is there');
    const tables = { items_1_1: 'items_1_1' };
    await writeLake(lanes.snapshot.path, { catalog: 'lake', schema: 's000001', tables });
    assert.is(await ended(), LIMIT);
    assert.ok(asked > 0, 'it was not asked');
  } finally {
    await lanes.close();
    gone.close();
    gone.closeAllConnections();
  }
});

test.run();
