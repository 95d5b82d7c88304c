// The name that was meant: against the plain definition of the distance, and bounded for hostile names.
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { didYouMeanTable, nearestName } from '../src/base/near-name.ts';

/** Insertions, deletions, replacements and swapped neighbours, the whole table of them. */
function distance(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, i) =>
    Array.from({ length: other.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++)
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same);
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        least = Math.min(least, at(i - 2, j - 2) + 1);
      (rows[i] as number[])[j] = least;
    }
  return at(one.length, other.length);
}

test('it is the nearest name, and the first of those that are as near; none where none is near', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_', '1'), minLength: 1, maxLength: 14 });
  const seed = 20_261_122;
  process.stdout.write(`\nseed ${seed}\n`);
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 8 }), (wanted, names) => {
      const bound = Math.min(3, Math.floor(wanted.length / 3));
      const distances = names.map((each) => distance(wanted, each));
      const least = Math.min(...distances);
      assert.is(nearestName(wanted, names), least <= bound ? names[distances.indexOf(least)] : undefined);
    }),
    { seed, numRuns: 3_000 },
  );
  assert.is(nearestName('NAEM', ['Name', 'game']), 'Name');
  assert.is(nearestName('', ['a']), undefined);
});

/** Counts what is taken of them. */
function counted(names: readonly string[]): { readonly names: Iterable<string>; taken: number } {
  const found = { names: [] as Iterable<string>, taken: 0 };
  found.names = {
    *[Symbol.iterator]() {
      for (const name of names) {
        found.taken++;
        yield name;
      }
    },
  };
  return found;
}

test('hostile names of 100,000 tables cost no more than a bound', () => {
  // Letters that fit almost everywhere, between ends that do not.
  const same = Array.from({ length: 100_000 }, (_, i) => `b${'a'.repeat(50)}_31337_${i}`);
  for (const wanted of ['a'.repeat(60), `c${'a'.repeat(50)}_31337_xyz`]) {
    const names = counted(same);
    nearestName(wanted, names.names);
    assert.ok(names.taken < 20_000, `${names.taken} names were compared`);
  }
  const unread = counted(same);
  for (const wanted of ['a'.repeat(65), 'a'.repeat(1_000_000)]) {
    assert.is(nearestName(wanted, unread.names), undefined);
    assert.is(
      didYouMeanTable(wanted, () => unread.names),
      undefined,
    );
  }
  assert.is(unread.taken, 0);
  const plain = counted(Array.from({ length: 100_000 }, (_, i) => `t_31337_${i}`));
  assert.is(nearestName('t_31337_99999x', plain.names), 't_31337_99999');
});

test('a table is found by its prefix, too', () => {
  const tables = (): string[] => ['_1_1', 'rigs_31337_2', 'rig_attributes_31337_3', 'Votes_5_9'];
  for (const [name, meant] of [
    ['rigs', 'rigs_31337_2'],
    ['RIGS', 'rigs_31337_2'],
    ['rigs_1_77777777', 'rigs_31337_2'],
    ['votes', 'Votes_5_9'],
    ['rig_attributes', 'rig_attributes_31337_3'],
    ['rig_attribute_31337_3', 'rig_attributes_31337_3'],
  ] as const)
    assert.is(didYouMeanTable(name, tables), `Did you mean ${meant}?`);
  for (const name of ['rig', 'attributes', '', '_', '_9_99999', 'rigs_', '%', 'constructor'])
    assert.is(didYouMeanTable(name, tables), undefined, name);
});

test.run();
