// The console: puts the parts of the page together and keeps its address, editor and result in step.
import { forgetTables } from './completion.ts';
import { copyButton } from './copy-button.ts';
import { createEditor } from './editor.ts';
import { found } from './element.ts';
import { errorPlace, placeName } from './error-place.ts';
import { BASE, forgetDescriptions, type Listing, runQuery } from './gateway.ts';
import { curlOf, hashOf, placeOf, type Query, type QueryPlace, queryUrl, type View } from './place.ts';
import { createResultPanel } from './result-panel.ts';
import { spelled } from './sql-words.ts';
import { fillStart } from './start-page.ts';
import { createTableList } from './table-list.ts';
import { showTable } from './table-page.ts';
import { currentTheme, nextTheme, setTheme, type Theme } from './theme.ts';

const form = found<HTMLFormElement>('query-form');
const runButton = found<HTMLButtonElement>('run');
const stopButton = found<HTMLButtonElement>('stop');
const liveUrl = found<HTMLInputElement>('live-url');
const extract = found<HTMLInputElement>('extract');
const unwrap = found<HTMLInputElement>('unwrap');
const formats = [...form.querySelectorAll<HTMLInputElement>('input[name=format]')];

let view: View = 'table';
/** The statement that is being run; undefined where none is. */
let running: AbortController | undefined;
/** The query whose answer is shown or on its way. */
let asked: Query | undefined;

const editor = createEditor(found('editor'), {
  onRun: () => void run(),
  onChange: refresh,
  onEscape: stop,
});
const panel = createResultPanel(showView);
const tables = createTableList(greet);

function query(): Query {
  const format = formats.find((radio) => radio.checked)?.value === 'objects' ? 'objects' : 'table';
  const options = format === 'objects';
  return {
    statement: editor.text(),
    format,
    extract: options && extract.checked,
    unwrap: options && unwrap.checked,
  };
}

/** The live address follows editor and switches. */
function refresh(): void {
  const now = query();
  liveUrl.value = queryUrl(BASE, now);
  for (const box of [extract, unwrap]) box.disabled = now.format === 'table';
}

function place(): QueryPlace {
  return { page: 'query', query: query(), view };
}

async function run(): Promise<void> {
  const now = query();
  if (now.statement.trim() === '') {
    editor.focus();
    return;
  }
  running?.abort();
  const mine = new AbortController();
  running = mine;
  asked = now;
  setAddress(place());
  editor.markError(undefined);
  setRunning(true);
  found('start').hidden = true;
  panel.running();
  const outcome = await runQuery(now, mine.signal);
  // Another run has taken its place.
  if (running !== mine) return;
  running = undefined;
  setRunning(false);
  if (outcome.kind === 'stopped') panel.stopped(outcome.ms);
  else if (outcome.kind === 'answer') panel.answered(outcome, now);
  else {
    const at = errorPlace(now.statement, outcome.message);
    const same = editor.text() === now.statement;
    if (same) editor.markError(at);
    panel.failed(
      outcome,
      at === undefined || !same
        ? undefined
        : { name: placeName(now.statement, at), show: () => editor.focus() },
    );
  }
  void tables.check(outcome.kind === 'answer' ? outcome.snapshot : undefined);
}

function stop(): void {
  running?.abort();
}

function setRunning(is: boolean): void {
  const hadFocus = document.activeElement === runButton || document.activeElement === stopButton;
  runButton.hidden = is;
  stopButton.hidden = !is;
  if (hadFocus) (is ? stopButton : runButton).focus();
  form.classList.toggle('is-running', is);
}

function showView(to: View): void {
  view = to;
  panel.show(to);
  // A choice of view is no step to go back to.
  if (asked !== undefined) history.replaceState(null, '', hashOf({ page: 'query', query: asked, view }));
}

/** A new statement is a step to go back to. */
function setAddress(to: QueryPlace): void {
  const hash = hashOf(to);
  if (location.hash === hash) return;
  const before = placeOf(location.hash);
  const again = before.page === 'query' && ['', to.query.statement].includes(before.query.statement);
  if (again) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
}

/** Shows what the address says; a statement in it is run. */
function open(): void {
  const to = placeOf(location.hash);
  found('query-page').hidden = to.page !== 'query';
  found('table-page').hidden = to.page !== 'table';
  tables.mark(to.page === 'table' ? to : undefined);
  setDrawer(false);
  if (to.page === 'table') {
    stop();
    void showTable(to);
    return;
  }
  document.title = 'Tablegate';
  view = to.view;
  panel.show(to.view);
  const { statement } = to.query;
  if (statement === '') {
    refresh();
    return;
  }
  editor.setText(statement);
  for (const radio of formats) radio.checked = radio.value === to.query.format;
  extract.checked = to.query.extract;
  unwrap.checked = to.query.unwrap;
  refresh();
  if (asked === undefined || JSON.stringify(asked) !== JSON.stringify(to.query)) void run();
}

/** Who comes with nothing finds a statement that works. What was known of another snapshot is forgotten. */
function greet(listing: Listing): void {
  found('snapshot').textContent = listing.snapshot;
  forgetDescriptions();
  forgetTables();
  const [first] = listing.tables;
  if (first !== undefined && editor.text() === '')
    editor.setText(`select * from ${spelled(first.name)} limit 100`);
  if (!found('start').hidden) void fillStart(listing);
}

function setDrawer(open: boolean): void {
  const button = found('drawer-button');
  const was = button.getAttribute('aria-expanded') === 'true';
  if (was === open) return;
  button.setAttribute('aria-expanded', String(open));
  document.body.classList.toggle('drawer-open', open);
  if (open) tables.focus();
  else if (found('sidebar').contains(document.activeElement)) button.focus();
}

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'as the system',
  light: 'light',
  dark: 'dark',
};

function paintTheme(): void {
  found('theme').setAttribute('aria-label', `Colours: ${THEME_NAMES[currentTheme()]}. Change`);
  panel.recolour();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
stopButton.addEventListener('click', stop);
form.addEventListener('change', (event) => {
  if (event.target === liveUrl) return;
  refresh();
  if (asked !== undefined && editor.text() === asked.statement) void run();
});
found('url-tools').append(
  copyButton('Copy URL', () => liveUrl.value),
  copyButton('Copy curl', () => curlOf(BASE, query())),
  copyButton('Copy link', () => new URL(hashOf(place()), location.href).href),
);
found('skip').addEventListener('click', (event) => {
  event.preventDefault();
  if (found('query-page').hidden) found('table-page').querySelector('h1')?.focus();
  else editor.focus();
});
liveUrl.addEventListener('focus', () => liveUrl.select());
found('theme').addEventListener('click', () => {
  setTheme(nextTheme(currentTheme()));
  paintTheme();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => panel.recolour());
found('drawer-button').addEventListener('click', () =>
  setDrawer(!document.body.classList.contains('drawer-open')),
);
found('drawer-shade').addEventListener('click', () => setDrawer(false));
document.addEventListener('keydown', (event) => {
  const inField = event
    .composedPath()
    .some(
      (each) =>
        each instanceof HTMLElement &&
        each.matches('input, select, textarea, [contenteditable=true], dialog'),
    );
  if (event.key === '/' && !inField && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    setDrawer(getComputedStyle(found('drawer-button')).display !== 'none');
    tables.focus();
  }
  if (event.key === 'Escape') {
    if (document.body.classList.contains('drawer-open')) setDrawer(false);
    else stop();
  }
  if (
    event.key === 'Enter' &&
    (event.ctrlKey || event.metaKey) &&
    !found('query-page').hidden &&
    !event.defaultPrevented
  ) {
    event.preventDefault();
    void run();
  }
});
addEventListener('hashchange', open);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void tables.check();
});

paintTheme();
open();
