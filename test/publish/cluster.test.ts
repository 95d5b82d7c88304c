// A cluster of real parts: a source that changes under load is published and pulled by three gateways behind nginx. No
// request fails, each answer is of the snapshot that it names, and whoever saw new data sees none that is older.
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { until } from '../lane/support.ts';
import { neededSuite } from '../support/needed.ts';
import { whyNoNetwork } from '../support/netns.ts';
import { NGINX } from '../support/nginx.ts';
import { inLong, isLong, times } from '../support/ring.ts';
import { CHAIN, type Cluster, type Replica, startCluster } from './cluster.ts';

const needs =
  NGINX === undefined ? 'no nginx: apt-get install nginx-light' : isLong ? whyNoNetwork() : undefined;
const test = neededSuite<{ cluster: Cluster; n: number }>(
  'publish/cluster',
  'an nginx, and in the long ring a network of namespaces,',
  needs,
);

/** 200 take seven minutes: TEST_PUBLISHES=200. */
const TIMED = Number(process.env['TEST_PUBLISHES'] ?? times(3, 60));
const UNTIMED = times(2, 20);
const ACTIVE_IN_MS = 1_000;
const READERS = 4;
const LONG_WAIT = 'wait=120';

test.before(async (context) => {
  context.cluster = await startCluster(isLong);
  context.n = 0;
});
test.after(async ({ cluster }) => cluster?.close());

const queryOf = (statement: string): string => `/query?${new URLSearchParams({ statement })}`;
const STATE = `select c.n as counter, m.n as mirror from counter_${CHAIN}_5 c, mirror_${CHAIN}_6 m where c.n > `;

interface Load {
  /** Answers so far. */
  readonly answers: number;
  readonly failed: readonly string[];
  readonly torn: readonly string[];
  /** Answers that were older than what somebody had seen before they were asked for, by the snapshot that was seen. */
  readonly older: readonly string[];
  stop(): Promise<void>;
}

/** Clients that know of each other: what one has seen, none may see an older state than from then on. */
function startLoad(url: string, salts: () => number): Load {
  const [failed, torn, older]: [string[], string[], string[]] = [[], [], []];
  let answers = 0;
  let busy = true;
  let seen = -1;
  let seenIn = '';
  const reader = async (): Promise<void> => {
    while (busy) {
      const [floor, floorIn] = [seen, seenIn];
      const answer = await fetch(url + queryOf(`${STATE}${-1 - salts()}`));
      const text = await answer.text();
      answers += 1;
      const [, id = '', block = ''] =
        /^(\S+); age=\d+; blocks="31337:(\d+)"$/.exec(answer.headers.get('tablegate-snapshot') ?? '') ?? [];
      if (answer.status !== 200) failed.push(`${answer.status} ${text}`);
      else if (text !== `[{"counter":${block},"mirror":${block}}]`) torn.push(`${id} ${block}: ${text}`);
      else if (Number(block) < floor) older.push(floorIn);
      else if (Number(block) > seen) [seen, seenIn] = [Number(block), id];
      await sleep(2);
    }
  };
  const readers = Promise.allSettled(Array.from({ length: READERS }, reader));
  return {
    get answers() {
      return answers;
    },
    failed,
    torn,
    older,
    async stop() {
      busy = false;
      for (const end of await readers) if (end.status === 'rejected') failed.push(String(end.reason));
    },
  };
}

/** All replicas show it, asked for without polling. @returns the snapshot's id */
async function shownByAll(replicas: readonly Replica[], n: number): Promise<string> {
  const headers = { 'tablegate-min-block': `${CHAIN}:${n}`, prefer: LONG_WAIT };
  const answers = await Promise.all(
    replicas.map(({ url }) => fetch(url + queryOf(`${STATE}-1`), { headers })),
  );
  for (const answer of answers) assert.is(answer.status, 200, await answer.text());
  const ids = answers.map((each) => each.headers.get('tablegate-snapshot')?.split(';')[0] ?? '');
  assert.is(new Set(ids).size, 1, `all show the same: ${ids.join(' ')}`);
  return ids[0] ?? '';
}

/** When each replica turned to it, first to last, in milliseconds. */
function spreadOf(replicas: readonly Replica[], ids: readonly string[]): readonly number[] {
  const turns = new Map<string, number[]>();
  for (const { process } of replicas)
    for (const line of process.log.split('\n').filter((each) => each.includes('"snapshot-opened"'))) {
      const { id, time } = JSON.parse(line) as { readonly id: string; readonly time: string };
      turns.set(id, [...(turns.get(id) ?? []), Date.parse(time)]);
    }
  return ids.map((id) => Math.max(...(turns.get(id) ?? [])) - Math.min(...(turns.get(id) ?? [])));
}
/** Snapshots that some replica had only after their moment. */
function lateIds(replicas: readonly Replica[]): ReadonlySet<string> {
  const found = replicas.flatMap(({ process }) => [
    ...process.log.matchAll(/snapshot (\S+) was ready \d+ ms/g),
  ]);
  return new Set(found.map(([, id = '']) => id));
}

function summary(spread: readonly number[]): string {
  const sorted = spread.toSorted((a, b) => a - b);
  return `median ${sorted[sorted.length >> 1]} ms, most ${sorted.at(-1)} ms`;
}

async function publishUnderLoad(
  context: { cluster: Cluster; n: number },
  count: number,
): Promise<{ load: Load; ids: string[]; ms: number[] }> {
  const { cluster } = context;
  let salt = 0;
  const load = startLoad(cluster.url, () => (salt++ % 4 === 0 ? 0 : salt));
  const ids: string[] = [];
  const ms: number[] = [];
  try {
    for (let i = 0; i < count; i++) {
      context.n += 1;
      const since = performance.now();
      cluster.set(context.n);
      ids.push(await shownByAll(cluster.replicas, context.n));
      ms.push(Math.round(performance.now() - since));
    }
  } finally {
    await load.stop();
  }
  assert.is(new Set(ids).size, count, 'each state was published');
  assert.equal(load.failed.slice(0, 3), [], `${load.failed.length} of ${load.answers} failed`);
  assert.equal(load.torn.slice(0, 3), [], `${load.torn.length} of ${load.answers} are torn`);
  return { load, ids, ms };
}

test('published at once, no request fails and no answer is torn; replicas turn each by itself', async (context) => {
  const { load, ids, ms } = await publishUnderLoad(context, UNTIMED);
  const spread = summary(spreadOf(context.cluster.replicas, ids));
  process.stdout.write(
    `\nNOTE at once: ${ids.length} snapshots, ${load.answers} answers, ${load.older.length} of them older than one before; replicas turned within: ${spread}; from a change to the last replica: ${summary(ms)}\n`,
  );
});

test('published for a moment, nobody sees an older snapshot after a newer one, whichever replica answers', async (context) => {
  const { cluster } = context;
  await cluster.publishWith('--active-in', `${ACTIVE_IN_MS}ms`);
  const { load, ids } = await publishUnderLoad(context, TIMED);
  const late = lateIds(cluster.replicas);
  const spread = summary(spreadOf(cluster.replicas, ids));
  process.stdout.write(
    `\nNOTE for a moment: ${ids.length} snapshots, ${load.answers} answers, ${load.older.length} of them older than one before; replicas turned within: ${spread}; late: ${late.size}\n`,
  );
  // A machine that is too slow for the moment is what the log tells of; of all others it must hold.
  assert.equal(load.older.filter((id) => !late.has(id)).slice(0, 3), []);
  assert.ok(
    late.size < ids.length / 2 + 1,
    `${late.size} of ${ids.length} were late: the machine is too slow`,
  );
});

test('all give the same bytes and ETag for the same request, and a 304 for a tag of another one', async ({
  cluster,
}) => {
  const path = queryOf(`select n, 'calm' as word from calm_${CHAIN}_7`);
  const ask = (url: string, headers: Record<string, string> = {}) => fetch(url + path, { headers });
  // What a statement reads is known once it has run.
  for (const { url } of cluster.replicas) await (await ask(url)).text();
  const answers = await Promise.all(cluster.replicas.map(({ url }) => ask(url)));
  const bodies = await Promise.all(answers.map((each) => each.text()));
  const tags = answers.map((each) => each.headers.get('etag') ?? '');
  assert.equal(new Set(bodies), new Set(['[{"n":7,"word":"calm"}]']));
  assert.is(new Set(tags).size, 1);
  assert.match(tags[0] ?? '', /^W\/"/);
  for (const { url } of cluster.replicas)
    assert.is((await ask(url, { 'if-none-match': tags[0] ?? '' })).status, 304);
});

// The quick ring shows both in test/deploy/replicas.test.ts.
const inLongRing = inLong(test);

inLongRing(
  'a replica that is killed under load costs no request; one that comes back is asked again',
  async (context) => {
    const { cluster } = context;
    let salt = 0;
    const load = startLoad(cluster.url, () => salt++ % 500);
    const rises = (by: number): Promise<void> => {
      const from = load.answers;
      return until(() => load.failed.length > 0 || load.answers >= from + by, 60_000);
    };
    try {
      for (let i = 0; i < 6; i++) {
        await rises(100);
        await cluster.kill(i % 3);
        await rises(200);
        await cluster.start(i % 3);
        // The proxy asks it again: the next one may go.
        await until(
          async () => load.failed.length > 0 || ((await cluster.replicas[i % 3]?.runs()) ?? 0) > 0,
          60_000,
        );
      }
    } finally {
      await load.stop();
    }
    assert.equal(load.failed.slice(0, 3), [], `${load.failed.length} of ${load.answers} failed`);
    assert.equal(load.torn.slice(0, 3), []);
  },
);

inLongRing('with the hash each statement runs once in all, by turns more often', async ({ cluster }) => {
  // No multiple of three: by turns, a statement would come to the same one each time.
  const [statements, rounds] = [400, 6];
  const runs = async (): Promise<number> =>
    (await Promise.all(cluster.replicas.map((each) => each.runs()))).reduce((sum, each) => sum + each, 0);
  const counted: number[] = [];
  for (const hash of [true, false]) {
    const proxy = await cluster.proxyBy({ hash });
    const before = await runs();
    for (let i = 0; i < statements * rounds; i += 8)
      await Promise.all(
        Array.from({ length: 8 }, async (_, j) => {
          const salt = (i + j) % statements;
          const path = queryOf(`select n + ${salt} as s, ${hash} as h from calm_${CHAIN}_7`);
          const answer = await fetch(`${proxy.origin}/api/v1${path}`);
          assert.equal(await answer.json(), [{ s: 7 + salt, h: hash ? 1 : 0 }]);
        }),
      );
    counted.push((await runs()) - before);
  }
  process.stdout.write(
    `\nNOTE ${statements * rounds} requests of ${statements} statements: ${counted[0]} runs with the hash, ${counted[1]} by turns\n`,
  );
  assert.is(counted[0], statements);
  assert.ok((counted[1] ?? 0) > 2 * statements);
});

test.run();
