// Below the editor: how the last run went, and its answer as table, JSON or chart, in tabs. Runs nothing.
import { bytesText, counted, durationText, element, found } from './element.ts';
import { explainView } from './explain-view.ts';
import type { Explained } from './explanation.ts';
import type { Outcome } from './gateway.ts';
import { prettyPieces } from './lossless-json.ts';
import type { Query, View } from './place.ts';
import { type Result, readResult } from './result.ts';
import { type ResultChart, resultChart } from './result-chart.ts';
import { resultGrid } from './result-grid.ts';
import { saveMenu } from './save-menu.ts';
import { readServerTiming, shortMs } from './server-timing.ts';
import { createTabs } from './tabs.ts';
import { visible } from './visible.ts';

type Answer = Extract<Outcome, { kind: 'answer' }>;
type Failed = Extract<Outcome, { kind: 'failed' }>;

/** Larger answers are shown in part; the whole is a click away. */
const MAX_JSON_SHOWN = 400_000;
/** Larger ones are not coloured: a piece is an element. */
const MAX_JSON_COLOURED = 40_000;

/** By lane. */
const ENGINES: Readonly<Record<string, string>> = {
  rows: 'SQLite',
  scan: 'DuckDB',
  long: 'SQLite, long lane',
};

const TABS: readonly (readonly [Exclude<View, 'explain'>, string])[] = [
  ['table', 'Table'],
  ['json', 'JSON'],
  ['chart', 'Chart'],
];

/** Where in the statement it failed. */
export interface FailedPlace {
  /** `line 2, column 5`. */
  readonly name: string;
  readonly show: () => void;
}

export interface ResultPanel {
  running(): void;
  stopped(ms: number): void;
  failed(failure: Failed, place: FailedPlace | undefined): void;
  /** @returns how many rows there are */
  answered(answer: Answer, query: Query, view: View): number;
  explained(explained: Extract<Explained, { kind: 'explained' }>): void;
  show(view: View): void;
  /** Draws what depends on the colours anew. */
  recolour(): void;
  /** Brings the answer to where it is seen. */
  intoView(): void;
}

export function createResultPanel(onView: (view: View) => void): ResultPanel {
  const status = found('run-status');
  const facts = found('run-facts');
  const error = found('run-error');
  const tabs = found('result-tabs');
  const panel = found('result-panel');
  let view: View = 'table';
  let draw: ((view: View) => Node) | undefined;
  let ticking: ReturnType<typeof setInterval> | undefined;
  let chart: ResultChart | undefined;

  const tabList = createTabs('Show the answer as', TABS, () => 'result-panel', onView);
  let shown: Query | undefined;
  tabs.append(
    tabList.box,
    saveMenu(() => shown),
  );

  const render = (): void => {
    tabList.select(view === 'explain' ? 'table' : view);
    panel.setAttribute('aria-labelledby', `tab-${view}`);
    chart?.remove();
    chart = undefined;
    if (draw !== undefined) panel.replaceChildren(draw(view));
    (chart as ResultChart | undefined)?.draw();
  };
  const reset = (): void => {
    clearInterval(ticking);
    error.hidden = true;
    error.replaceChildren();
    facts.replaceChildren();
    tabs.hidden = true;
    panel.hidden = true;
    panel.removeAttribute('aria-busy');
    panel.replaceChildren();
    chart?.remove();
    chart = undefined;
    draw = undefined;
  };
  reset();

  return {
    running() {
      clearInterval(ticking);
      const since = performance.now();
      // Told once to those who hear it, and counted for those who see it.
      const seconds = element('span', { 'aria-hidden': 'true' });
      ticking = setInterval(() => {
        seconds.textContent = ` ${Math.floor((performance.now() - since) / 1000)} s`;
      }, 1000);
      status.replaceChildren('Running …', seconds);
      panel.setAttribute('aria-busy', 'true');
    },
    stopped(ms) {
      reset();
      status.textContent = `Stopped after ${durationText(ms)}.`;
    },
    failed(failure, place) {
      reset();
      status.textContent = `No answer, after ${durationText(failure.ms)}`;
      error.replaceChildren(
        element('p', { class: 'error-message' }, visible(failure.message.trim())),
        ...(failure.hint === undefined ? [] : [element('p', { class: 'error-hint' }, visible(failure.hint))]),
        element(
          'p',
          { class: 'error-facts' },
          element('code', {}, failure.code),
          failure.status === 0 ? undefined : ` · HTTP status ${failure.status}`,
        ),
        ...(place === undefined
          ? []
          : [
              element(
                'button',
                { type: 'button', class: 'quiet', onclick: place.show },
                `Go to ${place.name}`,
              ),
            ]),
      );
      error.hidden = false;
    },
    answered(answer, query, as) {
      reset();
      view = as;
      const nothing = answer.status === 404;
      const result: Result = nothing ? { columns: [], rows: [], cut: false } : readResult(answer.text, query);
      status.textContent = `${counted(result.rows.length, 'row')} in ${durationText(answer.ms)}`;
      facts.replaceChildren(...factsOf(answer, result));
      draw = (now) => {
        if (now === 'json') return jsonView(answer.text, nothing);
        if (nothing)
          return element(
            'p',
            { class: 'nothing' },
            'No rows to unwrap: the gateway answers 404 with an empty body.',
          );
        if (now === 'table') return tableView(result);
        chart = resultChart(result);
        return (
          chart?.box ??
          element('p', { class: 'nothing' }, 'Nothing to draw: a chart needs a column of numbers.')
        );
      };
      shown = query;
      tabs.hidden = false;
      panel.hidden = false;
      render();
      return result.rows.length;
    },
    explained({ explanation, ms }) {
      reset();
      status.textContent = `Explained in ${durationText(ms)}; nothing was run`;
      panel.setAttribute('aria-labelledby', 'run-status');
      panel.replaceChildren(explainView(explanation));
      panel.hidden = false;
    },
    show(to) {
      if (view === to) return;
      view = to;
      render();
    },
    recolour() {
      chart?.draw();
    },
    intoView() {
      status.scrollIntoView({ block: 'start' });
    },
  };
}

function factsOf({ bytes, headers, cut }: Answer, { rows }: Result): Node[] {
  const facts: (readonly [string, string])[] = [['Size', bytesText(bytes)]];
  const cache = headers.get('cache-status');
  if (cache !== null) facts.push(['Cache', cacheText(cache)]);
  const { ms, engine } = readServerTiming(headers.get('server-timing'));
  if (ms['total'] !== undefined) facts.push(['Gateway', shortMs(ms['total'])]);
  if (ms['queue'] !== undefined) facts.push(['Queue', shortMs(ms['queue'])]);
  if (ms['engine'] !== undefined && engine !== undefined)
    facts.push(['Engine', `${ENGINES[engine.split(':')[0] ?? ''] ?? engine}, ${shortMs(ms['engine'])}`]);
  if (cut) facts.push(['Shown', `the first ${counted(rows.length, 'row')}; the answer goes on`]);
  return facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)));
}

/** `tablegate; hit` or `tablegate; fwd=miss` (RFC 9211). */
function cacheText(header: string): string {
  return /\bhit\b/i.test(header) ? 'hit' : 'miss';
}

function tableView(result: Result): Node {
  if (result.columns.length === 0) return element('p', { class: 'nothing' }, 'No rows.');
  const grid = resultGrid(result, 'Rows of the answer');
  if (result.rows.length > 0) return grid;
  return element('div', {}, grid, element('p', { class: 'nothing' }, 'No rows.'));
}

function jsonView(text: string, nothing: boolean): Node {
  if (nothing) return element('p', { class: 'nothing' }, 'An empty body.');
  const shown = text.slice(0, MAX_JSON_SHOWN);
  const pieces = prettyPieces(shown);
  const pre = element('pre', {
    class: 'json',
    tabindex: 0,
    role: 'region',
    'aria-label': 'The answer as JSON',
  });
  if (shown.length > MAX_JSON_COLOURED) pre.append(pieces.map(([, piece]) => piece).join(''));
  else
    pre.append(
      ...pieces.map(([kind, piece]) =>
        kind === 'mark' ? piece : element('span', { class: `json-${kind}` }, piece),
      ),
    );
  if (shown.length === text.length) return pre;
  const note = `The first ${bytesText(MAX_JSON_SHOWN)} are shown; save the whole.`;
  return element('div', {}, element('p', { class: 'note part-note' }, note), pre);
}
