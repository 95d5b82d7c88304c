// A shape that is known by small answers, or by large ones whose first part comes quickly, still gives large ones
// whole.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { times } from '../support/ring.ts';

const ROWS = times(300_000, 1_500_000);
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
  // Whole answers are looked at, however long they take.
  gateway = await startTestGateway({ tables: TABLES, args: ['--deadline-ms', '300000'] });
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
});

test.run();
