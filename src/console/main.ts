// The console: puts the parts of the page together and keeps its address, editor and result in step.
import { forgetTables } from './completion.ts';
import { counted, durationText, found } from './element.ts';
import { errorPlace, placeName } from './error-place.ts';
import { type Explained, explainQuery } from './explanation.ts';
import { forgetDescriptions, type Listing, type Outcome, runQuery } from './gateway.ts';
import { createPast } from './past-list.ts';
import { hashOf, placeOf, type Query, type QueryPlace, type View } from './place.ts';
import { createQueryForm, isSameQuery } from './query-form.ts';
import { createResultPanel } from './result-panel.ts';
import { askForName } from './save-query.ts';
import { createSidebar } from './sidebar.ts';
import { showSnapshotAge } from './snapshot-age.ts';
import { spelled } from './sql-words.ts';
import { fillStart } from './start-page.ts';
import { createTableList } from './table-list.ts';
import { showTable } from './table-page.ts';
import { currentTheme, nextTheme, setTheme, type Theme } from './theme.ts';

let view: View = 'table';
/** The statement that is being run; undefined where none is. */
let running: AbortController | undefined;
/** The query whose answer is shown or on its way. */
let asked: Query | undefined;

const form = createQueryForm({
  onRun: () => void run(),
  onStop: stop,
  onExplain: () => void explain(),
  onSave: save,
  onSwitch() {
    if (asked !== undefined && form.editor.text() === asked.statement) void run();
  },
  view: () => view,
});
const { editor } = form;
const panel = createResultPanel(showView);
const tables = createTableList(greet, insert);
const past = createPast();
const sidebar = createSidebar((side) => {
  if (side === 'history') past.refresh();
});

/** One at a time: what is asked takes the place of what runs. @returns undefined where another has taken its own */
async function ask<T>(
  query: Query,
  at: View,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  asked = query;
  view = at;
  setAddress({ page: 'query', query, view });
  editor.markError(undefined);
  form.setRunning(true);
  found('start').hidden = true;
  panel.running();
  const outcome = await send(mine.signal);
  if (running !== mine) return undefined;
  running = undefined;
  form.setRunning(false);
  return outcome;
}

async function run(): Promise<void> {
  if (!form.check()) return;
  const now = form.query();
  const at = view === 'explain' ? 'table' : view;
  const outcome = await ask(now, at, (signal) => runQuery(now, signal));
  if (outcome === undefined) return;
  if (outcome.kind === 'answer') {
    const rows = panel.answered(outcome, now, view);
    past.ran(now, `${counted(rows, 'row')} in ${durationText(outcome.ms)}`);
  } else {
    showFailure(outcome, now);
    past.ran(now, outcome.kind === 'stopped' ? 'stopped' : outcome.code);
  }
  if (found('drawer-button').offsetParent !== null) panel.intoView();
  void tables.check(outcome.kind === 'answer' ? outcome.snapshot : undefined);
}

async function explain(): Promise<void> {
  if (!form.check()) return;
  const now = form.query();
  const outcome = await ask(now, 'explain', (signal) => explainQuery(now, signal));
  if (outcome === undefined) return;
  if (outcome.kind === 'explained') panel.explained(outcome);
  else showFailure(outcome, now);
}

function showFailure(
  outcome: Exclude<Outcome | Explained, { kind: 'answer' | 'explained' }>,
  now: Query,
): void {
  if (outcome.kind === 'stopped') {
    panel.stopped(outcome.ms);
    return;
  }
  const at = errorPlace(now.statement, outcome.message);
  const same = editor.text() === now.statement;
  if (same) editor.markError(at);
  if (outcome.code === 'wrong-params') form.markParams(outcome.hint ?? outcome.message);
  const place =
    at === undefined || !same
      ? undefined
      : { name: placeName(now.statement, at), show: () => editor.focus() };
  panel.failed(outcome, place);
}

function stop(): void {
  running?.abort();
}

function save(): void {
  const query = form.query();
  if (query.statement.trim() === '') {
    editor.focus();
    return;
  }
  const [firstLine = ''] = query.statement.trim().split('\n');
  askForName(firstLine, past.names(), (name) => {
    const problem = past.save(name, query);
    if (problem === undefined) sidebar.show('saved');
    return problem;
  });
}

/** Into the statement, from the list of tables. */
function insert(name: string): void {
  if (found('query-page').hidden) location.hash = '#q=';
  sidebar.close();
  editor.insert(spelled(name));
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

/** Shows what the address says; a statement in it is run, or explained. */
function open(): void {
  const to = placeOf(location.hash);
  found('query-page').hidden = to.page !== 'query';
  found('table-page').hidden = to.page !== 'table';
  tables.mark(to.page === 'table' ? to : undefined);
  sidebar.close();
  if (to.page === 'table') {
    stop();
    void showTable(to);
    return;
  }
  document.title = 'Tablegate';
  const before = view;
  view = to.view;
  if (to.query.statement === '') return;
  form.fill(to.query);
  const isShown = isSameQuery(to.query, asked) && (before === 'explain') === (view === 'explain');
  if (isShown) panel.show(view);
  else void (view === 'explain' ? explain() : run());
}

/** As it was left: what was written and not run is there again, and is not run by itself. */
function openFirst(): void {
  const to = placeOf(location.hash);
  const draft = form.draft();
  if (draft !== undefined && !(to.page === 'query' && isSameQuery(draft, to.query))) {
    form.fill(draft);
    if (to.page === 'query') return;
  }
  open();
}

/** Who comes with nothing finds a statement that works. What was known of another snapshot is forgotten. */
function greet(listing: Listing): void {
  forgetDescriptions();
  forgetTables();
  const [first] = listing.tables;
  if (first !== undefined && editor.text() === '')
    editor.setText(`select * from ${spelled(first.name)} limit 100`);
  if (!found('start').hidden) void fillStart(listing);
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

found('skip').addEventListener('click', (event) => {
  event.preventDefault();
  if (found('query-page').hidden) found('table-page').querySelector('h1')?.focus();
  else editor.focus();
});
found('theme').addEventListener('click', () => {
  setTheme(nextTheme(currentTheme()));
  paintTheme();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => panel.recolour());
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
    sidebar.open('tables');
  }
  if (event.key === 'Escape') {
    if (sidebar.isOpen()) sidebar.close();
    else stop();
  }
  const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.defaultPrevented;
  if (isRun && !found('query-page').hidden) {
    event.preventDefault();
    void run();
  }
});
addEventListener('hashchange', open);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void tables.check();
});

showSnapshotAge();
paintTheme();
openFirst();
