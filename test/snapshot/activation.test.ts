// When a snapshot is to be turned to, as its activation.json says, and the steps to the newest one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isDue, readActivation } from '../../src/snapshot/activation.ts';
import { activationPath } from '../../src/snapshot/layout.ts';
import { type Step, stepsTo } from '../../src/snapshot/next.ts';

const test = suite<{ folder: string }>('snapshot/activation');
test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-activation-'));
});
test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.parse('2026-01-01T00:00:00Z');

test('without a moment it is at once; with one then; with what is none at once, and it is said why', async ({
  folder,
}) => {
  assert.equal(await readActivation(folder, NOW), { atMs: undefined, fault: undefined });
  const given = (text: string) => {
    writeFileSync(activationPath(folder), text);
    return readActivation(folder, NOW);
  };
  for (const text of ['{}', '{"activeAt": null}', 'null'])
    assert.equal(await given(text), { atMs: undefined, fault: undefined }, text);
  assert.equal(await given('{"activeAt": "2026-01-01T00:00:02.500Z"}'), {
    atMs: NOW + 2500,
    fault: undefined,
  });
  assert.not(await isDue(folder, NOW + 2499));
  assert.ok(await isDue(folder, NOW + 2500));
  assert.is((await given('{"activeAt": "2026-01-01T01:00:00Z"}')).atMs, NOW + 3_600_000);
  for (const [text, why] of [
    ['', 'cannot be read'],
    ['{"activeAt": "2026-01-01T00:0', 'cannot be read'],
    ['{"activeAt": 12}', 'no moment in UTC'],
    ['{"activeAt": "tomorrow"}', 'no moment in UTC'],
    ['{"activeAt": "2026-01-01T00:00:00"}', 'no moment in UTC'],
    ['{"activeAt": "2026-13-01T00:00:00Z"}', 'no moment in UTC'],
    ['{"activeAt": "2026-01-01T00:00:00+02:00"}', 'no moment in UTC'],
    ['{"activeAt": "2026-01-01T01:00:00.001Z"}', 'more than an hour from now'],
  ] as const) {
    const { atMs, fault } = await given(text);
    assert.is(atMs, undefined, text);
    assert.match(fault ?? '', why);
    assert.ok(await isDue(folder, NOW));
  }
});

test('steps to the newest: those whose moment has not come stay, in order, and a due one takes the place of all before it', () => {
  const step = (id: string, atMs: number): Step => ({ snapshot: { id, path: id }, atMs, fault: undefined });
  const ids = (last: Step | undefined, before: readonly Step[], served: string): string =>
    stepsTo(last, before, served, 100)
      .map(({ snapshot }) => snapshot.id)
      .join(' ');
  assert.is(ids(undefined, [], 'a'), '');
  assert.is(ids(step('a', 0), [step('b', 200)], 'a'), '', 'who is served is where it ends');
  assert.is(ids(step('b', 0), [], 'a'), 'b');
  assert.is(ids(step('b', 200), [], 'a'), 'b');
  assert.is(ids(step('c', 300), [step('b', 200)], 'a'), 'b c');
  assert.is(ids(step('c', 300), [step('b', 200)], 'b'), 'c', 'one step is done');
  assert.is(ids(step('c', 300), [step('b', 100)], 'a'), 'b c', 'late, but before the newest one');
  assert.is(ids(step('d', 300), [step('b', 50), step('c', 90)], 'a'), 'c d');
  assert.is(ids(step('c', 100), [step('b', 200)], 'a'), 'c', 'the newest one is due');
  assert.is(ids(step('c', 150), [step('b', 200)], 'a'), 'c', 'one that comes after the newest never comes');
  assert.is(ids(step('b', 250), [step('b', 200)], 'a'), 'b', 'its moment was moved');
});

test.run();
