// What /explain says of a statement, for people.
import { copyButton } from './copy-button.ts';
import { element, grouped } from './element.ts';
import type { Explanation } from './explanation.ts';
import { visible } from './visible.ts';

const ENGINES: Readonly<Record<string, string>> = {
  rows: 'SQLite, in the row lane',
  scan: 'DuckDB, in the scan lane',
  long: 'SQLite, alone in a long lane',
  remote: 'Trino, where the table lives',
};
const CACHE: Readonly<Record<string, string>> = {
  hit: 'kept: it is answered without being run',
  miss: 'not kept yet',
  never: 'never kept: it may be another each time',
};
/** Deeper lines are set no further in. */
const MOST_DEPTH = 12;

export function explainView({
  engine,
  why,
  rows_visited,
  cache,
  tables,
  sqlite,
  duckdb,
  trino,
}: Explanation): HTMLElement {
  const facts: (readonly [string, string])[] = [
    ['Engine', ENGINES[engine] ?? engine],
    ['Why', begun(why)],
    ['Rows visited', rows_visited === null ? 'No bound is known' : `${grouped(rows_visited)} at most`],
    ['Answer', begun(CACHE[cache] ?? cache)],
  ];
  return element(
    'div',
    { class: 'explain' },
    element(
      'dl',
      { class: 'explain-facts' },
      ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
    ),
    tables.length === 0
      ? undefined
      : part(
          'Tables, and the snapshot in which each changed last',
          element(
            'ul',
            { class: 'explain-tables' },
            ...tables.map(({ name, version }) =>
              element('li', {}, element('code', {}, name), element('code', { class: 'note' }, version)),
            ),
          ),
        ),
    sqlite &&
      part(
        "SQLite's plan",
        element(
          'ol',
          { class: 'plan' },
          ...sqlite.plan.map(({ depth, detail }) =>
            element('li', { class: `deep-${Math.min(depth, MOST_DEPTH)}` }, visible(detail)),
          ),
        ),
      ),
    trino && part('What Trino is given', ...sqlText(trino.sql, [])),
    duckdb && part('What DuckDB is given', ...sqlText(duckdb.sql, [])),
    sqlite &&
      part(
        `What SQLite ${engine === 'scan' ? 'would be' : 'is'} given`,
        ...sqlText(sqlite.sql, sqlite.values),
      ),
  );
}

function begun(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function part(title: string, ...children: readonly Node[]): HTMLElement {
  return element('section', { 'aria-label': title }, element('h2', {}, title), ...children);
}

function sqlText(sql: string, values: readonly string[]): readonly Node[] {
  const pre = element('pre', { tabindex: 0 }, visible(sql));
  const bound =
    values.length === 0
      ? []
      : [
          element(
            'p',
            { class: 'note explain-values' },
            'Values of its ?: ',
            ...values.flatMap((value) => [element('code', { class: 'constraint' }, visible(value)), ' ']),
          ),
        ];
  return [
    pre,
    ...bound,
    element(
      'p',
      {},
      copyButton('Copy SQL', () => sql),
    ),
  ];
}
