import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSingleFlight } from '../../src/answer/single-flight.ts';
import type { Abort } from '../../src/base/abort.ts';

interface Run {
  readonly signal: Abort;
  readonly finish: (value: string) => void;
  readonly fail: (error: Error) => void;
}

function recorder() {
  const runs: Run[] = [];
  const start = (signal: Abort): Promise<string> =>
    new Promise((finish, fail) => {
      runs.push({ signal, finish, fail });
    });
  return { runs, start };
}

const message = (error: unknown): string => (error as Error).message;

test('runs once for all who ask the same, and again after it is done', async () => {
  const flights = createSingleFlight<string>();
  const { runs, start } = recorder();
  const all = [1, 2, 3].map(() => flights.join('k', undefined, start));
  const other = flights.join('other', undefined, start);
  assert.is(runs.length, 2);
  runs[0]!.finish('same');
  runs[1]!.finish('different');
  assert.equal(await Promise.all(all), ['same', 'same', 'same']);
  assert.is(await other, 'different');
  assert.is(flights.running, 0);
  const later = flights.join('k', undefined, start);
  assert.is(runs.length, 3);
  runs[2]!.finish('later');
  assert.is(await later, 'later');
});

test('a failure reaches everybody who waits, and is not remembered', async () => {
  const flights = createSingleFlight<string>();
  const { runs, start } = recorder();
  const all = [1, 2].map(() => flights.join('k', new AbortController().signal, start).catch(message));
  runs[0]!.fail(new Error('broken'));
  assert.equal(await Promise.all(all), ['broken', 'broken']);
  const again = flights.join('k', undefined, start);
  runs[1]!.finish('well');
  assert.is(await again, 'well');
});

test('one who leaves does not stop the run for the others', async () => {
  const flights = createSingleFlight<string>();
  const { runs, start } = recorder();
  const leaver = new AbortController();
  const left = flights.join('k', leaver.signal, start).catch(message);
  const stays = flights.join('k', new AbortController().signal, start);
  leaver.abort(new Error('gone'));
  assert.is(await left, 'gone');
  assert.not(runs[0]!.signal.aborted);
  runs[0]!.finish('answer');
  assert.is(await stays, 'answer');
});

test('when the last one leaves the run is stopped, and a newcomer starts a fresh one', async () => {
  const flights = createSingleFlight<string>();
  const { runs, start } = recorder();
  const leaver = new AbortController();
  const left = flights.join('k', leaver.signal, start).catch(message);
  leaver.abort(new Error('gone'));
  assert.is(await left, 'gone');
  assert.ok(runs[0]!.signal.aborted);
  const fresh = flights.join('k', undefined, start);
  assert.is(runs.length, 2);
  runs[0]!.fail(new Error('stopped'));
  runs[1]!.finish('fresh');
  assert.is(await fresh, 'fresh');
});

test('a caller that has left before it joined starts nothing', async () => {
  const flights = createSingleFlight<string>();
  const { runs, start } = recorder();
  const reason = await flights.join('k', AbortSignal.abort(new Error('gone')), start).catch(message);
  assert.is(reason, 'gone');
  assert.is(runs.length, 0);
});

test.run();
