// What a process runs once before it serves: Node.js compiles code when it is first run, and engines make ready much that
// they keep. The first statements of clients need not wait for that.
import type { Config } from '../cli/config.ts';
import type { StatementJob } from '../wire/protocol.ts';
import { readStatement } from './statement.ts';

/** Columns of a table by their names; where it has none of a kind, another one is as good. */
export interface RehearsedTable {
  readonly name: string;
  readonly text: string;
  readonly number: string;
  readonly rows: number;
}

/** All rows of so many are looked at: some tens of milliseconds. Of more, the first ones are. */
const MOST_ROWS = 5_000_000;
const FIRST_ROWS = 100_000;

const MOST_BYTES = 35_000;
/** Of jobs that nobody asked for. */
export const LIMITS = { deadlineMs: 1_000, maxRows: 60_000, maxBytes: 16 * 1024 * 1024 };
/** Columns of a list of so many rows: it has some 6 MB as JSON, and leaves in parts, as large answers do. */
const LIST_COLUMNS = 8;
/**
 * Rows of a list of some 1 MB. What has not run yet is sent whole, and what is too large for that waits for a second process of
 * the scan lane.
 */
export const FEW_ROWS = 10_000;
const OUTPUT = { format: 'objects', extract: false, unwrap: false } as const;

/** Where all engines answer, and those for large tables are ready before they are asked. */
export function isRehearsed({ scanWarm, engine }: Pick<Config, 'scanWarm' | 'engine'>): boolean {
  return scanWarm === 'on' && engine === 'auto';
}

/** Statements with the words that scans and lists are mostly made of. */
export interface RehearsedTexts {
  /** A few groups, and a list. */
  readonly run: readonly string[];
  readonly planned: readonly string[];
}

/** @param most rows of its list, which is of one shape however many they are */
export function rehearsal(table: RehearsedTable, most: number = LIMITS.maxRows): readonly StatementJob[] {
  const { run, planned } = rehearsedTexts(table, most);
  return [
    ...run.map((each) => jobOf('query', each)),
    ...planned.map((each) => jobOf('explain', each)),
  ].filter((job) => job !== undefined);
}

export function rehearsedTexts(
  { name, text, number, rows }: RehearsedTable,
  most: number = LIMITS.maxRows,
): RehearsedTexts {
  const [from, label, value] = [name, text, number].map((each) => `"${each.replaceAll('"', '""')}"`);
  const all = `(select ${label} as l, ${value} as v from ${from})`;
  const some = `(select ${label} as l, ${value} as v from ${from} limit ${FIRST_ROWS})`;
  const list = Array.from({ length: LIST_COLUMNS }, (_, at) => `${value} as v${at}`).join(', ');
  const run = [
    `select v > 100 as g, count(*) as n, avg(v) as a, max(l) as m from ${rows > MOST_ROWS ? some : all} ` +
      `where v >= 0 and l is not null group by v > 100 order by n desc, g limit 100`,
    `select ${label}, ${list} from ${from} where ${value} >= 0 or ${label} = 'x' limit ${most}`,
  ];
  const planned = [
    `select ${label} as l, count(*) as n, avg(${value}) as a from ${from} where ${value} > 5 group by ${label} order by 1`,
    `with w as (select ${label} as l, sum(${value} * (1 - ${value})) as s from ${from} group by ${label}) ` +
      `select a.${label}, case when a.${value} between 1 and 9 then 'x' else substr(w.l, 1, 2) end as c, ` +
      `count(distinct b.${value}) as n, round(avg(w.s) / 2.5, 2) as r from ${from} a join ${from} b ` +
      `on b.${value} = a.${value} left join w on w.l = a.${label}, (select min(${value}) as m from ${from}) t ` +
      `where a.${label} like 'x%' and (b.${value} <> t.m or b.${label} in ('x', 'y')) and not exists ` +
      `(select * from ${from} c where c.${value} = a.${value} and c.${label} <> a.${label}) ` +
      `and a.${value} > (select 0.2 * avg(d.${value}) from ${from} d where d.${label} = b.${label}) ` +
      `group by a.${label}, c having count(*) > 1 order by r desc, a.${label} limit 10`,
  ];
  return { run, planned };
}

/** Undefined where it has a name that no statement can have. */
function jobOf(kind: StatementJob['kind'], statement: string): StatementJob | undefined {
  try {
    const { shape, literals } = readStatement(statement, [], MOST_BYTES);
    return { kind, shape, literals, output: OUTPUT, limits: LIMITS };
  } catch {
    return undefined;
  }
}
