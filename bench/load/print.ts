// What the bench shows on the terminal: a line a run while it goes on, and the table of goals at the end.
import type { LoadLine } from '../results.ts';
import { at, median } from '../statistics.ts';
import type { Workload } from './workload.ts';

const number = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

export function showTime(microseconds: number): string {
  if (!Number.isFinite(microseconds)) return '-';
  if (microseconds < 1000) return `${number.format(microseconds)} us`;
  return microseconds < 1e6
    ? `${number.format(microseconds / 1000)} ms`
    : `${number.format(microseconds / 1e6)} s`;
}

export function showRate(perSecond: number): string {
  return `${number.format(perSecond)}/s`;
}

export function progressLine(
  line: Omit<LoadLine, 'run' | 'date' | 'commit' | 'dirty' | 'node' | 'machine'>,
): string {
  const measures = Object.entries(line.measures)
    .filter(([name, value]) => ['firstByteMs', 'grownMB', 'unanswered'].includes(name) && value !== 0)
    .map(([name, value]) => `${name} ${number.format(value)}`);
  return [
    `round ${line.round}`,
    line.workload.padEnd(13),
    `${line.variant}${line.rate === undefined ? '' : ` @ ${line.rate}/s`}`.padEnd(18),
    line.target.padEnd(10),
    showRate(line.requestsPerSecond).padStart(9),
    `p50 ${showTime(at(line.latency, 50)).padStart(8)}`,
    `p99 ${showTime(at(line.latency, 99)).padStart(8)}`,
    ...(line.refused > 0 ? [`refused ${line.refused}`] : []),
    ...measures,
    ...(line.generatorCpu > 0.9 ? ['(the load generator was busy all the time)'] : []),
  ].join('  ');
}

export interface Verdict {
  readonly workload: string;
  readonly title: string;
  readonly goal: string;
  readonly measured: string;
  readonly state: 'met' | 'not met' | 'not measured';
}

export function verdicts(suite: readonly Workload[], lines: readonly LoadLine[]): Verdict[] {
  return suite.flatMap((workload) => {
    const own = lines.filter((line) => line.workload === workload.name);
    if (own.length === 0) return [];
    return workload.goals.map((goal): Verdict => {
      const value = goal.measure(own);
      return {
        workload: workload.name,
        title: workload.title,
        goal: goal.text,
        measured: value === undefined ? '-' : goal.show(value),
        state: value === undefined ? 'not measured' : goal.met(value) ? 'met' : 'not met',
      };
    });
  });
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function goalTable(list: readonly Verdict[]): string {
  return columns([
    ['workload', 'goal', 'measured', ''],
    ...list.map(({ workload, goal, measured, state }) => [workload, goal, measured, state]),
  ]);
}

/** Medians of the rounds, a line a workload, variant and target. */
export function rateTable(lines: readonly LoadLine[]): string {
  const groups = new Map<string, LoadLine[]>();
  for (const line of lines) {
    const key = [line.workload, line.variant, line.target].join('\t');
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return columns([
    ['workload', 'load', 'target', 'answers/s', 'p50', 'p99', 'rounds'],
    ...[...groups].map(([key, group]) => [
      ...key.split('\t'),
      showRate(median(group.map((line) => line.requestsPerSecond))),
      showTime(median(group.map((line) => at(line.latency, 50)))),
      showTime(median(group.map((line) => at(line.latency, 99)))),
      String(group.length),
    ]),
  ]);
}
