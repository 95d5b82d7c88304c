// The tables of docs/PERFORMANCE.md from the lines of runs: goals with what was measured, and rates. The newest run
// of a workload counts; what was measured beside others is marked.
import { showRate, showTime, verdicts } from '../load/print.ts';
import { ALL, isStudy } from '../load/studies.ts';
import { BUSY_CORES } from '../load/usage.ts';
import { FIRST_CONTACT } from '../load/workload.ts';
import type { LoadLine } from '../results.ts';
import { at, median } from '../statistics.ts';

/** Of each workload, the lines of the run that came last. */
function newest(lines: readonly LoadLine[]): LoadLine[] {
  const last = new Map<string, string>();
  for (const { workload, run } of lines) if (run > (last.get(workload) ?? '')) last.set(workload, run);
  return lines.filter(({ workload, run }) => run === last.get(workload));
}

const isBusy = (lines: readonly LoadLine[]): boolean =>
  median(
    lines.flatMap(({ surroundings }) => (surroundings === undefined ? [] : [surroundings.othersCores])),
  ) > BUSY_CORES;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

function goals(lines: readonly LoadLine[]): string {
  const rows = ALL.flatMap((one) => {
    const own = lines.filter(({ workload }) => workload === one.name);
    const busy = own.length > 0 && isBusy(own) ? ', busy machine' : '';
    return verdicts([one], lines).map(({ title, goal, measured, state }) => [
      title,
      goal,
      `${measured}${busy}`,
      state,
      `\`--only ${one.name}\``,
    ]);
  });
  return table(['workload', 'goal', 'measured', '', 'command'], rows);
}

function cpu(group: readonly LoadLine[]): string {
  const known = group.flatMap(({ processorUs }) =>
    processorUs === undefined ? [] : [Object.values(processorUs).reduce((sum, us) => sum + us, 0)],
  );
  return known.length === 0 ? '-' : showTime(median(known));
}

/** Timed one by one: a rate would say nothing. */
const isLarge = (name: string): boolean =>
  ALL.some((one) => one.name === name && !isStudy(one) && one.large === true);

function figures(lines: readonly LoadLine[], targets: readonly string[]): string {
  const rows = ALL.filter((one) => !isStudy(one)).flatMap(({ name }) => {
    const own = lines.filter((line) => line.workload === name);
    const variants = [...new Set(own.map(({ variant }) => variant))];
    // First contact stands before the steady states in the run, and after them in the table.
    const ordered = [...variants.filter((variant) => variant !== FIRST_CONTACT), FIRST_CONTACT];
    return ordered.flatMap((variant) => {
      const cells = targets.map((target) => {
        const group = own.filter((line) => line.variant === variant && line.target === target);
        const first = group[0];
        if (first === undefined) return '-';
        const p99 = showTime(median(group.map((line) => at(line.latency, 99))));
        if (isLarge(name))
          return `${showTime(median(group.map((line) => at(line.latency, 50))))} an answer, ${cpu(group)}`;
        return `${showRate(median(group.map((line) => line.requestsPerSecond)))}, p99 ${p99}, ${cpu(group)}`;
      });
      const ceiling = own.find((line) => line.variant === variant && line.ceiling !== undefined)?.ceiling;
      return cells.every((cell) => cell === '-')
        ? []
        : [[name, variant, ...cells, ceiling === undefined ? '-' : showRate(ceiling)]];
    });
  });
  return table(['workload', 'load', ...targets, "generator's ceiling"], rows);
}

/** What was measured on, in one line. */
function origin(lines: readonly LoadLine[]): string {
  const one = lines.at(-1);
  if (one === undefined) return '';
  const load = median(lines.flatMap(({ surroundings }) => surroundings?.loadAverage ?? []));
  const others = median(lines.flatMap(({ surroundings }) => surroundings?.othersCores ?? []));
  return (
    `Measured on ${one.machine.cores} cores (${one.machine.cpu}), Node.js ${one.node}, commit ${one.commit.slice(0, 12)}` +
    `${one.dirty ? ' with changes' : ''}, ${one.date.slice(0, 10)}; load average ${load.toFixed(1)}, others used ${others.toFixed(1)} cores ` +
    `(medians of ${lines.length} runs).`
  );
}

export function markdown(all: readonly LoadLine[]): string {
  const lines = newest(all);
  return [
    origin(lines),
    goals(lines),
    'Answers a second, p99, processor time of an answer:',
    figures(lines, ['tablegate', 'reference']),
  ].join('\n\n');
}
