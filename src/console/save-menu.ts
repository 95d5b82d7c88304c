// Saves the whole answer as a file in one of the gateway's formats: what the page shows may be a part of it.
import { download } from './download.ts';
import { element } from './element.ts';
import { fetchAs } from './gateway.ts';
import { createMenu } from './menu.ts';
import type { Query } from './place.ts';

interface FileKind {
  readonly label: string;
  /** Undefined: JSON, in the form that was asked for. */
  readonly accept: string | undefined;
  readonly name: string;
}

const KINDS: readonly FileKind[] = [
  { label: 'JSON', accept: undefined, name: 'answer.json' },
  { label: 'NDJSON', accept: 'application/x-ndjson', name: 'answer.ndjson' },
  { label: 'CSV', accept: 'text/csv', name: 'answer.csv' },
  { label: 'Parquet', accept: 'application/vnd.apache.parquet', name: 'answer.parquet' },
  { label: 'Arrow', accept: 'application/vnd.apache.arrow.stream', name: 'answer.arrows' },
];
/** @param query gives the one whose answer is shown */
export function saveMenu(query: () => Query | undefined): HTMLElement {
  const told = element('p', { class: 'note', role: 'status' });
  const save = async ({ accept, name, label }: FileKind): Promise<void> => {
    const shown = query();
    if (shown === undefined) return;
    told.textContent = `${label} is on its way …`;
    try {
      const file = await fetchAs(shown, accept);
      download(file, name);
      told.textContent = '';
      menu.close();
    } catch (error) {
      told.textContent = (error as Error).message;
    }
  };
  const menu = createMenu(
    'Save as',
    ...KINDS.map((kind) =>
      element('button', { type: 'button', class: 'quiet', onclick: () => void save(kind) }, kind.label),
    ),
    told,
  );
  menu.box.addEventListener('toggle', () => {
    if (!menu.box.open) told.textContent = '';
  });
  return menu.box;
}
