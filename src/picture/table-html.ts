// A table as one self-contained HTML page: name, schema and first rows, for marketplaces that show an NFT's
// `animation_url` in a frame. No script; nothing is loaded from anywhere.
import { createHash } from 'node:crypto';
import {
  counted,
  escapeMarkup,
  grouped,
  holdsNumbers,
  hueOf,
  isoDate,
  shorten,
  type TableView,
} from './table-view.ts';

/** More than so many rows are not shown. */
export const MAX_ROWS = 50;
const MAX_COLUMNS = 40;
const MAX_CELL = 120;
const MAX_NAME = 120;
const MAX_CONSTRAINTS = 400;

const STYLE = `
:root{color-scheme:light dark;--ground:#f6f7fb;--card:#fff;--wash:#eef0f8;--ink:#151b2c;--soft:#566079;--line:#e1e5ef}
@media (prefers-color-scheme:dark){:root{--ground:#0b0f1a;--card:#121827;--wash:#1b2336;--ink:#e7ebf5;--soft:#9aa6bf;--line:#242d42}}
*{box-sizing:border-box}
body{margin:0;padding:clamp(16px,4vw,48px);background:var(--ground);color:var(--ink);font:15px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:auto}
.mark{display:block;margin-bottom:14px}
h1{margin:0;font-size:clamp(22px,5vw,38px);line-height:1.2;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:13px;margin:0 0 12px;color:var(--soft);font-weight:600}
.facts{color:var(--soft);margin:8px 0 26px;overflow-wrap:anywhere}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;margin-bottom:20px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:9px}
table{border-collapse:separate;border-spacing:0;min-width:100%;font-size:13.5px}
th,td{text-align:left;padding:7px 14px;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word;min-width:6ch;max-width:38ch;font-weight:400}
tbody tr:last-child>*{border-bottom:0}
thead th{background:var(--wash);white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
th{font-weight:600}
td,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
.n{text-align:right;font-variant-numeric:tabular-nums}
.null{color:var(--soft);font-style:italic}
.card p{margin:12px 0 0;color:var(--soft)}
.card code{background:var(--wash);border-radius:6px;padding:2px 8px;color:var(--ink);overflow-wrap:anywhere}`.trim();

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * To be sent with the page as its Content-Security-Policy: one style, known by its hash, and nothing else; no
 * script even if a value were not escaped. Frames are the page's purpose, so any may hold it.
 */
export const TABLE_HTML_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; sandbox`;

const named = (text: string): string => escapeMarkup(shorten(text, MAX_NAME));
const ruled = (text: string): string => `<code>${escapeMarkup(shorten(text, MAX_CONSTRAINTS))}</code>`;

/** What scrolls takes the focus, so that the arrow keys scroll it. */
const scroller = (label: string, table: string): string =>
  `<div class="scroll" role="region" aria-label="${label}" tabindex="0">${table}</div>`;

function schemaTable(view: TableView): string {
  const rows = view.columns.map(
    (column) =>
      `<tr><th scope="row">${named(column.name)}</th><td>${named(column.type)}</td><td>${column.constraints.map(ruled).join(' ')}</td></tr>`,
  );
  const table = `<table><thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Constraints</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  const ofTable = view.tableConstraints.map(ruled).join(' ');
  return scroller('Columns', table) + (ofTable === '' ? '' : `<p>Of the table: ${ofTable}</p>`);
}

function rowsTable(view: TableView): string {
  if (view.rows.length === 0) return '<p class="null">no rows yet</p>';
  const columns = view.columns.slice(0, MAX_COLUMNS);
  const ends = columns.map((column) => (holdsNumbers(column) ? ' class="n"' : ''));
  const cell = (value: string | null, at: number): string =>
    value === null
      ? `<td class="null${ends[at] === '' ? '' : ' n'}">NULL</td>`
      : `<td${ends[at] ?? ''}>${escapeMarkup(shorten(value, MAX_CELL))}</td>`;
  const head = columns.map(({ name }, at) => `<th scope="col"${ends[at] ?? ''}>${named(name)}</th>`).join('');
  const body = view.rows
    .slice(0, MAX_ROWS)
    .map((row) => `<tr>${row.slice(0, MAX_COLUMNS).map(cell).join('')}</tr>`);
  const table = `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
  const hidden = view.columns.length - columns.length;
  return scroller('Rows', table) + (hidden > 0 ? `<p>${counted(hidden, 'more column')}</p>` : '');
}

function rowsTitle(view: TableView): string {
  const shown = Math.min(view.rows.length, MAX_ROWS);
  if (shown === 0 || shown === view.rowCount) return 'Rows';
  return `First ${grouped(shown)} of ${grouped(view.rowCount)} rows`;
}

/** A whole HTML document. */
export function tableHtml(view: TableView): string {
  const name = named(view.name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<svg class="mark" width="56" height="6" aria-hidden="true"><rect width="56" height="6" rx="3" fill="hsl(${hueOf(view)} 75% 55%)"/></svg>
<h1>${name}</h1>
<p class="facts">Table ${named(view.tableId)} on chain ${view.chainId} · ${counted(view.rowCount, 'row')} · created ${isoDate(view.createdAt)}</p>
<section class="card"><h2>Schema</h2>${schemaTable(view)}</section>
<section class="card"><h2>${rowsTitle(view)}</h2>${rowsTable(view)}</section>
<p class="facts">Metadata: ${named(view.address)}</p>
</main>
</body>
</html>
`;
}
