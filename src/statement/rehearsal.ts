// What a process runs once before it serves: Node.js compiles code when it is first run, and engines make ready much that
// they keep. The first statements of clients need not wait for that.
import { readStatement, type Statement } from './statement.ts';

/** Columns of a table by their names; where it has none of a kind, another one is as good. */
export interface RehearsedTable {
  readonly name: string;
  readonly text: string;
  readonly number: string;
}

const MOST_BYTES = 35_000;

export interface Rehearsed extends Statement {
  /** To be run; else a plan is enough, and running it might take long. */
  readonly runs: boolean;
}

/** Statements with the words that scans and lists are mostly made of. Those that are run have few groups and bounded rows. */
export function rehearsal({ name, text, number }: RehearsedTable): readonly Rehearsed[] {
  const [from, label, value] = [name, text, number].map((each) => `"${each.replaceAll('"', '""')}"`);
  const run = [
    `select ${value} > 100 as g, count(*) as n, avg(${value}) as a, max(${label}) as m from ${from} ` +
      `where ${value} >= 0 and ${label} is not null group by ${value} > 100 order by n desc, g limit 100`,
    `select ${label}, ${value} as v from ${from} where ${value} >= 0 or ${label} = 'x' limit 20000`,
  ];
  const planned = [
    `with w as (select ${label} as l, sum(${value} * (1 - ${value})) as s from ${from} group by ${label}) ` +
      `select a.${label}, case when a.${value} between 1 and 9 then 'x' else substr(w.l, 1, 2) end as c, ` +
      `count(distinct b.${value}) as n, round(avg(w.s) / 2.5, 2) as r from ${from} a join ${from} b ` +
      `on b.${value} = a.${value} left join w on w.l = a.${label}, (select min(${value}) as m from ${from}) t ` +
      `where a.${label} like 'x%' and (b.${value} <> t.m or b.${label} in ('x', 'y')) and not exists ` +
      `(select * from ${from} c where c.${value} = a.${value} and c.${label} <> a.${label}) ` +
      `and a.${value} > (select 0.2 * avg(d.${value}) from ${from} d where d.${label} = b.${label}) ` +
      `group by a.${label}, c having count(*) > 1 order by r desc, a.${label} limit 10`,
  ];
  return [...run, ...planned].flatMap((statement, at) => {
    try {
      return [{ ...readStatement(statement, [], MOST_BYTES), runs: at < run.length }];
    } catch {
      // Of a name that no statement can have.
      return [];
    }
  });
}
