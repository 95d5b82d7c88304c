// A table as one self-contained HTML page: name, schema and first rows, for marketplaces that show an NFT's
// `animation_url` in a frame. No script; nothing is loaded from anywhere.
import { createHash } from 'node:crypto';
import { counted, escapeMarkup, grouped, isoDate, shorten, type TableView } from './table-view.ts';

/** More than so many rows are not shown. */
export const MAX_ROWS = 50;
const MAX_CELL = 200;
const MAX_NAME = 120;
const MAX_CONSTRAINTS = 400;

const STYLE = `
:root{color-scheme:light dark;--ground:#f8fafc;--card:#fff;--ink:#0f172a;--soft:#526077;--line:#e2e8f0;--accent:#4338ca}
@media (prefers-color-scheme:dark){:root{--ground:#0b1120;--card:#111a2e;--ink:#e8eef8;--soft:#9aa8bd;--line:#24324b;--accent:#a5b4fc}}
*{box-sizing:border-box}
body{margin:0;padding:clamp(16px,4vw,48px);background:var(--ground);color:var(--ink);font:16px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1100px;margin:auto}
h1{margin:0;font-size:clamp(24px,5vw,40px);overflow-wrap:anywhere}
h2{font-size:15px;margin:0 0 10px;color:var(--soft);font-weight:600}
.facts{color:var(--soft);margin:6px 0 26px}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:18px;margin-bottom:20px;overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:8px 12px;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere;min-width:7ch}
tbody tr:last-child>*{border-bottom:0}
thead th{white-space:nowrap;overflow-wrap:normal}
th{color:var(--accent);font-weight:600}
td,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.null{color:var(--soft);font-style:italic}`.trim();

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * To be sent with the page as its Content-Security-Policy: one style, known by its hash, and nothing else; no
 * script even if a value were not escaped. Frames are the page's purpose, so any may hold it.
 */
export const TABLE_HTML_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; sandbox`;

const named = (text: string): string => escapeMarkup(shorten(text, MAX_NAME));
const ruled = (text: string): string => escapeMarkup(shorten(text, MAX_CONSTRAINTS));

function cell(value: string | null): string {
  if (value === null) return '<td class="null">NULL</td>';
  return `<td>${escapeMarkup(shorten(value, MAX_CELL))}</td>`;
}

function schemaTable(view: TableView): string {
  const rows = view.columns.map(
    (column) =>
      `<tr><th scope="row">${named(column.name)}</th><td>${named(column.type)}</td><td>${ruled(column.constraints.join(', '))}</td></tr>`,
  );
  const table = `<table><thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Constraints</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
  const constraints = view.tableConstraints.map((text) => `<p><code>${ruled(text)}</code></p>`);
  return table + constraints.join('');
}

function rowsTable(view: TableView): string {
  if (view.rows.length === 0) return '<p class="null">no rows yet</p>';
  const head = view.columns.map((column) => `<th scope="col">${named(column.name)}</th>`).join('');
  const body = view.rows.slice(0, MAX_ROWS).map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
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
<h1>${name}</h1>
<p class="facts">Table ${named(view.tableId)} on chain ${view.chainId} · ${counted(view.rowCount, 'row')} · created ${isoDate(view.createdAt)}</p>
<section class="card" aria-label="Schema"><h2>Schema</h2>${schemaTable(view)}</section>
<section class="card" aria-label="Rows"><h2>${rowsTitle(view)}</h2>${rowsTable(view)}</section>
<p class="facts">Metadata: <code>${named(view.address)}</code></p>
</main>
</body>
</html>
`;
}
