// The report as one page of HTML that needs nothing else: goals, then each workload with its charts and numbers.
import { customWorkload } from '../load/custom.ts';
import { besides, showRate, showRatio, showTime, type Verdict, verdicts } from '../load/print.ts';
import { ALL, ASKED_FOR, isStudy } from '../load/studies.ts';
import { busyWith } from '../load/usage.ts';
import { FIRST_CONTACT, type Workload } from '../load/workload.ts';
import type { LoadLine, MicroLine } from '../results.ts';
import { at, median } from '../statistics.ts';
import {
  collapseLatencyChart,
  collapseRateChart,
  concurrencyChart,
  memoryChart,
  percentileChart,
  rateBars,
  targetsIn,
  timeBars,
  toneOf,
} from './charts.ts';
import { bytes, element, escapeText } from './markup.ts';
import { SCRIPT, STYLE } from './style.ts';

const card = (title: string, note: string, picture: string): string =>
  element(
    'div',
    { class: 'card' },
    `<h3>${escapeText(title)} <small>${escapeText(note)}</small></h3>`,
    picture,
  );

function legend(lines: readonly LoadLine[]): string {
  const entries = targetsIn(lines).map((target) =>
    element('span', { class: toneOf(target) }, escapeText(nameOf(target, lines))),
  );
  return element('p', { class: 'legend' }, ...entries);
}

/** With the address of a gateway that was given by it. */
function nameOf(target: string, lines: readonly LoadLine[]): string {
  const address = lines.find((line) => line.target === target)?.address;
  return address === undefined ? target : `${target}: ${address}`;
}

function besidesOf(lines: readonly LoadLine[]): string {
  const rows = besides(lines).map(({ variant, rate, p50, p99 }) =>
    element(
      'tr',
      {},
      element('td', {}, escapeText(variant)),
      ...[rate, p50, p99].map((ratio) => element('td', { class: 'number' }, showRatio(ratio))),
    ),
  );
  if (rows.length === 0) return '';
  const head = ['answers/s', 'p50', 'p99'].map((name) => `<th class="number">${name}</th>`).join('');
  return element(
    'div',
    { class: 'card scroll' },
    element('table', {}, `<tr><th>url2 to url, medians of the rounds</th>${head}</tr>`, ...rows),
  );
}

function goalsOf(list: readonly Verdict[]): string {
  const rows = list.map(({ title, goal, measured, state }) =>
    element(
      'tr',
      {},
      element('td', {}, escapeText(title)),
      element('td', {}, escapeText(goal)),
      element('td', { class: 'number' }, escapeText(measured)),
      element('td', {}, element('span', { class: `badge ${state.replaceAll(' ', '-')}` }, state)),
    ),
  );
  return element(
    'div',
    { class: 'card scroll' },
    element(
      'table',
      {},
      '<tr><th>workload</th><th>goal</th><th class="number">measured</th><th></th></tr>',
      ...rows,
    ),
  );
}

function numbersOf(lines: readonly LoadLine[]): string {
  const groups = new Map<string, LoadLine[]>();
  for (const line of lines) {
    const key = `${line.variant}\t${line.target}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  const rows = [...groups].map(([key, group]) => {
    const [variant = '', target = ''] = key.split('\t');
    const of = (pick: (line: LoadLine) => number): number => median(group.map(pick));
    const cells = [
      showRate(of((line) => line.requestsPerSecond)),
      ...([50, 90, 99, 99.9] as const).map((point) => showTime(of((line) => at(line.latency, point)))),
      memoryOf(group),
      String(group.length),
    ];
    return element(
      'tr',
      {},
      element('td', {}, escapeText(variant)),
      element('td', {}, escapeText(target)),
      ...cells.map((cell) => element('td', { class: 'number' }, escapeText(cell))),
    );
  });
  const head = ['answers/s', 'p50', 'p90', 'p99', 'p99.9', 'most memory', 'rounds']
    .map((name) => `<th class="number">${name}</th>`)
    .join('');
  return `<details><summary>Numbers</summary><div class="card scroll"><table><tr><th>load</th><th>target</th>${head}</tr>${rows.join('')}</table></div></details>`;
}

function memoryOf(lines: readonly LoadLine[]): string {
  const samples = lines.flatMap((line) => line.memory.map((sample) => sample.bytes));
  return samples.length === 0 ? '-' : bytes(Math.max(...samples));
}

/** Lines of the variant that the goals look at: the first one. */
function firstVariant(lines: readonly LoadLine[]): LoadLine[] {
  const steady = lines.filter((line) => line.variant !== FIRST_CONTACT);
  return steady.filter((line) => line.variant === steady[0]?.variant);
}

function chartsOf(workload: Workload, lines: readonly LoadLine[]): string[] {
  const { title } = workload;
  if (workload.name === 'rising-load')
    return [
      card('Latency as load rises', 'p99, open loop', collapseLatencyChart(title, lines)),
      card(
        'Answers as load rises',
        'a line that leaves the dashes has collapsed',
        collapseRateChart(title, lines),
      ),
    ];
  const first = firstVariant(lines);
  const alone = lines.filter((line) => ['alone', 'beside'].includes(line.variant));
  const closed = lines.filter(
    (line) => line.mode === 'closed' && line.target !== 'engine' && line.variant !== FIRST_CONTACT,
  );
  const open = lines.filter((line) => line.variant === 'open');
  const single = first[0]?.mode === 'read' || first[0]?.connections === 1;
  const name = first[0]?.variant ?? '';
  const charts: string[] = [];
  if (alone.length > 0)
    charts.push(
      card(
        'Latency',
        'from the intended start; dashed: beside the other load',
        percentileChart(title, alone),
      ),
    );
  else if (single)
    charts.push(card('Time of an answer', `${name}, median; shorter is better`, timeBars(title, first)));
  else charts.push(card('Answers a second', `${name}, median and rounds`, rateBars(title, first)));
  if (alone.length === 0 && first[0]?.mode !== 'read')
    charts.push(card('Latency', name, percentileChart(title, first)));
  if (new Set(closed.map((line) => line.connections)).size > 1)
    charts.push(card('Throughput by concurrency', 'closed loop', concurrencyChart(title, closed)));
  if (open.length > 0)
    charts.push(
      card(
        'Latency at a constant rate',
        `${open[0]?.rate}/s, from the intended start`,
        percentileChart(title, open),
      ),
    );
  if (lines.some((line) => line.memory.length > 2))
    charts.push(
      card(
        'Memory',
        `${name}, all processes of the target`,
        memoryChart(title, alone.length > 0 ? alone.filter((line) => line.variant === 'beside') : first),
      ),
    );
  return charts;
}

function microTable(lines: readonly MicroLine[]): string {
  if (lines.length === 0) return '';
  const nano = (value: number): string => showTime(value / 1000);
  const rows = lines.map((line) =>
    element(
      'tr',
      {},
      element('td', {}, escapeText(line.group)),
      element('td', {}, escapeText(line.task)),
      element('td', { class: 'number' }, nano(line.nanoseconds.p50)),
      element('td', { class: 'number' }, nano(line.nanoseconds.p99)),
    ),
  );
  return `<h2>Parts alone</h2><p>Micro benchmarks of single parts, in one process, with warm code.</p><div class="card scroll"><table><tr><th>part</th><th>task</th><th class="number">p50</th><th class="number">p99</th></tr>${rows.join('')}</table></div>`;
}

function factsOf(lines: readonly (LoadLine | MicroLine)[]): string {
  const one = lines[0];
  if (one === undefined) return '';
  const facts: [string, string][] = [
    ['commit', `${one.commit.slice(0, 12) || 'none'}${one.dirty ? ' and changes' : ''}`],
    ['date', one.date.slice(0, 16).replace('T', ' ')],
    ['machine', `${one.machine.cores} cores, ${one.machine.cpu}, ${bytes(one.machine.memoryBytes)}`],
    ['system', one.machine.system],
    ['Node.js', one.node],
  ];
  return facts.map(([name, value]) => `<span><b>${name}</b> ${escapeText(value)}</span>`).join('');
}

const upper = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase());

/** What a reader has to know before any figure. */
function busyNote(lines: readonly LoadLine[]): string {
  const surroundings = lines.flatMap((line) => line.surroundings ?? []);
  const before = [...new Set(lines.flatMap(({ busyBefore }) => busyBefore ?? []))];
  if (before.length > 0) return element('p', { class: 'busy' }, escapeText(upper(before.join('; '))));
  if (surroundings.length === 0) return '';
  const busy = lines.filter(
    (line) => line.surroundings !== undefined && busyWith(line.surroundings, line.target) !== undefined,
  );
  const figures = [
    `load average ${median(surroundings.map(({ loadAverage }) => loadAverage)).toFixed(1)}`,
    `others used ${median(surroundings.map(({ othersCores }) => othersCores)).toFixed(2)} cores`,
    `somebody waited for a core ${median(surroundings.map(({ pressurePercent }) => pressurePercent)).toFixed(0)} % of the time`,
    `the host took ${median(surroundings.map(({ stealPercent = 0 }) => stealPercent)).toFixed(1)} %`,
  ].join(', ');
  const text =
    busy.length === 0
      ? `The machine while it was measured (medians): ${figures}.`
      : `Machine busy: do not trust. In ${busy.length} of ${surroundings.length} runs others used the processor; medians: ${figures}.`;
  return element('p', { class: busy.length === 0 ? 'quiet' : 'busy' }, escapeText(text));
}

export function reportPage(load: readonly LoadLine[], micro: readonly MicroLine[]): string {
  const about = load.find((line) => line.workload === 'custom')?.about;
  const all = [...ALL, ...ASKED_FOR, ...(about === undefined ? [] : [{ ...customWorkload(''), about }])];
  const sections = all.flatMap((workload) => {
    const own = load.filter((line) => line.workload === workload.name);
    if (own.length === 0) return [];
    return [
      `<h2 id="${workload.name}">${escapeText(upper(workload.title))}</h2>`,
      element('p', {}, escapeText(workload.about)),
      legend(own),
      besidesOf(own),
      isStudy(workload) ? '' : element('div', { class: 'grid-of' }, ...chartsOf(workload, own)),
      numbersOf(own),
    ];
  });
  const judged = verdicts(ALL, load);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tablegate: what was measured</title><style>${STYLE}</style></head><body><main>
<header><div><h1>Tablegate: what was measured</h1><div class="facts">${factsOf([...load, ...micro])}</div></div>
<button type="button">Colours: system</button></header>
<p>The load generator shares the machine with what it measures: figures are for comparison with each other, not
with other machines. Ratios are taken round by round, between runs next to each other in time; every answer of
every run was checked.</p>
${busyNote(load)}
${judged.length > 0 ? `<h2>Goals</h2><p>Medians of the rounds.</p>${goalsOf(judged)}` : ''}
${sections.join('\n')}
${microTable(micro)}
</main><script>${SCRIPT}</script></body></html>
`;
}
