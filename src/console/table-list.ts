// The list of tables beside the page: searched by the gateway, a page at a time.
import { counted, element, found, grouped } from './element.ts';
import { type Listed, type Listing, listTables } from './gateway.ts';
import { hashOf, type TablePlace } from './place.ts';

const PAGE = 60;
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

/** @param onSnapshot is told the first listing, and the first of every other snapshot that is served later */
export function createTableList(onSnapshot: (listing: Listing) => void): TableList {
  const search = found<HTMLInputElement>('table-search');
  const chain = found<HTMLSelectElement>('table-chain');
  const list = found('table-list');
  const status = found('table-status');
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
      const request = { chain: chain.value, search: search.value.trim(), limit: PAGE };
      const listing = await listTables(after === undefined ? request : { ...request, after }, signal);
      if (signal.aborted) return;
      if (listing.snapshot !== snapshot) {
        snapshot = listing.snapshot;
        offerChains(chain, listing.chains);
        onSnapshot(listing);
      }
      const items = listing.tables.map(listItem);
      if (after === undefined) list.replaceChildren(...items);
      else {
        list.append(...items);
        items[0]?.querySelector('a')?.focus();
      }
      next = listing.next;
      more.hidden = next === undefined;
      status.textContent = listing.total === 0 ? nothingFound(search.value) : counted(listing.total, 'table');
      paint();
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
  // The list is below: Enter and the arrow go there.
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    list.querySelector('a')?.focus();
  });
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    const to = event.key === 'ArrowDown' ? Math.min(at + 1, links.length - 1) : at - 1;
    if (to < 0) search.focus();
    else links[to]?.focus();
  });
  chain.addEventListener('change', () => void load());
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

function listItem({ name, chain_id, table_id, row_count }: Listed): HTMLElement {
  const href = hashOf({ page: 'table', chainId: String(chain_id), tableId: table_id });
  return element(
    'li',
    {},
    element(
      'a',
      { href },
      element('span', { class: 'table-name' }, name),
      element(
        'span',
        { class: 'table-rows' },
        grouped(row_count),
        element('span', { class: 'unseen' }, ' rows'),
      ),
    ),
  );
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
