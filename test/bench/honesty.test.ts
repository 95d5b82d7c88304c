// A load bench is worth what it notices: wrong, failing and slow answers, and its own children.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { prepareDataset } from '../../bench/load/dataset.ts';
import { createRowCounter } from '../../bench/load/large-reads.ts';
import { workloadNamed } from '../../bench/load/suite.ts';
import { openTruth } from '../../bench/load/truth.ts';
import { hasWrk, NO_WRK } from '../../bench/load/wrk.ts';
import { family } from '../../bench/processes.ts';
import { permutation } from '../../bench/random.ts';
import { at } from '../../bench/statistics.ts';
import { neededSuite } from '../support/needed.ts';
import { inLong, isLong } from '../support/ring.ts';
import { FLIGHTS, ownBenchFolder, quickBench, ROOT, startGateway } from './support.ts';

const test = neededSuite('the bench', 'wrk', hasWrk() ? undefined : NO_WRK);
const removeFolder = ownBenchFolder();
const longTest = inLong(test);
test.after(removeFolder);

const RIGHT = (): string => {
  const row = { id: 7, name: 'Rig #7' };
  return JSON.stringify([row]);
};

async function failureOf(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing failed';
}

/** What the real statement answers, from the truth itself. */
async function rightAnswer(): Promise<{ readonly path: string; readonly body: string }> {
  const dataset = await prepareDataset(FLIGHTS);
  const one = workloadNamed('hot').asks(dataset, { seed: 1, index: 0, of: 1 })();
  const truth = openTruth(dataset.database);
  try {
    // The comparison's message shows the right row.
    const told = truth.compare({ ...one, body: '[{}]' }) ?? '';
    return { path: one.path, body: `[${told.slice(told.indexOf('instead of ') + 'instead of '.length)}]` };
  } finally {
    truth.close();
  }
}

test('a gateway with right answers passes, and one with another value in a row fails before the load', async () => {
  const { body } = await rightAnswer();
  let answer = body;
  const gateway = await startGateway((_, response) => response.end(answer));
  try {
    const lines = await quickBench(['hot'], { url: gateway.url });
    assert.is(lines[0]?.target, 'url');
    assert.ok((lines[0]?.requests ?? 0) > 0);
    answer = body.replace('image.png', 'image.gif');
    assert.match(await failureOf(quickBench(['hot'], { url: gateway.url })), /image\.gif.*instead of/);
  } finally {
    gateway.close();
  }
});

test('an answer that goes wrong during the load fails the run', async () => {
  const { body } = await rightAnswer();
  const wrongs: [string, (response: import('node:http').ServerResponse) => void, RegExp][] = [
    ['a 500', (response) => void response.writeHead(500).end(body), /had a status over 399|status 500/],
    ['a shorter body', (response) => void response.end('[{"id":7,"name":"Rig #7"}]'), /instead of/],
    ['another row', (response) => void response.end(body.replace('"id":7', '"id":8')), /without "id":7/],
    ['half a body', (response) => void response.end(body.slice(0, -2)), /no whole JSON/],
    ['a broken connection', (response) => void response.destroy(), /connections failed|closed before/],
  ];
  for (const [name, spoil, expected] of isLong ? wrongs : wrongs.slice(2, 4)) {
    let count = 0;
    const gateway = await startGateway((_, response) => {
      if (++count >= 40) spoil(response);
      else response.end(body);
    });
    try {
      assert.match(await failureOf(quickBench(['hot'], { url: gateway.url })), expected, name);
    } finally {
      gateway.close();
    }
  }
});

test('an open loop counts the wait of requests that could not start, a closed loop hides it', async () => {
  const body = RIGHT();
  const stallMs = 400;
  let stalledUntil = 0;
  let count = 0;
  const gateway = await startGateway((_, response) => {
    const now = performance.now();
    if (++count === 30) stalledUntil = now + stallMs;
    setTimeout(() => response.end(body), Math.max(0, stalledUntil - now));
  });
  try {
    const lines = await quickBench([], {
      url: gateway.url,
      workloads: [
        {
          ...workloadNamed('hot'),
          checks: 0,
          variants: () => [{ name: 'open', load: { mode: 'open', connections: 1, rate: 200 } }],
        },
      ],
      warmMs: 0,
      measureMs: 600,
      patient: true,
    });
    const line = lines[0];
    if (line?.service === undefined) throw new Error('no open loop');
    // 80 requests were due during the stall and one was under way: a fifth waited for more than half of it.
    assert.ok(at(line.latency, 75) > (stallMs / 4) * 1000, `p75 ${at(line.latency, 75)}`);
    assert.ok(at(line.service, 75) < at(line.latency, 75), 'sending itself was quick');
    assert.ok(line.latency.max >= stallMs * 900);
  } finally {
    gateway.close();
  }
});

test('a statement of the user is measured on any gateway', async () => {
  const asked = new Set<string>();
  const gateway = await startGateway((request, response) => {
    asked.add(decodeURIComponent(request.url ?? ''));
    response.end('[]');
  });
  try {
    const { customWorkload } = await import('../../bench/load/custom.ts');
    const template = 'select * from mine_1_2 where id = {int:3:5} and x < {new}';
    const lines = await quickBench([], {
      url: gateway.url,
      template,
      workloads: [customWorkload(template, [2])],
    });
    assert.is(lines[0]?.variant, 'closed 2');
    assert.ok([...asked].every((path) => /where id = [345] and x < \d+$/.test(path)));
    const total = lines.reduce((sum, line) => sum + line.requests, 0);
    assert.ok(asked.size >= total, 'no statement was asked twice');
  } finally {
    gateway.close();
  }
});

longTest('SIGINT ends the bench and all that it started', async () => {
  const bench = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      join(ROOT, 'bench/run.ts'),
      '--smoke',
      '--targets',
      'naive,reference',
      '--only',
      'lookup',
      '--rounds',
      '50',
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  bench.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!said.includes('closed 64') && bench.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const members = family(bench.pid ?? 0);
  assert.ok(members.length >= 4, 'two generators and a target at least');
  bench.kill('SIGINT');
  const [code] = (await once(bench, 'exit')) as [number];
  assert.is(code, 130);
  const alive = members.filter((pid) => {
    try {
      // A zombie whose parent has not looked yet is gone for our purpose.
      return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  });
  assert.equal(alive, []);
});

longTest('the micro benchmarks run, and a part that throws would fail them', async () => {
  const micro = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/micro.ts'), '--smoke'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [micro.stdout, micro.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const [code] = (await once(micro, 'exit')) as [number];
  assert.is(code, 0, said);
  assert.match(said, 'look up a known plan');
  const { measurePart } = await import('../../bench/micro/part.ts');
  const failing = {
    group: 'failing',
    open: async () => {
      let calls = 0;
      const run = (): void => {
        if (++calls > 3) throw new Error('as it must');
      };
      return { tasks: [{ name: 'throws', run }] };
    },
  };
  assert.match(await failureOf(measurePart(failing, 10)), 'as it must');
});

test('an order without repeats has each number once', () => {
  for (const size of [1, 2, 10, 999, 3_000, 65_536]) {
    const place = permutation(size, 7);
    assert.is(new Set(Array.from({ length: size }, (_, index) => place(index))).size, size);
  }
});

test('rows are counted wherever the answer is cut into parts', () => {
  const text = `[${Array.from({ length: 50 }, (_, id) => JSON.stringify({ id })).join(',')}]`;
  for (let size = 1; size < 40; size++) {
    const counter = createRowCounter();
    for (let from = 0; from < text.length; from += size)
      counter.add(Buffer.from(text.slice(from, from + size)));
    assert.is(counter.rows, 50, `parts of ${size}`);
  }
});

test.run();
