// The order of rows that no ORDER BY fixes, row by row against the real reference: scans by rowid or by an index
// that holds all columns, nested loops, groups, DISTINCT, subqueries, the row of bare columns.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceBinary } from '../support/reference.ts';
import { judge } from './compare.ts';
import { ROW_ORDER } from './corpus/row-order.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

/**
 * 3.53 turns these LEFT JOINs into inner ones, since a WHERE with IN or OR leaves no row without a partner; then it begins
 * with the other table. 3.39 does not see it.
 */
const INNER_JOINS: ReadonlySet<string> = new Set([
  `select a.id, b.value from rigs_31337_11 a left join rig_attributes_31337_12 b on a.id = b.rig_id where b.value in ('Red', 'blue')`,
  `select c.name, a.id from rigs_31337_11 c left join vals_31337_2 a on a.n = c.id where a.t = 'b' or a.i > 5`,
]);

let sides: SideBySide;

if (referenceBinary() === undefined) {
  test.skip('the reference has no program for this machine', () => {});
} else {
  test.before(async () => {
    sides = await startSideBySide();
  });
  test.after(async () => {
    await sides.stop();
  });

  for (const [category, statements] of Object.entries(ROW_ORDER))
    test(`${category}: rows come in the reference's order`, async () => {
      const wrong: string[] = [];
      for (const statement of statements) {
        const asked = { statement, format: 'table' };
        const [expected, got] = await Promise.all([sides.reference.ask(asked), sides.ours.ask(asked)]);
        assert.is(expected.status, 200, `the reference answers: ${statement}`);
        const { verdict, why } = judge(expected, got, { ordered: true });
        if (INNER_JOINS.has(statement)) {
          assert.is.not(verdict, 'same', `it is no difference any more: ${statement}`);
          continue;
        }
        if (verdict !== 'same') wrong.push(`${statement}\n    ${why}`);
      }
      assert.is(wrong.length, 0, wrong.join('\n'));
    });
}

test.run();
