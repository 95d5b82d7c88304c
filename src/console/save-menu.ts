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
  /** Of the file's name. */
  readonly ending: string;
}

const KINDS: readonly FileKind[] = [
  { label: 'JSON', accept: undefined, ending: 'json' },
  { label: 'NDJSON', accept: 'application/x-ndjson', ending: 'ndjson' },
  { label: 'CSV', accept: 'text/csv', ending: 'csv' },
  { label: 'Parquet', accept: 'application/vnd.apache.parquet', ending: 'parquet' },
  { label: 'Arrow', accept: 'application/vnd.apache.arrow.stream', ending: 'arrows' },
];
/** As the gateway names what is no JSON: by the first table of the statement. */
function tableIn(statement: string): string | undefined {
  return /(?<![\w$])[a-z_]\w*_\d+_\d+(?![\w$])/i.exec(statement)?.[0];
}

/** @param query gives the one whose answer is shown */
export function saveMenu(query: () => Query | undefined): HTMLElement {
  const told = element('p', { class: 'note', role: 'status' });
  const save = async ({ accept, ending, label }: FileKind): Promise<void> => {
    const shown = query();
    if (shown === undefined) return;
    told.textContent = `${label} is on its way …`;
    try {
      const { file, name } = await fetchAs(shown, accept);
      download(file, name ?? `${tableIn(shown.statement) ?? 'answer'}.${ending}`);
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
