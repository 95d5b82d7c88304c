// The order of rows that no ORDER BY fixes, row by row against the real reference: scans by rowid or by an index
// that holds all columns, nested loops, groups, DISTINCT, subqueries, the row of bare columns.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { referenceBinary } from '../support/reference.ts';
import { judge } from './compare.ts';
import { ROW_ORDER } from './corpus/row-order.ts';
import { type SideBySide, startSideBySide } from './side-by-side.ts';

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
        if (verdict !== 'same') wrong.push(`${statement}\n    ${why}`);
      }
      assert.is(wrong.length, 0, wrong.join('\n'));
    });
}

test.run();
