// A shape that has earned the fast lane by small answers, or by large ones whose first part comes quickly, still
// gives large ones whole: they take longer than the fast lane has time.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const ROWS = 2_000_000;
const TABLES = [
  {
    name: 'numbers_31337_2',
    primaryKey: 'id',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'word', type: 'text' },
    ],
    select: `select i, 'a word of its own ' || i from range(1, ${ROWS + 1}) t(i)`,
  },
] as const;

let gateway: TestGateway;
test.before(async () => {
  gateway = await startTestGateway({ tables: TABLES, args: ['--index-bytes', '0'] });
});
test.after(() => gateway.stop());

const rowsAfter = (id: number): string => `select id, word from numbers_31337_2 where id > ${id}`;

async function sizeOf(statement: string): Promise<number> {
  const answer = await gateway.query(statement);
  assert.is(answer.status, 200);
  let bytes = 0;
  let end = '';
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    end = Buffer.from(part).toString('latin1').slice(-60);
  }
  assert.ok(end.endsWith(`${ROWS}"}]`), end);
  return bytes;
}

test('after small answers', async () => {
  for (let n = 1; n <= 6; n++) await sizeOf(rowsAfter(ROWS - n));
  assert.ok((await sizeOf(rowsAfter(0))) > ROWS * 30);
});

test('after large ones', async () => {
  for (let n = 1; n <= 4; n++)
    assert.ok((await sizeOf(`select word, id from numbers_31337_2 where word > '${n}'`)) > ROWS * 30);
  assert.ok(
    gateway.seen.every((event) => event.type !== 'run' || event.job !== 'index'),
    'indexes are off',
  );
});

test('values and rows of hundreds of megabytes are given whole or refused, and end nothing', async () => {
  const big = {
    name: 'big_31337_3',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'x', type: 'text' },
    ],
    select: `select i, repeat('x', 150000) || (i % 3) from range(2000) t(i)`,
  } as const;
  const other = await startTestGateway({ tables: [big] });
  try {
    const sizeOrCode = async (statement: string): Promise<number | string> => {
      const answer = await other.query(statement);
      if (answer.status !== 200) return ((await answer.json()) as { code: string }).code;
      let bytes = 0;
      for await (const part of answer.body ?? []) bytes += part.length;
      return bytes;
    };
    assert.is(await sizeOrCode('select group_concat(x) as g from big_31337_3 where id < 600'), 90_001_209);
    assert.is(await sizeOrCode('select x from big_31337_3 where id < 500'), 75_005_001);
    // More than a lane's process may have beside the engine, where it has other things in memory.
    for (const [statement, bytes] of [
      ['select group_concat(x) as g from big_31337_3', 300_004_009],
      ['select x from big_31337_3', 300_020_001],
    ] as const)
      assert.match(String(await sizeOrCode(statement)), new RegExp(`^(${bytes}|limit-memory)$`), statement);
    assert.is(await sizeOrCode('select count(*) as n from big_31337_3'), '[{"n":2000}]'.length);
    assert.ok(other.seen.every(({ type }) => type !== 'bug'));
  } finally {
    await other.stop();
  }
});

test.run();
