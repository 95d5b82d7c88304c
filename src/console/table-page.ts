// The page of one table: what it is, its columns and constraints, its first rows, and how others see it.
import { copyButton } from './copy-button.ts';
import { element, found, grouped } from './element.ts';
import {
  BASE,
  type Column,
  type Description,
  describeTable,
  isOwn,
  listTables,
  runQuery,
} from './gateway.ts';
import { prettyPieces } from './lossless-json.ts';
import { EMPTY_QUERY, hashOf, type TablePlace } from './place.ts';
import { readResult } from './result.ts';
import { resultGrid } from './result-grid.ts';
import { spelled } from './sql-words.ts';

const SAMPLE_ROWS = 20;
/** Listings that are looked through for a row count. */
const MAX_LISTED = 200;

let shown = new AbortController();

/** Fills the page; what is still under way for another table is left. */
export async function showTable(place: TablePlace): Promise<void> {
  shown.abort();
  shown = new AbortController();
  const { signal } = shown;
  const page = found('table-page');
  const title = element('h1', { tabindex: -1 }, `Table ${place.tableId} on chain ${place.chainId}`);
  page.replaceChildren(title, element('p', { class: 'note', role: 'status' }, 'Loading …'));
  title.focus({ preventScroll: true });
  try {
    const description = await describeTable(place.chainId, place.tableId);
    if (signal.aborted) return;
    title.textContent = description.name;
    document.title = `${description.name} · Tablegate`;
    // What is moved in the document loses the focus.
    const hadFocus = document.activeElement === title;
    const facts = element('dl', { class: 'facts' });
    const sample = element('div', {}, element('p', { class: 'note' }, 'Loading …'));
    page.replaceChildren(
      element('div', { class: 'page-head' }, element('div', {}, title, facts), actions(description)),
      section('Columns', columnsTable(description)),
      section(`First rows`, sample),
      section('How others see it', seenByOthers(place, description)),
    );
    if (hadFocus) title.focus({ preventScroll: true });
    showFacts(facts, place, description, undefined);
    await Promise.all([
      fillSample(sample, description, signal),
      rowCountOf(place, description.name, signal).then((rows) => {
        if (!signal.aborted) showFacts(facts, place, description, rows);
      }),
    ]);
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof TypeError ? 'The gateway cannot be reached.' : (error as Error).message;
    page.replaceChildren(title, element('p', { class: 'error-box', role: 'alert' }, message));
  }
}

function section(title: string, ...children: readonly Node[]): HTMLElement {
  return element('section', { class: 'card', 'aria-label': title }, element('h2', {}, title), ...children);
}

function actions({ name }: Description): HTMLElement {
  const statement = `select * from ${spelled(name)} limit 100`;
  const href = hashOf({ page: 'query', query: { ...EMPTY_QUERY, statement }, view: 'table' });
  return element(
    'div',
    { class: 'page-actions' },
    element('a', { class: 'primary', href }, 'Query this table'),
    copyButton('Copy name', () => name),
  );
}

function showFacts(
  facts: HTMLElement,
  place: TablePlace,
  { attributes, schema }: Description,
  rows: number | undefined,
): void {
  const created = attributes.find(({ trait_type }) => trait_type === 'created')?.value ?? 0;
  const all: (readonly [string, string])[] = [
    ['Rows', rows === undefined ? '–' : grouped(rows)],
    ['Columns', grouped(schema.columns.length)],
    ['Chain', place.chainId],
    ['Id', place.tableId],
    ['Created', created === 0 ? 'unknown' : new Date(created * 1000).toISOString().slice(0, 10)],
  ];
  facts.replaceChildren(
    ...all.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );
}

function columnsTable({ schema }: Description): HTMLElement {
  const row = ({ name, type, constraints = [] }: Column): HTMLElement =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      element('td', {}, type),
      element('td', {}, ...constraints.map((text) => element('code', { class: 'constraint' }, text))),
    );
  const heads = ['Column', 'Type', 'Constraints'].map((text) => element('th', { scope: 'col' }, text));
  const table = element(
    'table',
    { class: 'grid schema' },
    element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, ...schema.columns.map(row)),
  );
  const constraints = (schema.table_constraints ?? []).map((text) =>
    element('code', { class: 'constraint' }, text),
  );
  const ofTable =
    constraints.length === 0
      ? undefined
      : element('p', { class: 'table-constraints' }, element('span', {}, 'Of the table: '), ...constraints);
  const label = 'Columns and their constraints';
  return element(
    'div',
    {},
    element('div', { class: 'grid-scroller', role: 'region', 'aria-label': label, tabindex: 0 }, table),
    ofTable,
  );
}

async function fillSample(
  sample: HTMLElement,
  { name, schema }: Description,
  signal: AbortSignal,
): Promise<void> {
  const query = { ...EMPTY_QUERY, statement: `select * from ${spelled(name)} limit ${SAMPLE_ROWS}` };
  const outcome = await runQuery(query, signal);
  if (signal.aborted || outcome.kind === 'stopped') return;
  if (outcome.kind === 'failed') {
    sample.replaceChildren(element('p', { class: 'error-box', role: 'alert' }, outcome.message));
    return;
  }
  const result = readResult(outcome.text, query);
  const empty = result.rows.length === 0 ? element('p', { class: 'nothing' }, 'No rows yet.') : undefined;
  sample.replaceChildren(
    resultGrid(
      result,
      `First rows of ${name}`,
      schema.columns.map(({ type }) => type),
    ),
    ...(empty === undefined ? [] : [empty]),
  );
}

/** The listing knows how many rows a table has, without counting them. */
async function rowCountOf(
  { chainId, tableId }: TablePlace,
  name: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const { tables } = await listTables(
      { chain: chainId, search: name.slice(0, 100), limit: MAX_LISTED },
      signal,
    );
    return tables.find((table) => table.table_id === tableId)?.row_count;
  } catch {
    // Only a number is missing.
    return undefined;
  }
}

/** @returns the gateway's own beside this page, where the public address is the gateway's own too */
function seenAt(shown: string | undefined, own: string): string {
  if (shown === undefined || !/^https?:/.test(shown)) return own;
  return isOwn(shown, own.slice(BASE.length)) ? own : shown;
}

function seenByOthers({ chainId, tableId }: TablePlace, description: Description): HTMLElement {
  const address = `${BASE}/tables/${chainId}/${tableId}`;
  const link = (href: string, text: string): HTMLElement =>
    element('a', { href, target: '_blank', rel: 'noopener' }, text);
  const pieces = prettyPieces(JSON.stringify(description));
  // An operator may have renderers of his own: what is elsewhere is linked to, never loaded.
  const picture = seenAt(description.image, `${address}.svg`);
  const page = seenAt(description.animation_url, `${address}.html`);
  return element(
    'div',
    { class: 'seen' },
    element('img', {
      src: `${address}.svg`,
      alt: `Picture of ${description.name}`,
      width: 260,
      height: 260,
      loading: 'lazy',
    }),
    element(
      'div',
      {},
      element(
        'p',
        {},
        'Marketplaces show a table by its ',
        link(picture, 'picture'),
        ', its ',
        link(page, 'page'),
        ' and its ',
        link(address, 'metadata'),
        '.',
      ),
      element(
        'details',
        {},
        element('summary', {}, 'Metadata'),
        element('pre', { class: 'json', tabindex: 0 }, pieces.map(([, piece]) => piece).join('')),
      ),
    ),
  );
}
