// The list of tables beside the page: searched by the gateway, a page at a time; each with its columns on demand.
import { counted, element, found, grouped } from './element.ts';
import { describeTable, type Listed, type Listing, listTables } from './gateway.ts';
import { hashOf, type TablePlace } from './place.ts';
import { roveIn } from './roving.ts';

const PAGE = 60;
/** The gateway lists by id: in another order at most so many can be put. */
const MOST_SORTED = 1000;
/** Between two letters of a quick typist. */
const TYPING_MS = 150;

export interface TableList {
  /**
   * Where another snapshot is served than the one that is listed, the list is made anew.
   * @param now the snapshot that is served, where that is known; else it is asked for
   */
  check(now?: string): Promise<void>;
  /** Marks the table that the page shows. */
  mark(place: TablePlace | undefined): void;
  focus(): void;
}

type Sort = 'id' | 'name' | 'rows';
const SORTS: { readonly [S in Sort]: (a: Listed, b: Listed) => number } = {
  id: () => 0,
  name: (a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }),
  rows: (a, b) => b.row_count - a.row_count,
};

/**
 * @param onSnapshot is told the first listing, and the first of every other snapshot that is served later
 * @param onColumn is told the name of a column that was chosen
 */
export function createTableList(
  onSnapshot: (listing: Listing) => void,
  onColumn: (name: string) => void,
): TableList {
  const search = found<HTMLInputElement>('table-search');
  const chain = found<HTMLSelectElement>('table-chain');
  const list = found('table-list');
  const sort = found<HTMLSelectElement>('table-sort');
  const status = found('table-status');
  const roving = roveIn(list, 'a, .column', search);
  const more = found<HTMLButtonElement>('table-more');
  let marked = '';
  let next: string | undefined;
  let asking = new AbortController();
  let typing: ReturnType<typeof setTimeout> | undefined;
  let snapshot: string | undefined;

  const load = async (after?: string): Promise<void> => {
    asking.abort();
    asking = new AbortController();
    const { signal } = asking;
    try {
      const by = sort.value as Sort;
      const limit = by === 'id' ? PAGE : MOST_SORTED;
      const request = { chain: chain.value, search: search.value.trim(), limit };
      const listing = await listTables(after === undefined ? request : { ...request, after }, signal);
      if (signal.aborted) return;
      if (listing.snapshot !== snapshot) {
        snapshot = listing.snapshot;
        offerChains(chain, listing.chains);
        onSnapshot(listing);
      }
      const items = listing.tables.toSorted(SORTS[by]).map((table) => listItem(table, onColumn));
      if (after === undefined) list.replaceChildren(...items);
      else {
        list.append(...items);
        items[0]?.querySelector('a')?.focus();
      }
      next = listing.next;
      more.hidden = next === undefined || by !== 'id';
      const all = listing.total === 0 ? nothingFound(search.value) : counted(listing.total, 'table');
      const isPart = by !== 'id' && next !== undefined;
      status.textContent = isPart ? `${all}: the first ${grouped(MOST_SORTED)} are sorted` : all;
      paint();
      roving.refresh();
    } catch (error) {
      if (signal.aborted) return;
      status.textContent =
        error instanceof TypeError ? 'The gateway cannot be reached.' : String((error as Error).message);
    }
  };
  const paint = (): void => {
    for (const link of list.querySelectorAll('a')) {
      if (link.hash === marked) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  };
  search.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void load(), TYPING_MS);
  });
  list.addEventListener('keydown', (event) => {
    const item = event.target instanceof Element ? event.target.closest('li.table') : null;
    const isOpener = event.key === 'ArrowRight' || event.key === 'ArrowLeft';
    if (item === null || !isOpener) return;
    event.preventDefault();
    const opener = item.querySelector<HTMLElement>('.opener');
    const isOpen = opener?.getAttribute('aria-expanded') === 'true';
    if (isOpen === (event.key === 'ArrowLeft')) opener?.click();
    if (event.key === 'ArrowLeft') item.querySelector('a')?.focus();
  });
  for (const choice of [chain, sort]) choice.addEventListener('change', () => void load());
  more.addEventListener('click', () => void load(next));
  void load();
  return {
    async check(now) {
      try {
        const served = now ?? (await listTables({ chain: '', search: '', limit: 1 })).snapshot;
        if (snapshot !== undefined && served !== snapshot) await load();
      } catch {
        // Only news would have been had.
      }
    },
    mark(place) {
      marked = place === undefined ? '' : hashOf(place);
      paint();
    },
    focus() {
      search.focus();
      search.select();
    },
  };
}

function listItem(table: Listed, onColumn: (name: string) => void): HTMLElement {
  const { name, chain_id, table_id, row_count, remote } = table;
  const href = hashOf({ page: 'table', chainId: String(chain_id), tableId: table_id });
  const columns = element('ul', { class: 'columns', hidden: true });
  const opener = element(
    'button',
    {
      type: 'button',
      class: 'opener',
      tabindex: -1,
      'aria-expanded': 'false',
      'aria-label': `Columns of ${name}`,
      onclick: () => {
        const open = columns.hidden === true;
        columns.hidden = !open;
        opener.setAttribute('aria-expanded', String(open));
        if (open && columns.childElementCount === 0) void fillColumns(columns, table, onColumn);
      },
    },
    element('span', { class: 'opener-mark', 'aria-hidden': 'true' }),
  );
  const link = element(
    'a',
    { href },
    element('bdi', { class: 'table-name' }, name),
    element(
      'span',
      { class: 'table-rows' },
      grouped(row_count),
      element('span', { class: 'unseen' }, ' rows'),
    ),
    remote === true ? element('span', { class: 'note' }, 'remote') : undefined,
  );
  return element('li', { class: 'table' }, element('div', { class: 'table-line' }, opener, link), columns);
}

async function fillColumns(
  list: HTMLElement,
  { chain_id, table_id }: Listed,
  onColumn: (name: string) => void,
): Promise<void> {
  try {
    const { schema } = await describeTable(String(chain_id), table_id);
    list.replaceChildren(
      ...schema.columns.map(({ name, type }) =>
        element(
          'li',
          {},
          element(
            'button',
            {
              type: 'button',
              class: 'column',
              tabindex: -1,
              title: 'Put it into the statement',
              onclick: () => onColumn(name),
            },
            element('bdi', {}, name),
            element('span', { class: 'type' }, type),
          ),
        ),
      ),
    );
  } catch (error) {
    const message = error instanceof TypeError ? 'The gateway cannot be reached.' : (error as Error).message;
    list.replaceChildren(element('li', { class: 'note' }, message));
  }
}

function nothingFound(search: string): string {
  return search.trim() === '' ? 'No tables yet.' : 'No table has this in its name.';
}

/** Chains that are offered already stay as they are, so that a choice stays too. */
function offerChains(select: HTMLSelectElement, chains: readonly number[]): void {
  const offered = new Set([...select.options].map(({ value }) => value));
  const more = chains.filter((id) => !offered.has(String(id)));
  select.append(...more.map((id) => element('option', { value: id }, `Chain ${id}`)));
  select.hidden = select.options.length < 3;
}
