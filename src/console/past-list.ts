// Beside the page: the queries that were run, and those that were given a name. Each is a link; nothing of them leaves
// this browser.
import { counted, element, found } from './element.ts';
import { type KeptList, keptList } from './memory.ts';
import {
  agoText,
  MOST_NAME,
  matching,
  noRoomFor,
  type Ran,
  readRan,
  readSaved,
  type Saved,
  withRan,
  withSaved,
} from './past.ts';
import { hashOf, type Query } from './place.ts';
import { roveIn } from './roving.ts';
import { visible } from './visible.ts';

export interface Past {
  ran(query: Query, how: string): void;
  /** @returns why it is not saved; undefined where it is */
  save(name: string, query: Query): string | undefined;
  readonly names: () => readonly string[];
  /** What is said of how long ago things were changes by itself. */
  refresh(): void;
}

export function createPast(): Past {
  const history = keptList('history', readRan, true, () => showHistory());
  const saved = keptList('saved', readSaved, false, () => showSaved());
  const showHistory = createPanel('history', history, {
    empty: 'What you run is listed here, in this browser alone.',
    texts: ({ query }) => `${query.statement} ${query.params}`,
    item: ({ query, at, how }) => [statementLine(query), factLine(`${agoText(Date.now() - at)} · ${how}`)],
    removeName: ({ query }) => `Forget ${query.statement.slice(0, 60)}`,
    back: (items, removed) => [...items, ...removed].toSorted((a, b) => b.at - a.at),
  });
  const showSaved = createPanel('saved', saved, {
    empty: 'What you save is listed here, in this browser alone.',
    texts: ({ name, query }) => `${name} ${query.statement} ${query.params}`,
    item: ({ name, query }) => [element('strong', {}, name), statementLine(query)],
    removeName: ({ name }) => `Delete ${name}`,
    back: (items, removed) => removed.reduce(withSaved, items),
  });
  showHistory();
  showSaved();
  return {
    ran: (query, how) => history.set(withRan(history.items(), { query, at: Date.now(), how })),
    save(name, query) {
      const now = { name: name.slice(0, MOST_NAME).toWellFormed(), query };
      const problem = noRoomFor(now, saved.items());
      if (problem === undefined) saved.set(withSaved(saved.items(), now));
      return problem;
    },
    names: () => saved.items().map(({ name }) => name),
    refresh: () => showHistory(),
  };
}

/** Of one kind of entries. */
interface Kind<Item> {
  readonly empty: string;
  readonly texts: (item: Item) => string;
  readonly item: (item: Item) => readonly HTMLElement[];
  readonly removeName: (item: Item) => string;
  /** What was taken away, among what is there. */
  readonly back: (items: readonly Item[], removed: readonly Item[]) => readonly Item[];
}

/** @returns shows what is kept now */
function createPanel<Item extends Ran | Saved>(
  name: 'history' | 'saved',
  kept: KeptList<Item>,
  kind: Kind<Item>,
): () => void {
  const search = found<HTMLInputElement>(`${name}-search`);
  const list = found(`${name}-list`);
  const status = found(`${name}-status`);
  const foot = found(`${name}-foot`);
  const roving = roveIn(list, 'a', search);
  /** What was taken away last. */
  let removed: readonly Item[] = [];

  const take = (isTaken: (item: Item) => boolean): void => {
    const items = kept.items();
    removed = items.filter(isTaken);
    kept.set(items.filter((item) => !isTaken(item)));
    search.focus();
  };
  const clear = element(
    'button',
    { type: 'button', class: 'quiet', onclick: () => take(() => true) },
    'Clear all',
  );
  const back = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      onclick: () => {
        const again = removed;
        removed = [];
        kept.set(kind.back(kept.items(), again));
        search.focus();
      },
    },
    'Undo',
  );
  foot.append(clear, back);

  const show = (): void => {
    const items = kept.items();
    const shown = matching(items, search.value, kind.texts);
    list.replaceChildren(
      ...shown.map((item) =>
        element(
          'li',
          { class: 'past' },
          element(
            'a',
            { href: hashOf({ page: 'query', query: item.query, view: 'table' }) },
            ...kind.item(item),
          ),
          element(
            'button',
            {
              type: 'button',
              class: 'remove',
              tabindex: -1,
              'aria-label': kind.removeName(item),
              onclick: () => take((each) => isSame(each, item)),
            },
            '×',
          ),
        ),
      ),
    );
    if (items.length === 0) status.textContent = kind.empty;
    else status.textContent = shown.length === 0 ? 'Nothing has this in it.' : countedQueries(shown.length);
    if (items.length > 0 && !kept.isKept())
      status.textContent += '. This browser does not keep them: they end with this page.';
    clear.hidden = items.length === 0;
    back.hidden = removed.length === 0;
    roving.refresh();
  };
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'Delete' || !(event.target instanceof HTMLElement)) return;
    event.target.parentElement?.querySelector('button')?.click();
  });
  search.addEventListener('input', show);
  return show;
}

function isSame(one: Ran | Saved, other: Ran | Saved): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function countedQueries(count: number): string {
  return counted(count, 'query').replace('querys', 'queries');
}

/** A long statement is cut: the page itself shows it whole. */
function statementLine({ statement, params }: Query): HTMLElement {
  const text = visible(statement.slice(0, 300).replaceAll(/\s+/g, ' ').toWellFormed());
  return element(
    'code',
    { dir: 'ltr' },
    params === '' ? text : `${text} ${visible(params.slice(0, 60).toWellFormed())}`,
  );
}

function factLine(text: string): HTMLElement {
  return element('span', { class: 'note' }, text);
}
