// A soak as one page of HTML that needs nothing else: what was asked and how it ended, latencies and the
// processes' memory, files and threads over time.
import { linearAxis, logAxis } from '../report/axis.ts';
import { lineChart, type Series } from '../report/line-chart.ts';
import { bytes, compact, duration, element, escapeText } from '../report/markup.ts';
import { SCRIPT, STYLE } from '../report/style.ts';
import { at } from '../statistics.ts';
import type { Verdict } from './judge.ts';
import type { KindRecord } from './record.ts';
import type { ProcessSample } from './watch.ts';

export interface SoakResult {
  readonly title: string;
  readonly seconds: number;
  readonly kinds: readonly KindRecord[];
  readonly samples: readonly ProcessSample[];
  readonly swaps: number;
  readonly faults: readonly string[];
  readonly verdicts: readonly Verdict[];
}

const OUTCOMES = ['answered', 'refused', 'stopped', 'struck', 'busy', 'closed', 'wrong', 'failed'] as const;
const TONES = ['tablegate', 'reference', 'naive'] as const;

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`;

const card = (title: string, picture: string): string =>
  element('div', { class: 'card' }, `<h3>${escapeText(title)}</h3>`, picture);

function legend(series: readonly Series[]): string {
  return element(
    'p',
    { class: 'legend' },
    ...series.map(({ name, tone }) => element('span', { class: tone }, escapeText(name))),
  );
}

function latencyChart({ kind, stretches }: KindRecord, seconds: number): string {
  const series = ([50, 99, 99.9] as const).map(
    (percentile, index): Series => ({
      name: `p${percentile}`,
      tone: TONES[index] ?? 'bare',
      plain: true,
      points: stretches
        .filter(({ latency }) => latency.count > 0)
        .map(({ seconds: x, latency }) => {
          const y = at(latency, percentile);
          return { x, y, tip: `${clock(x)}: ${duration(y)}` };
        }),
    }),
  );
  const all = series.flatMap(({ points }) => points.map(({ y }) => y));
  if (all.length === 0) return '';
  const picture = lineChart({
    title: `latency of ${kind}`,
    x: linearAxis(seconds, clock),
    y: logAxis(all, duration),
    xLabel: 'minutes',
    yLabel: 'latency',
    series,
  });
  return card(kind, legend(series) + picture);
}

function processChart(
  title: string,
  samples: readonly ProcessSample[],
  format: (value: number) => string,
  lines: readonly (readonly [string, (sample: ProcessSample) => number])[],
): string {
  const series = lines.map(
    ([name, read], index): Series => ({
      name,
      tone: TONES[index] ?? 'bare',
      plain: true,
      points: samples.map((sample) => ({ x: sample.seconds, y: read(sample), tip: '' })),
    }),
  );
  const most = Math.max(...series.flatMap(({ points }) => points.map(({ y }) => y)), 0);
  const picture = lineChart({
    title,
    x: linearAxis(samples.at(-1)?.seconds ?? 1, clock),
    y: linearAxis(most, format),
    xLabel: 'minutes',
    yLabel: '',
    series,
  });
  return card(title, legend(series) + picture);
}

function outcomeTable(kinds: readonly KindRecord[]): string {
  const cell = (text: string): string => element('td', { class: 'number' }, escapeText(text));
  const rows = kinds.map(({ kind, outcomes, latency }) =>
    element(
      'tr',
      {},
      element('td', {}, escapeText(kind)),
      ...OUTCOMES.map((outcome) => cell(compact(outcomes[outcome] ?? 0))),
      ...([50, 99, 99.9] as const).map((point) =>
        cell(latency.count === 0 ? '' : duration(at(latency, point))),
      ),
    ),
  );
  const head = ['visitor', ...OUTCOMES, 'p50', 'p99', 'p99.9'].map((text, index) =>
    element('th', index === 0 ? {} : { class: 'number' }, text),
  );
  return element('div', { class: 'card scroll' }, element('table', {}, element('tr', {}, ...head), ...rows));
}

function verdictTable({ verdicts }: SoakResult): string {
  const rows = verdicts.map(({ text, met }) =>
    element(
      'tr',
      {},
      element('td', {}, escapeText(text)),
      element(
        'td',
        {},
        element('span', { class: `badge ${met ? 'met' : 'not-met'}` }, met ? 'kept' : 'broken'),
      ),
    ),
  );
  return element('div', { class: 'card scroll' }, element('table', {}, ...rows));
}

export function soakPage(result: SoakResult): string {
  const { title, seconds, kinds, samples, swaps, faults } = result;
  const faultList =
    faults.length === 0
      ? ''
      : `<h2>What must not happen</h2><ul>${faults.map((text) => `<li>${escapeText(text)}</li>`).join('')}</ul>`;
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeText(title)}</title><style>${STYLE}</style><main>`,
    `<header><div><h1>Soak</h1><p>${escapeText(title)}: ${clock(seconds)} minutes, ${swaps} swaps of the snapshot.</p></div>`,
    '<button type="button">Colours: system</button></header>',
    verdictTable(result),
    faultList,
    '<h2>Who came, and how it ended</h2><p>Busy is 429 or 503; closed is a connection without an answer.</p>',
    outcomeTable(kinds),
    '<h2>Latency over time</h2><div class="grid-of">',
    ...kinds.map((kind) => latencyChart(kind, seconds)),
    '</div><h2>Processes over time</h2><div class="grid-of">',
    processChart('Resident memory', samples, bytes, [
      ['front', (sample) => sample.frontBytes],
      ['its children', (sample) => sample.childrenBytes],
    ]),
    processChart('Open files', samples, compact, [
      ['front', (sample) => sample.frontFiles],
      ['its children', (sample) => sample.childrenFiles],
    ]),
    processChart('Threads', samples, compact, [['all', (sample) => sample.threads]]),
    `</div></main><script>${SCRIPT}</script></html>`,
  ].join('\n');
}
