// ORDER BY of rows whose order is not known where they are equal by it: answered where none are, left to SQLite where some
// are, before anything of the answer is sent.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCompiler } from '../../src/dialect/compile.ts';
import type { ParamValue } from '../../src/statement/param.ts';
import type { Limits } from '../../src/wire/protocol.ts';
import { OBJECTS, openTestWorker, type Ran, statementJob, type TestWorker } from './support.ts';

const ROWS = 100_000;
const LIMITS: Limits = { deadlineMs: 10_000, maxRows: 1_000_000, maxBytes: 100_000_000 };
const STREAM_BYTES = 16 * 1024;

let worker: TestWorker;
test.before(async () => {
  worker = await openTestWorker({
    threads: 2,
    createCompiler,
    tables: [
      {
        name: 'items_1_1',
        columns: [
          { name: 'id', type: 'integer' },
          { name: 'name', type: 'text' },
        ],
        select: `select i, 'item ' || i from range(${ROWS}) t(i) order by hash(i)`,
      },
      { name: 'one_1_2', columns: [{ name: 'x', type: 'integer' }], select: 'select -1' },
    ],
  });
});
test.after(() => worker.close());

/** In which order SQLite gives the rows of a RIGHT JOIN, its plan does not say. */
const FROM = 'from items_1_1 right join one_1_2 on id > x';
/** The row at a place has the key of the row before it. */
const KEY = (place: number): string => `case when id = ${place} then ${place - 1} else id end`;

async function ask(sql: string, params: readonly ParamValue[] = []): Promise<Ran> {
  return worker.run(statementJob(sql, params, OBJECTS, LIMITS), { streamBytes: STREAM_BYTES });
}
function idsOf({ outcome, text }: Ran): readonly number[] {
  if (!outcome.ok) throw new Error(outcome.detail ?? outcome.message);
  return (JSON.parse(text) as { readonly id: number }[]).map(({ id }) => id);
}
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

function assertTied({ outcome, frames, text }: Ran, what: string): void {
  if (outcome.ok) throw new Error(`${what}: ${text.slice(0, 100)}`);
  assert.is(outcome.code, 'elsewhere', what);
  assert.match(outcome.message, /^rows that are equal by ORDER BY, /, what);
  assert.is(frames.length, 1, `${what}: nothing was sent before`);
}

test('rows of which none are equal by ORDER BY come in its order, and in one part', async () => {
  const ran = await ask(`select id, name ${FROM} order by id`);
  assert.equal(idsOf(ran), range(0, ROWS));
  assert.is(ran.frames.length, 1);
  assert.equal(idsOf(await ask(`select id, name ${FROM} order by id desc limit 3`)), [
    ROWS - 1,
    ROWS - 2,
    ROWS - 3,
  ]);
  assert.equal(
    idsOf(await ask(`select id ${FROM} order by ${KEY(-5)} limit 3 offset 70000`)),
    [70_000, 70_001, 70_002],
  );
});

test('two rows that are equal are found wherever they are, and before any part is sent', async () => {
  // The engine's vectors have 2,048 rows.
  for (const place of [1, 2, 2_047, 2_048, 2_049, 4_096, 61_439, 61_440, ROWS - 1])
    assertTied(await ask(`select id, name ${FROM} order by ${KEY(place)}`), `place ${place}`);
});

test('more than is held until the last row is there is left to SQLite', async () => {
  const { outcome, frames } = await ask(`select id, name, hex(hex(hex(hex(name)))) as h ${FROM} order by id`);
  assert.is(!outcome.ok && outcome.message, 'so many rows of which some may be equal by ORDER BY');
  assert.is(frames.length, 1);
});

test('an answer that was small is asked for as a whole, and still is none where rows are equal', async () => {
  const limited = (limit: number) => ask(`select id, name ${FROM} order by ${KEY(1_500)} limit ${limit}`);
  for (let i = 0; i < 3; i++) assert.equal(idsOf(await limited(1_000)), range(0, 1_000));
  for (const limit of [1_500, 1_501, 5_000]) assertTied(await limited(limit), `limit ${limit}`);
});

test('rows beyond those that are given count where they decide which are given', async () => {
  // Rows 99 and 100 are equal, the 100th and the 101st.
  const page = (limit: number, offset: number) =>
    ask(`select id, name ${FROM} order by ${KEY(100)} limit ? offset ?`, [limit, offset]);
  assert.equal(idsOf(await page(99, 0)), range(0, 99));
  assertTied(await page(100, 0), 'the last and the next');
  assertTied(await page(10, 90), 'the last of a page and the next');
  assertTied(await page(10, 100), 'the first of a page and the one before');
  assert.equal(idsOf(await page(10, 101)), range(101, 111));
  assertTied(await page(-1, 100), 'no limit');
  assert.equal(idsOf(await page(-1, ROWS - 5)), range(ROWS - 5, ROWS));
  assert.equal(idsOf(await page(0, 0)), []);
});

test('keys that are NULL are equal to each other, and to nothing behind the last row', async () => {
  const order = (nulls: string) => `order by case when id in (${nulls}) then null else id end desc`;
  assertTied(await ask(`select id, name ${FROM} ${order('7, 9')}`), 'two of them');
  assert.is(idsOf(await ask(`select id, name ${FROM} ${order('7, -9')}`)).at(-1), 7, 'the last row alone');
  assert.is(idsOf(await ask(`select id, name ${FROM} where id = 7 ${order('7, -9')}`)).length, 1);
});

test('rows that are equal by ORDER BY and in all that is given need no order', async () => {
  const ran = await ask(`select id / 2 as id ${FROM} where id < 8 order by 1`);
  assert.equal(idsOf(ran), [0, 0, 1, 1, 2, 2, 3, 3]);
});

test('a subquery with ORDER BY and LIMIT is held to the same', async () => {
  const inner = (limit: number) => `(select id, name ${FROM} order by ${KEY(10)} limit ${limit})`;
  assert.equal(idsOf(await ask(`select count(name) as id from ${inner(5)}`)), [5]);
  assertTied(await ask(`select count(*) as id from ${inner(10)}`), 'the last and the next');
});

test.run();
