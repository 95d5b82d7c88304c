// Look-ups by columns without an index: statements that use them give the same rows in the same order as without, and visit few.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBounded } from '../../src/rowstore/run.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { QueryJob } from '../../src/wire/protocol.ts';
import { openTestStore, type TestStore } from './support.ts';

const test = suite<{ plain: TestStore; indexed: TestStore }>('rowstore/seeks');
test.before(async (context) => {
  context.plain = await openTestStore({ maxVisits: 1_000_000, seeks: false });
  context.indexed = await openTestStore({ maxVisits: 1_000_000 });
});
test.after(({ plain, indexed }) => {
  plain.close();
  indexed.close();
});

interface Ran {
  readonly body: string;
  readonly visits: number;
}

function run({ store }: TestStore, text: string): Ran {
  const { shape, literals } = readStatement(text, [], 35_000);
  const job: QueryJob = {
    kind: 'query',
    shape,
    literals,
    output: { format: 'objects', extract: false, unwrap: false },
    limits: { deadlineMs: 1_000, maxRows: 1e6, maxBytes: 1e8 },
  };
  const answer = runBounded(store, job);
  if (!('outcome' in answer)) throw new Error(answer.message);
  return {
    body: Buffer.from(answer.body).toString('utf8'),
    visits: Number(/visits (\d+)/.exec(answer.outcome.why ?? '')?.[1]),
  };
}

/** Statements that can use one, and the most rows that they may visit then. */
const SEEKING: readonly (readonly [string, number])[] = [
  ['select * from marks_1_6 where rig = 7', 200],
  ["select * from marks_1_6 where mark = 'mark 3' and weight > 4", 600],
  ["select rig from marks_1_6 m where m.weight = 4 and (rig > 100 or mark = 'mark 2')", 600],
  ['select r.name, m.mark from rigs_1_2 r join marks_1_6 m on m.rig = r.id where r.id = 21', 200],
  ['select r.name, m.mark from rigs_1_2 r left join marks_1_6 m on m.rig = r.id where r.id = 21', 200],
  [
    'select r.name, m.mark from rigs_1_2 r, marks_1_6 m where m.rig = r.id and r.id = 21 and m.weight < 9',
    200,
  ],
  [
    "select json_object('name', r.name, 'marks', json_group_array(json_object('mark', m.mark))) as j from rigs_1_2 r join marks_1_6 m on m.rig = r.id where r.id = 14 group by r.id",
    200,
  ],
  ['select id, (select count(*) from marks_1_6 where rig = r.id) as n from rigs_1_2 r where id < 20', 10_000],
  ["select id from rigs_1_2 where name = 'rig 9'", 4],
  ['select * from marks_1_6 where rig = 7 order by weight limit 3', 200],
  ['select distinct mark from marks_1_6 where rig = 7', 200],
  ['select mark, count(*) from marks_1_6 where rig = 7 group by mark', 200],
  ['select * from marks_1_6 where rig = 7 limit 2 offset 1', 200],
  [
    "select id from rigs_1_2 where id in (select rig from marks_1_6 where mark = 'mark 4' and weight = 2)",
    2_000,
  ],
];

test('gives the same rows in the same order, of fewer rows visited once it is asked again', ({
  plain,
  indexed,
}) => {
  for (const [text, most] of SEEKING) {
    const without = run(plain, text);
    const first = run(indexed, text);
    assert.is(first.body, without.body, text);
    // Few rows are visited sooner than another plan is made: that comes where it is asked again.
    if (without.visits > 2_000) assert.ok(first.visits <= most, `${text}: ${first.visits} at first`);
    else assert.is(first.visits, without.visits, text);
    const with_ = run(indexed, text);
    assert.is(with_.body, without.body, text);
    assert.ok(without.body.length > 2, `${text}: no rows, so nothing is shown`);
    assert.ok(with_.visits <= most, `${text}: ${with_.visits} rows visited`);
    assert.ok(with_.visits < without.visits, `${text}: ${with_.visits} of ${without.visits}`);
  }
});

test('changes nothing where a look-up does not fit', ({ plain, indexed }) => {
  for (const text of [
    'select * from marks_1_6 where weight > 11',
    'select * from marks_1_6',
    'select mark from marks_1_6 order by mark limit 7',
    'select weight, count(*) from marks_1_6 group by weight limit 5',
    'select distinct score from rigs_1_2',
    'select * from rigs_1_2 a, rigs_1_2 b where a.score = b.score and a.id < 4 limit 40',
    'select r.id, m.mark from rigs_1_2 r left join marks_1_6 m on m.weight = r.score and m.rig = r.id where r.id < 30',
    "select * from marks_1_6 where rig = '7'",
    'select * from marks_1_6 where mark = 7 or rig = 3',
    'select * from marks_1_6 where rig = null',
    'with marks_1_6 as (select id as rig from rigs_1_2) select * from marks_1_6 where rig = 3',
    'select max(rig), min(mark) from marks_1_6 where weight = 3',
    'select count(*) from marks_1_6 m join rigs_1_2 r on r.score = m.weight',
  ])
    assert.is(run(indexed, text).body, run(plain, text).body, text);
});

test.run();
