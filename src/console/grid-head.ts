// The head of a result's table: a button a column that sorts, what the column holds, and on demand a row of filters.
import { element } from './element.ts';
import { FILTER_HELP, type Filters, type Order } from './result-order.ts';

export interface GridHead {
  readonly box: HTMLElement;
  /** Shows the filters, or takes them away. */
  readonly filterButton: HTMLElement;
}

/** After the last letter. */
const TYPING_MS = 120;
const MARKS = { none: '', ascending: ' ▲', descending: ' ▼' } as const;

export function createGridHead(
  columns: readonly string[],
  types: readonly string[],
  numeric: readonly boolean[],
  onArrange: (order: Order | undefined, filters: Filters) => void,
): GridHead {
  let order: Order | undefined;
  let typing: ReturnType<typeof setTimeout> | undefined;
  const arrange = (): void =>
    onArrange(
      order,
      fields.map(({ value }) => value),
    );
  /** Up, down, and as it came. */
  const sort = (column: number): void => {
    if (order?.column !== column) order = { column, down: false };
    else order = order.down ? undefined : { column, down: true };
    heads.forEach(({ head, mark }, i) => {
      const now = order?.column !== i ? 'none' : order.down ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', now);
      mark.textContent = MARKS[now];
    });
    arrange();
  };
  const heads = columns.map((name, i) => {
    const mark = element('span', { class: 'sort-mark', 'aria-hidden': 'true' });
    const head = element(
      'th',
      { scope: 'col', class: numeric[i] === true && 'number', 'aria-sort': 'none' },
      element(
        'button',
        { type: 'button', class: 'sort', title: name.slice(0, 300).toWellFormed(), onclick: () => sort(i) },
        element('bdi', {}, name === '' ? '(no name)' : name),
        mark,
      ),
      element('span', { class: 'type' }, types[i] ?? ''),
    );
    return { head, mark };
  });
  const fields = columns.map((name) =>
    element('input', {
      type: 'search',
      'aria-label': `Filter ${name}`,
      title: FILTER_HELP,
      placeholder: 'Filter',
      spellcheck: false,
      autocomplete: 'off',
      oninput: () => {
        clearTimeout(typing);
        typing = setTimeout(arrange, TYPING_MS);
      },
    }),
  );
  const filters = element(
    'tr',
    { class: 'filters', hidden: true },
    element('td', { class: 'row-number' }),
    ...fields.map((field) => element('td', {}, field)),
  );
  const filterButton = element(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-pressed': 'false',
      title: FILTER_HELP,
      onclick: () => {
        filters.hidden = !filters.hidden;
        filterButton.setAttribute('aria-pressed', String(!filters.hidden));
        if (!filters.hidden) {
          fields[0]?.focus();
          return;
        }
        for (const field of fields) field.value = '';
        arrange();
      },
    },
    'Filter',
  );
  return {
    box: element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col', class: 'row-number' }, element('span', { class: 'unseen' }, 'Row')),
        ...heads.map(({ head }) => head),
      ),
      filters,
    ),
    filterButton,
  };
}
