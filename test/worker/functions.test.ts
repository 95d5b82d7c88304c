// The dialect's functions in JavaScript, called by the engine itself.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineFunction } from '../../src/dialect/functions/runtime/engine-function.ts';
import { openEngine } from '../../src/worker/engine.ts';
import { registerFunctions } from '../../src/worker/functions.ts';

test('a function that is to stop does so among its rows, before the engine looks', async () => {
  let rows = 0;
  const counted: EngineFunction = {
    name: 'counted',
    args: ['integer'],
    returns: 'boolean',
    takesNull: false,
    run: () => {
      rows += 1;
      return false;
    },
  };
  const engine = await openEngine(':memory:', { threads: '1' });
  const connection = await engine.connect();
  try {
    registerFunctions(connection.register, [counted], () => rows >= 3_000);
    const statement = 'SELECT count(*) FROM range(1000000) t(i) WHERE counted(i)';
    await connection.query(statement).then(
      () => assert.unreachable('it went on to its end'),
      (error: Error) => assert.match(error.message, 'stopped'),
    );
    // It looks every 64 rows.
    assert.is(rows, 2048 + 960);
  } finally {
    connection.close();
    engine.close();
  }
});

test.run();
