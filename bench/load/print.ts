// What the bench shows on the terminal: a line a run while it goes on, and the table of goals at the end.
import type { LoadLine } from '../results.ts';
import { at, median } from '../statistics.ts';
import { busyWith } from './usage.ts';
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

const sumOf = (values: Readonly<Record<string, number>>): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

/** Of the most that the generator gets on this machine: from here on it may be what limits a rate. */
const NEAR_CEILING = 0.7;

/** What a reader of the figure must know: the generator was near its limit, or others used the machine. */
function notesOf({
  ceiling,
  requestsPerSecond,
  surroundings,
  generatorCpu,
  mode,
  target,
}: Pick<
  LoadLine,
  'ceiling' | 'requestsPerSecond' | 'surroundings' | 'generatorCpu' | 'mode' | 'target'
>): string[] {
  const notes: string[] = [];
  const share = ceiling === undefined ? undefined : requestsPerSecond / ceiling;
  if (share !== undefined && share > NEAR_CEILING)
    notes.push(`(${(share * 100).toFixed(0)} % of the generator's ceiling)`);
  // wrk fills its core whenever the target lets it: its ceiling says more. Ours have none.
  else if (ceiling === undefined && mode === 'open' && generatorCpu > 0.7)
    notes.push('(the load generator was busy)');
  const busy = surroundings === undefined ? undefined : busyWith(surroundings, target);
  if (busy !== undefined) notes.push(`(machine busy: do not trust; ${busy})`);
  return notes;
}

const SHOWN = new Set([
  ...['firstByteMs', 'grownMB', 'unanswered', 'cpuMs', 'refused'],
  ...['importSeconds', 'peakMB', 'snapshotTimes', 'publishSeconds'],
]);

export function progressLine(
  line: Omit<LoadLine, 'run' | 'date' | 'commit' | 'dirty' | 'node' | 'machine'>,
): string {
  const measures = Object.entries(line.measures)
    .filter(([name, value]) => SHOWN.has(name) && value !== 0)
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
    ...(line.processorUs === undefined ? [] : [`cpu ${showTime(sumOf(line.processorUs))}`]),
    ...notesOf(line),
  ].join('  ');
}

type Measured = Pick<Workload, 'name' | 'title' | 'goals'>;

export interface Verdict {
  readonly workload: string;
  readonly title: string;
  readonly goal: string;
  readonly measured: string;
  readonly state: 'met' | 'not met' | 'not measured';
}

export function verdicts(suite: readonly Measured[], lines: readonly LoadLine[]): Verdict[] {
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

/** Processor time of the target for an answer, and the front's part of it. */
function cpuOf(group: readonly LoadLine[]): [string, string] {
  const known = group.flatMap(({ processorUs }) => (processorUs === undefined ? [] : [processorUs]));
  if (known.length === 0) return ['', ''];
  const front = median(known.map((values) => values['front'] ?? 0));
  return [showTime(median(known.map(sumOf))), group[0]?.target === 'tablegate' ? showTime(front) : ''];
}

export interface Beside {
  readonly variant: string;
  /** Of the second gateway to the first, in the same round: medians of the rounds. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

/** Two gateways that were given by their addresses, side by side; none where there is one. */
export function besides(lines: readonly LoadLine[]): readonly Beside[] {
  const second = lines.filter(({ target }) => target === 'url2');
  return [...new Set(second.map(({ variant }) => variant))].flatMap((variant) => {
    const pairs = second.flatMap((two) => {
      const one = lines.find(
        (line) =>
          line.target === 'url' &&
          line.workload === two.workload &&
          line.variant === two.variant &&
          line.round === two.round,
      );
      return one === undefined || two.variant !== variant ? [] : [{ one, two }];
    });
    if (pairs.length === 0) return [];
    const ratio = (pick: (line: LoadLine) => number): number =>
      median(pairs.map(({ one, two }) => pick(two) / pick(one)));
    return [
      {
        variant,
        rate: ratio((line) => line.requestsPerSecond),
        p50: ratio((line) => at(line.latency, 50)),
        p99: ratio((line) => at(line.latency, 99)),
      },
    ];
  });
}

/** `1.04 x` */
export function showRatio(ratio: number): string {
  return Number.isFinite(ratio) ? `${number.format(ratio)} x` : '-';
}

/** Which gateways `url` and `url2` are, and how the second is beside the first; empty where none was given. */
export function addressText(lines: readonly LoadLine[]): string {
  const addresses = new Map(
    lines.flatMap(({ target, address }) => (address === undefined ? [] : [[target, address] as const])),
  );
  const names = [...addresses].map(([target, address]) => `${target} is ${address}`).sort();
  const ratios = besides(lines).map(({ variant, rate, p50, p99 }) => [
    ...[variant, showRatio(rate), showRatio(p50), showRatio(p99)],
  ]);
  const table =
    ratios.length === 0 ? [] : ['', columns([['url2 to url', 'answers/s', 'p50', 'p99'], ...ratios])];
  return [...names, ...table].join('\n');
}

/** Medians of the rounds, a line a workload, variant and target. */
export function rateTable(lines: readonly LoadLine[]): string {
  const groups = new Map<string, LoadLine[]>();
  for (const line of lines) {
    const key = [line.workload, line.variant, line.target].join('\t');
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return columns([
    ['workload', 'load', 'target', 'answers/s', 'p50', 'p99', 'cpu', 'of it front', 'ceiling', 'rounds', ''],
    ...[...groups].map(([key, group]) => [
      ...key.split('\t'),
      showRate(median(group.map((line) => line.requestsPerSecond))),
      showTime(median(group.map((line) => at(line.latency, 50)))),
      showTime(median(group.map((line) => at(line.latency, 99)))),
      ...cpuOf(group),
      group[0]?.ceiling === undefined
        ? ''
        : showRate(median(group.map((line) => line.ceiling ?? Number.NaN))),
      String(group.length),
      [...new Set(group.flatMap(notesOf))].slice(0, 2).join(' '),
    ]),
  ]);
}
