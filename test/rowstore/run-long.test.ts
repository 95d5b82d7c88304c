// A long lane's statements while the garbage collector works: what is read row by row is held until its last row.
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Line, runLong } from '../../src/rowstore/run.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { QueryJob } from '../../src/wire/protocol.ts';
import { openTestStore, type TestStore } from './support.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const test = suite<{ given: TestStore }>('rowstore/run-long');
test.before(async (context) => {
  context.given = await openTestStore({ seeks: false });
});
test.after(({ given }) => given.close());

/** Of a shape that was never asked, so that nothing of it is kept. */
function jobOf(number: number): QueryJob {
  const text = `select id as id_${number}, json_array(n) as list, unicode(trim(n || 'x')) as first from big_1_5`;
  const { shape, literals } = readStatement(text, [], 35_000);
  return {
    kind: 'query',
    shape,
    literals,
    output: { format: 'ndjson', extract: false, unwrap: false },
    limits: { deadlineMs: 1_000, maxRows: 1e6, maxBytes: 1e9 },
  };
}

test('a statement that was never asked is not closed while its rows are read', async ({ given }) => {
  for (let number = 0; number < 12; number++) {
    let text = '';
    let calls = 0;
    const pass = async (): Promise<void> => {
      if (calls++ % 20 === 0) collect();
      await turn();
    };
    const line: Line = {
      partBytes: 100_000,
      async send(_, part) {
        text += Buffer.from(part).toString();
        await pass();
        return true;
      },
      pause: pass,
    };
    const answer = await runLong(given.store, jobOf(number), line);
    if (answer === 'left') throw new Error('nobody left');
    text += Buffer.from(answer.body).toString();
    assert.is(text.split('\n').length, 50_001, `statement ${number}`);
  }
});

test.run();
