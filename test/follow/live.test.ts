// A real validator's database that a writer changes many times a second, followed by a gateway that is read from at
// full load: no request fails, no answer mixes two states, none is older than one that was seen before it was asked.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon, { type Result } from 'autocannon';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { referenceBinary, startReference } from '../support/reference.ts';
import { times } from '../support/ring.ts';

const test = suite('follow/live');
const folder = mkdtempSync(join(tmpdir(), 'tablegate-follow-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const SECONDS = Number(process.env['TEST_FOLLOW_SECONDS'] ?? times(2, 12));
const MOST_SECONDS = 150;
const SWAPS = times(2, 4);
const CHAIN = 31337;

/** Three tables that say the same number, changed together; and the block, as the validator would. */
const WRITER = `
  import { DatabaseSync } from '@photostructure/sqlite';
  const database = new DatabaseSync(process.argv[1], { timeout: 20000 });
  process.stdout.write('ready\\n');
  let n = 0;
  process.stdin.on('data', () => { clearInterval(timer); process.stdout.write('last ' + n + '\\n'); database.close(); process.exit(0); });
  const timer = setInterval(() => {
    n++;
    database.exec('begin immediate; update counter_${CHAIN}_5 set n = ' + n + '; update mirror_${CHAIN}_6 set n = ' + n +
      '; insert into log_${CHAIN}_7 (n) values (' + n + '); update system_txn_processor set block_number = ' + n + '; commit');
  }, 100);`;

const STATEMENT = `select c.n as counter, m.n as mirror, (select count(*) from log_${CHAIN}_7) as amount, (select max(n) from log_${CHAIN}_7) as newest
  from counter_${CHAIN}_5 c, mirror_${CHAIN}_6 m where c.n > `;

interface State {
  readonly counter: number;
  readonly mirror: number;
  readonly amount: number;
  readonly newest: number | null;
}

async function read(gateway: TestGateway, salt: number): Promise<State> {
  const answer = await gateway.query(`${STATEMENT}${-1 - salt}`);
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  assert.match(
    answer.headers.get('tablegate-snapshot') ?? '',
    /^\d{6}-[0-9a-f]{6}; age=\d+; blocks="31337:\d+"$/,
  );
  return (JSON.parse(text) as State[])[0] as State;
}

test('whoever reads while a validator writes sees every state whole and never an older one again', async () => {
  if (referenceBinary() === undefined) {
    process.stdout.write(`  skipped: the reference has no program for ${process.platform}-${process.arch}\n`);
    return;
  }
  const reference = await startReference({
    seed: (database) => {
      database.exec(`create table counter_${CHAIN}_5 (n integer) strict; create table mirror_${CHAIN}_6 (n integer) strict;
        create table log_${CHAIN}_7 (id integer primary key, n integer) strict;
        insert into counter_${CHAIN}_5 values (0); insert into mirror_${CHAIN}_6 values (0);
        insert into system_txn_processor values (${CHAIN}, 0)`);
      for (const [prefix, id] of [
        ['counter', 5],
        ['mirror', 6],
        ['log', 7],
      ])
        database.exec(
          `insert into registry (id, structure, controller, prefix, chain_id) values (${id}, 's', '0x1', '${prefix}', ${CHAIN})`,
        );
    },
  });
  let gateway: TestGateway | undefined;
  let writer: ChildProcess | undefined;
  try {
    // An empty data folder: the follower makes the first snapshot.
    const data = join(folder, 'data');
    gateway = await startTestGateway({
      data,
      args: [
        ...['--follow', reference.databasePath, '--every', '300ms', '--console', 'off'],
        ...['--max-wait-ms', '60000'],
      ],
    });
    const served = gateway;
    writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, reference.databasePath], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: join(import.meta.dirname, '../..'),
    });
    await once(writer.stdout as NodeJS.EventEmitter, 'data');

    const swaps = (): number => served.seen.filter(({ type }) => type === 'snapshot-opened').length;
    const atLeast = Date.now() + SECONDS * 1000;
    const atMost = Date.now() + MOST_SECONDS * 1000;
    // On a busy machine imports take longer: what counts is that there were some.
    const goesOn = (): boolean => Date.now() < atLeast || (swaps() < SWAPS && Date.now() < atMost);
    let seen = 0;
    let reads = 0;
    const reader = async (salted: boolean): Promise<void> => {
      while (goesOn()) {
        const floor = seen;
        const state = await read(served, salted ? ++reads : 0);
        assert.equal(
          [state.mirror, state.amount, state.newest ?? 0],
          [state.counter, state.counter, state.counter],
          'all of one state',
        );
        assert.ok(state.counter >= floor, `${state.counter} after ${floor} was seen`);
        seen = Math.max(seen, state.counter);
      }
    };
    let answered = 0;
    let stopLoad = (): void => {};
    const statuses = new Map<number, number>();
    const load = new Promise<Result>((resolve, reject) => {
      const instance = autocannon(
        {
          url: `${served.url}/query?statement=${encodeURIComponent(`${STATEMENT}-1`)}`,
          connections: 16,
          duration: MOST_SECONDS + 60,
        },
        (error, result) => (error === null ? resolve(result) : reject(error)),
      );
      stopLoad = () => instance.stop();
      instance.on('response', (_client: unknown, status: number) => {
        answered++;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      });
    });
    await Promise.all([reader(true), reader(true), reader(false), reader(false)]);
    stopLoad();
    const { errors, timeouts } = await load;
    assert.equal([errors, timeouts], [0, 0]);
    assert.equal([...statuses.keys()], [200]);
    assert.ok(swaps() >= SWAPS, `${swaps()} snapshots`);
    assert.equal(
      served.seen.filter(({ type }) => ['bug', 'snapshot-refused', 'follow-failed'].includes(type)),
      [],
    );

    writer.stdin?.write('stop\n');
    const [line] = await once(writer.stdout as NodeJS.EventEmitter, 'data');
    const last = Number(/last (\d+)/.exec(String(line))?.[1]);
    assert.ok(last > 0);
    // Read what you wrote: asked for by its block, it is waited for.
    const written = await fetch(`${served.url}/query?statement=${encodeURIComponent(`${STATEMENT}-1`)}`, {
      headers: { 'tablegate-min-block': `${CHAIN}:${last}`, prefer: 'wait=60' },
    });
    assert.equal(
      await written.json(),
      [{ counter: last, mirror: last, amount: last, newest: last }],
      `the last state, ${last}`,
    );
    const health = (await (await fetch(`${served.url}/health?verbose`)).json()) as Record<string, unknown>;
    assert.equal(health['blocks'], { [CHAIN]: last });
    process.stdout.write(`  ${reads} reads, ${answered} of the load, ${swaps()} snapshots, ${last} states\n`);
    // Kept by number, and no more than those in use.
    assert.ok(readdirSync(join(data, 'snapshots')).filter((name) => /^\d/.test(name)).length <= 4);
    const direct = await fetch(`${reference.url}/query?statement=${encodeURIComponent(`${STATEMENT}-1`)}`);
    assert.equal(
      await direct.json(),
      [{ counter: last, mirror: last, amount: last, newest: last }],
      'as the validator says',
    );
  } finally {
    writer?.kill('SIGKILL');
    await gateway?.stop();
    await reference.stop();
  }
});

test.run();
