// Kinds of visitors, each an endless loop on a connection of its own: people who read and check what they get,
// and strangers who send what they should not. They record; they judge only their own answers.
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ATTRIBUTES, CHAIN_ID, FLIGHTS, RIGS } from '../data.ts';
import { queryPath as query } from '../load/workload.ts';
import { type Random, wholeBetween } from '../random.ts';
import { BROKEN_HTTP, FORBIDDEN, HEAVY } from './attacks.ts';
import { EXPORT } from './exports.ts';
import { outcomeOf, outcomeOfGood, readReply } from './reply.ts';
import { COUNTER, COUNTER_ROWS } from './source.ts';
import type { Scene, Visitor } from './visitor.ts';

type Visit = Visitor['visit'];

type Asked = { readonly path: string; readonly check: (body: string) => string | undefined };

/** Asks on one connection, checks each answer. */
function reader(next: (scene: Scene) => Asked): Visit {
  return async (scene, { kind, pauseMs }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!scene.over()) {
      const { path, check } = next(scene);
      const started = performance.now();
      try {
        const reply = await readReply(scene.base + path, agent);
        const { status, body } = reply;
        const ms = performance.now() - started;
        const wrong = status === 200 ? check(body) : undefined;
        const detail = wrong ?? `${status} ${body.slice(0, 200)} for ${path}`;
        scene.recorder.add(kind, wrong === undefined ? outcomeOfGood(reply) : 'wrong', ms, detail);
      } catch (error) {
        scene.recorder.add(kind, 'failed', performance.now() - started, `${String(error)} for ${path}`);
      }
      if (pauseMs > 0) await wait(pauseMs * (0.5 + scene.random()));
    }
    agent.destroy();
  };
}

const checked =
  (make: (random: Random) => string) =>
  (scene: Scene): Asked => {
    const statement = make(scene.random);
    return { path: query(statement), check: (body) => scene.truth.compare({ statement, path: '', body }) };
  };

/** Never goes back, never mixes two states, never shows what was not written yet. */
function counterReader(): Visit {
  let seen = 0;
  return reader((scene) => ({
    path: query(`select value from ${COUNTER}`),
    check: (body) => {
      const values = new Set((JSON.parse(body) as { readonly value: number }[]).map((row) => row.value));
      const [value = -1] = values;
      if (values.size !== 1) return `two states in one answer: ${[...values].join(', ')}`;
      if (value < seen) return `the counter went back from ${seen} to ${value}`;
      if (value > scene.newestValue()) return `${value} was never written`;
      seen = value;
      return undefined;
    },
  }));
}

/** Strangers come from elsewhere: the gateway serves clients by what each of them used. Linux has all of 127.0.0.0/8. */
const ELSEWHERE = process.platform === 'linux' ? { localAddress: '127.0.0.66' } : {};

/** Sends statements that must not work, or not for long. */
function stranger(next: (random: Random) => string, mayBeAnswered: boolean): Visit {
  return async (scene, { kind, pauseMs }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ...ELSEWHERE });
    while (!scene.over()) {
      const statement = next(scene.random);
      const started = performance.now();
      try {
        const { status, body } = await readReply(scene.base + query(statement), agent);
        const outcome = status === 200 && !mayBeAnswered ? 'wrong' : outcomeOf(status);
        const detail = `${status} ${body.slice(0, 200)} for ${statement.slice(0, 200)}`;
        scene.recorder.add(kind, outcome, performance.now() - started, detail);
      } catch (error) {
        scene.recorder.add(kind, 'failed', 0, `${String(error)} for ${statement.slice(0, 200)}`);
      }
      await wait(pauseMs * (0.5 + scene.random()));
    }
    agent.destroy();
  };
}

/** Opens a connection, sends, does what `then` says, and leaves it. */
function rawVisitor(bytes: (random: Random) => string, stayMs: number, readSlowly: boolean): Visit {
  return async (scene, { kind, pauseMs }) => {
    const { hostname, port } = new URL(scene.base);
    while (!scene.over()) {
      const started = performance.now();
      let answer = '';
      const socket = connect({ port: Number(port), host: hostname, ...ELSEWHERE });
      socket.on('error', () => {});
      const ended = new Promise((resolve) => socket.once('close', resolve));
      socket.on('data', (part) => {
        if (answer.length < 1000) answer += part.toString('latin1');
        if (!readSlowly) return;
        socket.pause();
        setTimeout(() => socket.resume(), 50);
      });
      socket.write(bytes(scene.random));
      await Promise.race([ended, wait(stayMs)]);
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
      scene.recorder.add(
        kind,
        status === 0 ? 'closed' : outcomeOf(status),
        performance.now() - started,
        answer.slice(0, 200),
      );
      socket.destroy();
      await wait(pauseMs * (0.5 + scene.random()));
    }
  };
}

const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

const request = (statement: string): string =>
  `GET /api/v1${query(statement)} HTTP/1.1\r\nHost: soak\r\n\r\n`;
const rigId = (random: Random): number => wholeBetween(random, 1, 3_000);

export const VISITORS: readonly Visitor[] = [
  {
    kind: 'hot statement',
    count: 2,
    pauseMs: 2,
    visit: reader(checked(() => `select id, name, image from ${RIGS} where id = 7`)),
  },
  {
    kind: 'lookup',
    count: 8,
    pauseMs: 5,
    visit: reader(checked((random) => `select * from ${RIGS} where id = ${rigId(random)}`)),
  },
  {
    kind: 'join lookup',
    count: 4,
    pauseMs: 10,
    visit: reader(
      checked(
        (random) =>
          `select r.name, a.trait_type, a.value from ${RIGS} r join ${ATTRIBUTES} a on a.rig_id = r.id ` +
          `where r.id = ${rigId(random)} order by a.trait_type`,
      ),
    ),
  },
  {
    kind: 'page',
    count: 1,
    pauseMs: 100,
    visit: reader(
      checked(
        (random) =>
          `select * from ${FLIGHTS} where id > ${wholeBetween(random, 0, 99)}000 order by id limit 1000`,
      ),
    ),
  },
  {
    kind: 'aggregate',
    count: 1,
    pauseMs: 500,
    visit: reader(
      checked(
        (random) =>
          `select origin, count(*) as flights, sum(delay) as delay from ${FLIGHTS} ` +
          `where delay > ${wholeBetween(random, 0, 60)} group by origin order by origin`,
      ),
    ),
  },
  {
    kind: 'table metadata',
    count: 2,
    pauseMs: 10,
    visit: reader((scene) => {
      const [id, name] = pick(scene.random, [
        [2, RIGS],
        [3, ATTRIBUTES],
        [4, FLIGHTS],
      ] as const);
      return {
        path: `/tables/${CHAIN_ID}/${id}`,
        check: (body) => {
          const found = (JSON.parse(body) as { readonly name?: unknown }).name;
          return found === name ? undefined : `${String(found)} for ${name}`;
        },
      };
    }),
  },
  EXPORT,
  { kind: `counter of ${COUNTER_ROWS} rows`, count: 1, pauseMs: 20, visit: counterReader() },
  {
    kind: 'forbidden statement',
    count: 2,
    pauseMs: 100,
    visit: stranger((random) => pick(random, FORBIDDEN), false),
  },
  {
    kind: 'heavy statement',
    count: 2,
    pauseMs: 1_500,
    visit: stranger((random) => pick(random, HEAVY)(wholeBetween(random, 1, 1e9)), true),
  },
  {
    kind: 'broken HTTP',
    count: 2,
    pauseMs: 200,
    visit: rawVisitor((random) => pick(random, BROKEN_HTTP), 1_000, false),
  },
  {
    kind: 'slow reader',
    count: 2,
    pauseMs: 500,
    visit: rawVisitor(() => request(`select * from ${FLIGHTS}`), 15_000, true),
  },
  {
    kind: 'leaves at once',
    count: 2,
    pauseMs: 100,
    visit: rawVisitor(
      (random) => request(`select origin, avg(delay + ${random()}) from ${FLIGHTS} group by 1`),
      30,
      false,
    ),
  },
  {
    kind: 'half a head',
    count: 4,
    pauseMs: 500,
    visit: rawVisitor(() => 'GET /api/v1/version HTTP/1.1\r\nHost:', 10_000, false),
  },
];
