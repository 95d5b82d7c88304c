// What a swap means for answers that were given before: those of tables that did not change stay, as hits and as 304;
// those of tables that did are never given again. With real imports and a real gateway.
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeDatabase, register, type Scratch, scratch } from '../ingest/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { times } from '../support/ring.ts';

interface Context {
  files: Scratch;
  source: string;
  data: string;
  gateway: TestGateway;
}
const test = suite<Context>('routes/versions');

const CHAIN = 31337;
const CALM = `calm_${CHAIN}_1`;
const BUSY = `busy_${CHAIN}_2`;

test.before.each(async (context) => {
  context.files = scratch();
  context.source = makeDatabase(context.files.path('database.db'), (database) => {
    for (const table of [CALM, BUSY]) {
      database.exec(`create table ${table} (id integer primary key, n integer) strict`);
      database.exec(`insert into ${table} values (1, 0), (2, 0)`);
      register(database, table);
    }
    database.exec(`insert into system_txn_processor values (${CHAIN}, 0)`);
  });
  context.data = context.files.path('data');
  runImport(context.source, context.data);
  context.gateway = await startTestGateway({
    data: context.data,
    args: ['--watch-every', '100ms', '--console', 'off'],
  });
});
test.after.each(async ({ gateway, files }) => {
  await gateway?.stop();
  rmSync(files.folder, { recursive: true, force: true });
});

function change(source: string, n: number): void {
  const database = new DatabaseSync(source);
  database.exec(
    `update ${BUSY} set n = ${n}; update system_txn_processor set block_number = ${n} where chain_id = ${CHAIN}`,
  );
  database.close();
}

const opened = ({ seen }: TestGateway): number =>
  seen.filter(({ type }) => type === 'snapshot-opened').length;

/** Changes one table, imports that, and waits until it is served. */
async function turn({ source, data, gateway }: Context, n: number): Promise<void> {
  const before = opened(gateway);
  change(source, n);
  runImport(source, data, '--update');
  for (let i = 0; opened(gateway) === before; i++) {
    assert.ok(i < 1000, 'the new snapshot is not served');
    await sleep(20);
  }
}

interface Told {
  readonly status: number;
  readonly etag: string;
  readonly body: string;
  readonly cache: string | null;
  readonly snapshot: string;
}

async function told(answer: Response): Promise<Told> {
  const { headers, status } = answer;
  return {
    status,
    etag: headers.get('etag') ?? '',
    body: await answer.text(),
    cache: headers.get('cache-status'),
    snapshot: headers.get('tablegate-snapshot')?.split(';')[0] ?? '',
  };
}

const queryPath = (statement: string, more = ''): string =>
  `/query?${new URLSearchParams({ statement })}${more}`;

function get({ url }: TestGateway, path: string, etag?: string): Promise<Told> {
  return fetch(url + path, etag === undefined ? {} : { headers: { 'if-none-match': etag } }).then(told);
}

const STAYS = [
  queryPath(`select n from ${CALM} where id = 1`),
  queryPath(`select n from ${CALM} where id = 1`, '&format=table'),
  queryPath(`select count(*) as c from ${CALM} a join ${CALM.toUpperCase()} b on a.id = b.id`),
  queryPath(`with ${BUSY} as (select 1 as n) select * from ${BUSY}`),
  queryPath(`select n from ${CALM} where id = 1`, '&unwrap=true&extract=true'),
  queryPath('select 1 as one'),
  `/tables/${CHAIN}/1`,
  `/tables/${CHAIN}/1.svg`,
  `/tables/${CHAIN}/1.html`,
];
const CHANGES = [
  queryPath(`select n from ${BUSY} where id = 1`),
  queryPath(`select n from ${CALM} union all select n from ${BUSY}`),
  queryPath(`select n from ${CALM} where id in (select id from ${BUSY} where n < 1)`),
  queryPath(`select 1 as one where exists (select 1 from ${BUSY} where n = 0)`),
  queryPath(`select n, block_num(${CHAIN}) as b from ${CALM} where id = 1`),
  queryPath(`select block_number from system_txn_processor`),
  `/tables/${CHAIN}/2.svg`,
  `/tables/${CHAIN}/2.html`,
];

test('an update of one table leaves the tags of all answers that do not read it', async (context) => {
  const { gateway } = context;
  const first = new Map<string, Told>();
  for (const path of [...STAYS, ...CHANGES]) {
    const answer = await get(gateway, path);
    assert.is(answer.status, 200, `${path}: ${answer.body}`);
    assert.match(answer.etag, /^W\/"/, path);
    first.set(path, answer);
  }
  assert.is(new Set([...first.values()].map(({ etag }) => etag)).size, first.size, 'a tag each');
  await turn(context, 1);
  for (const path of STAYS) {
    const before = first.get(path) as Told;
    const again = await get(gateway, path, before.etag);
    assert.is(again.status, 304, path);
    assert.is(again.etag, before.etag);
    assert.is.not(again.snapshot, before.snapshot, 'what it says of the data is new');
    const whole = await get(gateway, path);
    assert.equal([whole.status, whole.body, whole.etag], [200, before.body, before.etag], path);
    assert.is(whole.snapshot, again.snapshot);
    if (path.startsWith('/query')) assert.is(whole.cache, 'tablegate; hit', path);
  }
  for (const path of CHANGES) {
    const before = first.get(path) as Told;
    const again = await get(gateway, path, before.etag);
    assert.is(again.status, 200, path);
    assert.is.not(again.etag, before.etag, path);
    assert.is.not(again.body, before.body, path);
    if (path.startsWith('/query')) assert.is(again.cache, 'tablegate; fwd=miss', path);
  }
});

test('a POST, other literals of a known shape, and a client that comes only after the swap are no exceptions', async (context) => {
  const { gateway } = context;
  const calm = (id: number): string => `select n from ${CALM} where id = ${id}`;
  const posted = async (etag?: string): Promise<Told> =>
    told(
      await gateway.post(
        { statement: calm(2) },
        { 'content-type': 'application/json', ...(etag === undefined ? {} : { 'if-none-match': etag }) },
      ),
    );
  await get(gateway, queryPath(calm(1)));
  const { etag } = await posted();
  await turn(context, 1);
  // The statement itself was never asked by this client, nor since the swap by anybody.
  assert.is((await get(gateway, queryPath(calm(2)), etag)).status, 304);
  assert.is((await posted(etag)).status, 304);
  const fresh = await get(gateway, queryPath(calm(7)));
  await turn(context, 2);
  assert.is((await get(gateway, queryPath(calm(7)), fresh.etag)).status, 304);
});

test('the same data has the same tags after a restart', async (context) => {
  const before = await Promise.all(STAYS.slice(0, 6).map((path) => get(context.gateway, path)));
  await context.gateway.stop();
  context.gateway = await startTestGateway({ data: context.data, args: ['--console', 'off'] });
  const after = await Promise.all(STAYS.slice(0, 6).map((path) => get(context.gateway, path)));
  assert.equal(
    after.map(({ etag, body }) => [etag, body]),
    before.map(({ etag, body }) => [etag, body]),
  );
});

test('a table that goes and comes back with other rows is another one', async (context) => {
  const { gateway, source, data } = context;
  const paths = [queryPath(`select n from ${BUSY} where id = 1`), `/tables/${CHAIN}/2`];
  const before = await Promise.all(paths.map((path) => get(gateway, path)));
  const alter = async (sql: string): Promise<void> => {
    const count = opened(gateway);
    const database = new DatabaseSync(source);
    database.exec(sql);
    database.close();
    runImport(source, data, '--update');
    for (let i = 0; opened(gateway) === count && i < 1000; i++) await sleep(20);
  };
  await alter(`alter table ${BUSY} rename to aside; delete from registry where id = 2`);
  for (const [i, path] of paths.entries())
    assert.ok((await get(gateway, path, before[i]?.etag)).status >= 400, path);
  await alter(
    `alter table aside rename to ${BUSY}; update ${BUSY} set n = 5; insert into registry (id, structure, controller, prefix, created_at, chain_id) values (2, 's', '0x1', 'busy', 9, ${CHAIN})`,
  );
  for (const [i, path] of paths.entries()) {
    const now = await get(gateway, path, before[i]?.etag);
    assert.is(now.status, 200, path);
    assert.is.not(now.body, before[i]?.body, path);
  }
});

const SECONDS = times(0, 12);
const TURNS = 3;

test('while a writer changes one table, its readers are never behind and those of the other keep their tag', async (context) => {
  const { gateway } = context;
  let busy = true;
  /** Of the snapshot that was served when it was last looked at: nobody who asks later may see less. */
  let floor = 0;
  const values = new Map<string, string>();
  const counts = { notModified: 0, whole: 0, calmRuns: 0 };
  const reader = async (salt: number): Promise<void> => {
    const path = queryPath(`select n, ${salt} as salt, id from ${BUSY}`);
    let known: { readonly etag: string; readonly n: number } | undefined;
    while (busy) {
      const least = floor;
      const answer = await get(gateway, path, known?.etag);
      if (answer.status === 304) {
        counts.notModified += 1;
        assert.is(answer.etag, known?.etag);
        assert.ok((known?.n ?? -1) >= least, `304 of ${known?.n} where ${least} was served`);
        continue;
      }
      counts.whole += 1;
      assert.is(answer.status, 200, answer.body);
      const rows = JSON.parse(answer.body) as { readonly n: number }[];
      const n = rows[0]?.n ?? -1;
      assert.equal(
        rows.map((row) => row.n),
        [n, n],
        'all of one state',
      );
      assert.ok(n >= Math.max(least, known?.n ?? 0), `${n} where ${least} was served`);
      const same = values.get(answer.etag);
      assert.ok(same === undefined || same === answer.body, 'one tag, two bodies');
      values.set(answer.etag, answer.body);
      known = { etag: answer.etag, n };
    }
  };
  const calm = async (): Promise<void> => {
    const path = queryPath(`select n, id from ${CALM}`);
    const { etag } = await get(gateway, path);
    while (busy) {
      assert.is((await get(gateway, path, etag)).status, 304);
      const whole = await get(gateway, path);
      assert.is(whole.etag, etag);
      if (whole.cache !== 'tablegate; hit') counts.calmRuns += 1;
    }
  };
  const readers = [reader(1), reader(2), reader(2), calm()];
  try {
    const end = Date.now() + SECONDS * 1000;
    for (let n = 1; n <= TURNS || Date.now() < end; n++) {
      await turn(context, n);
      floor = n;
      await sleep(200);
    }
  } finally {
    busy = false;
    await Promise.all(readers);
  }
  assert.ok(counts.notModified > 0 && counts.whole >= TURNS, JSON.stringify(counts));
  assert.is(counts.calmRuns, 0, 'kept through every swap');
});

test.run();
