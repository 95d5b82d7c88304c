// One bucket a client over several processes: whatever order requests come in, whichever process they come to and however
// late messages are, no client gets more than one bucket gives; and on one process it gets what one bucket gives.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLeasedLimiter, type LeasedLimiter } from '../../src/limit/leased.ts';
import { createLedger, type Ledger } from '../../src/limit/ledger.ts';
import { type Admission, createLimiter } from '../../src/limit/limiter.ts';
import { times } from '../support/ring.ts';

const SEED = Number(process.env['LEDGER_SEED'] ?? 15);

interface Fleet {
  readonly ledger: Ledger;
  readonly fronts: readonly LeasedLimiter[];
  nowMs: number;
  /** Messages between a front and the ledger that have not arrived; each direction keeps its order. */
  readonly underWay: (() => void)[][];
  /** Asks; how it ends is known when the messages have arrived. */
  ask(front: number, client: string): Outcome;
  /** Lets messages of a front arrive: both directions. */
  deliver(front: number): void;
  deliverAll(): void;
}
interface Outcome {
  admission: Admission | undefined;
  /** When it was decided: by the ledger where it had to be asked. */
  atMs: number;
}

function fleetOf(count: number, rate: { perSecond: number; burst: number }, engineMsPerToken = 0): Fleet {
  const underWay: (() => void)[][] = Array.from({ length: count }, () => []);
  const its = { nowMs: 0 };
  const leasedAt = new Map<string, number>();
  const now = (): number => its.nowMs;
  const ledger = createLedger({ ...rate, maxClients: 100, engineMsPerToken, holders: count, now });
  const fronts: LeasedLimiter[] = Array.from({ length: count }, (_, at) => {
    const send = (message: () => void): void => {
      underWay[at]?.push(message);
    };
    return createLeasedLimiter({
      ...{ ...rate, maxClients: 100, apiKeys: ['key'], engineMsPerToken, now },
      ask: (key, want) =>
        send(() => {
          const grant = ledger.lease(at, key, want);
          const decidedMs = its.nowMs;
          send(() => {
            leasedAt.set(`${at} ${key}`, decidedMs);
            fronts[at]?.granted(grant);
          });
        }),
      giveBack: (tokens) =>
        send(() => {
          for (const [key, tokensOf] of tokens) ledger.giveBack(at, key, tokensOf);
        }),
      charge: (client, ms) => send(() => ledger.charge(client, ms)),
    });
  });
  const deliver = (front: number): void => {
    underWay[front]?.shift()?.();
  };
  return Object.assign(its, {
    ledger,
    fronts,
    underWay,
    ask(front: number, client: string) {
      const outcome: Outcome = { admission: undefined, atMs: its.nowMs };
      const given = fronts[front]?.admit(client, undefined);
      if (given instanceof Promise)
        given.then((admission) => {
          outcome.admission = admission;
          outcome.atMs = leasedAt.get(`${front} ${client}`) ?? -1;
        });
      else outcome.admission = given;
      return outcome;
    },
    deliver,
    deliverAll() {
      for (let front = 0; front < count; front++) while ((underWay[front]?.length ?? 0) > 0) deliver(front);
    },
  });
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), front: fc.nat(3), client: fc.nat(1) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), front: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(2_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tick' as const), front: fc.nat(3) }) },
  // So much that a bucket which was full is empty after it.
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('flood' as const), front: fc.nat(3), client: fc.nat(1) }),
  },
);

test('over all processes no client ever gets more than burst and rate, in any order of messages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.record({
        perSecond: fc.integer({ min: 1, max: 50 }),
        burst: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 100, max: 300 })),
      }),
      fc.array(step, { minLength: 20, maxLength: 100 }),
      async (count, rate, steps) => {
        const fleet = fleetOf(count, rate);
        const asked: { readonly client: number; readonly outcome: Outcome }[] = [];
        const ask = (front: number, client: number): void => {
          asked.push({ client, outcome: fleet.ask(front % count, `10.0.0.${client}`) });
        };
        for (const one of steps) {
          if (one.kind === 'pass') fleet.nowMs += one.ms;
          else if (one.kind === 'deliver') fleet.deliver(one.front % count);
          else if (one.kind === 'tick') fleet.fronts[one.front % count]?.tick();
          else if (one.kind === 'ask') ask(one.front, one.client);
          else
            for (let n = 0; n < rate.burst; n++) {
              ask(one.front + n, one.client);
              fleet.deliver((one.front + n) % count);
              await Promise.resolve();
            }
          await Promise.resolve();
        }
        while (fleet.underWay.some(({ length }) => length > 0))
          for (let front = 0; front < count; front++) {
            fleet.deliver(front);
            await Promise.resolve();
          }
        await settle();
        for (const { outcome } of asked) assert.ok(outcome.admission !== undefined, 'everybody is answered');
        for (const client of [0, 1]) {
          const allowed = asked
            .filter((each) => each.client === client && each.outcome.admission?.allowed === true)
            .map(({ outcome }) => outcome.atMs)
            .sort((a, b) => a - b);
          // From every moment to every later one.
          for (const [from, began] of allowed.entries())
            for (let to = from; to < allowed.length; to++) {
              const most = rate.burst + (((allowed[to] ?? 0) - began) * rate.perSecond) / 1000;
              assert.ok(to - from + 1 <= most + 1e-6, `${to - from + 1} of at most ${most}`);
            }
        }
      },
    ),
    { seed: SEED, numRuns: times(60, 1_000) },
  );
});

test('on one of the processes a client gets what its bucket gives, but for what is lost while tokens lie there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        perSecond: fc.integer({ min: 1, max: 50 }),
        burst: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 300 })),
      }),
      fc.array(fc.oneof(fc.nat(20), fc.nat(400)), { minLength: 1, maxLength: 300 }),
      async (rate, pauses) => {
        const fleet = fleetOf(4, rate);
        const one = createLimiter({ ...rate, maxClients: 10, apiKeys: [], now: () => fleet.nowMs });
        let ours = 0;
        let theirs = 0;
        for (const pause of pauses) {
          fleet.nowMs += pause;
          const outcome = fleet.ask(2, '10.0.0.1');
          fleet.deliverAll();
          await settle();
          if (outcome.admission?.allowed === true) ours += 1;
          if (one.admit('10.0.0.1', undefined)?.allowed === true) theirs += 1;
          fleet.fronts[2]?.tick();
          fleet.deliverAll();
        }
        assert.ok(ours >= Math.floor(theirs - Math.max(1, rate.burst * 0.02)), `${ours} of ${theirs}`);
      },
    ),
    { seed: SEED, numRuns: times(60, 1_000) },
  );
});

test('a client that is refused is refused without a question until there is a token again', async () => {
  const fleet = fleetOf(2, { perSecond: 1, burst: 2 });
  const asks = async (front: number): Promise<Admission | undefined> => {
    const outcome = fleet.ask(front, '10.0.0.1');
    fleet.deliverAll();
    await settle();
    return outcome.admission;
  };
  assert.equal([(await asks(0))?.remaining, (await asks(1))?.remaining], [1, 0]);
  const refused = await asks(0);
  assert.equal([refused?.allowed, refused?.retryAfterMs, refused?.limit], [false, 1000, 2]);
  fleet.nowMs = 900;
  for (let i = 0; i < 1000; i++) assert.is(fleet.ask(0, '10.0.0.1').admission?.allowed, false);
  assert.is(fleet.underWay[0]?.length, 0, 'no message');
  fleet.nowMs = 1000;
  assert.is((await asks(0))?.allowed, true);
});

test('what one process does not use is there for the others once it is given back', async () => {
  const fleet = fleetOf(2, { perSecond: 1, burst: 400 });
  const first = fleet.ask(0, '10.0.0.1');
  fleet.deliverAll();
  await settle();
  assert.is(first.admission?.remaining, 399);
  const others: Outcome[] = [];
  for (let i = 0; i < 400; i++) {
    others.push(fleet.ask(1, '10.0.0.1'));
    fleet.deliverAll();
    await settle();
  }
  const allowed = (): number => others.filter(({ admission }) => admission?.allowed === true).length;
  assert.is(allowed(), 392, 'a batch lies with the other');
  fleet.nowMs = 300;
  fleet.fronts[0]?.tick();
  fleet.deliverAll();
  for (let i = 0; i < 10; i++) {
    fleet.nowMs = 1000 + i;
    others.push(fleet.ask(1, '10.0.0.1'));
    fleet.deliverAll();
    await settle();
  }
  assert.is(allowed(), 400, 'all, and what came since');
});

test('what a process that ended held is neither lost to the rate for ever nor given twice', async () => {
  const fleet = fleetOf(2, { perSecond: 100, burst: 400 });
  fleet.ask(0, '10.0.0.1');
  fleet.deliverAll();
  await settle();
  fleet.ledger.forget(0);
  fleet.nowMs = 100_000;
  const outcomes = Array.from({ length: 500 }, () => fleet.ask(1, '10.0.0.1'));
  fleet.deliverAll();
  await settle();
  assert.is(outcomes.filter(({ admission }) => admission?.allowed === true).length, 400);
});

test('keys are exempt, engine time is charged, and a rate of 0 asks nobody', async () => {
  const fleet = fleetOf(2, { perSecond: 1, burst: 2 }, 100);
  assert.is(fleet.fronts[0]?.admit('10.0.0.1', 'key'), undefined);
  assert.ok(fleet.fronts[0]?.admit('10.0.0.1', 'other') instanceof Promise);
  fleet.deliverAll();
  await settle();
  fleet.fronts[0]?.charge('10.0.0.1', 300);
  fleet.deliverAll();
  const outcome = fleet.ask(1, '10.0.0.1');
  fleet.deliverAll();
  await settle();
  assert.equal([outcome.admission?.allowed, outcome.admission?.retryAfterMs], [false, 3000]);
  const off = fleetOf(1, { perSecond: 0, burst: 1 });
  assert.is(off.fronts[0]?.admit('10.0.0.1', undefined), undefined);
});

test.run();
