// A table as a square SVG: name, schema and first rows, for marketplaces that show an NFT's `image`. No script,
// no link, no font or picture from elsewhere, so that it is shown even where SVG is sandboxed.
import {
  breadth,
  counted,
  escapeMarkup,
  grouped,
  holdsNumbers,
  hueOf,
  isoDate,
  shorten,
  type TableView,
} from './table-view.ts';

/** To be sent with the picture: it needs nothing, and opened as a document it may do nothing. */
export const TABLE_SVG_POLICY = "default-src 'none'; sandbox";

const SIZE = 1000;
const MARGIN = 64;
const INNER = SIZE - 2 * MARGIN;
const MAX_COLUMNS = 5;
const MAX_ROWS = 8;
const GRID_TOP = 336;
const ROW_HEIGHT = 54;
/** Of the first row's text, below the grid's top. */
const ROW_TOP = 120;
const PADDING = 18;
/** Characters that a column is thought to need, whatever stands in it. */
const NARROWEST = 7;
const WIDEST = 40;
/** Average advance of the monospace cell font, in units a character at 20 px. */
const CELL_ADVANCE = 12.1;

const FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';

interface TextStyle {
  readonly size: number;
  readonly fill: string;
  readonly weight?: number;
  readonly mono?: boolean;
  /** Whether the text ends at its place instead of beginning there. */
  readonly end?: boolean;
}

function textAt(x: number, y: number, content: string, style: TextStyle): string {
  const family = style.mono === true ? MONO : FONT;
  const weight = style.weight === undefined ? '' : ` font-weight="${style.weight}"`;
  const anchor = style.end === true ? ' text-anchor="end"' : '';
  return `<text x="${x}" y="${y}" font-size="${style.size}" fill="${style.fill}"${weight}${anchor} font-family="${family}" xml:space="preserve">${escapeMarkup(content)}</text>`;
}

function header(view: TableView, hue: number): string {
  const name = shorten(view.name, 44);
  const size = Math.min(64, Math.floor((INNER / Math.max(1, breadth(name))) * 1.5));
  const facts = `${counted(view.rowCount, 'row')}  ·  ${counted(view.columns.length, 'column')}  ·  created ${isoDate(view.createdAt)}`;
  return [
    `<rect x="${MARGIN}" y="84" width="72" height="8" rx="4" fill="hsl(${hue} 85% 62%)"/>`,
    textAt(MARGIN, 178, name, { size, fill: '#f8fafc', weight: 700 }),
    textAt(MARGIN, 236, `Table ${shorten(view.tableId, 30)} on chain ${view.chainId}`, {
      size: 28,
      fill: '#cbd5e1',
    }),
    textAt(MARGIN, 284, facts, { size: 24, fill: '#94a3b8' }),
  ].join('');
}

/** As high as its rows need; an empty one has room to say so. */
function gridHeight(view: TableView): number {
  const rows = Math.min(MAX_ROWS, Math.max(1, view.rows.length));
  return ROW_TOP + rows * ROW_HEIGHT - 18;
}

/** Widths of the columns: what each needs, and where that is too much, what the modest ones leave over. */
function widths(view: TableView): readonly number[] {
  const needs = view.columns.slice(0, MAX_COLUMNS).map((column, i) => {
    const cells = view.rows.slice(0, MAX_ROWS).map((row) => breadth((row[i] ?? 'NULL').slice(0, WIDEST)));
    const characters = Math.max(NARROWEST, breadth(column.name.slice(0, WIDEST)), ...cells);
    return characters * CELL_ADVANCE + 2 * PADDING + 4;
  });
  const shares: number[] = [];
  let left = INNER;
  const modestFirst = needs.map((need, at) => ({ need, at })).sort((a, b) => a.need - b.need);
  modestFirst.forEach(({ need, at }, done) => {
    const share = Math.min(need, left / (needs.length - done));
    shares[at] = share;
    left -= share;
  });
  // Numbers stand at the end of their column, so that room beside them would tear names and values apart.
  const texts = view.columns.slice(0, MAX_COLUMNS).map((column) => !holdsNumbers(column));
  const takers = texts.includes(true) ? texts : texts.fill(true);
  const extra = left / takers.filter(Boolean).length;
  return shares.map((share, at) => Math.floor(share + (takers[at] === true ? extra : 0)));
}

/** A column is a picture in the picture: what is wider than it is cut at its border. */
function gridColumn(view: TableView, at: number, x: number, width: number, hue: number): string {
  const column = view.columns[at];
  if (column === undefined) return '';
  const fit = Math.max(3, Math.floor((width - 2 * PADDING) / CELL_ADVANCE));
  const end = holdsNumbers(column);
  const place = end ? width - PADDING : PADDING;
  const head = { size: 20, fill: `hsl(${hue} 85% 74%)`, weight: 600, mono: true, end };
  const cells = view.rows.slice(0, MAX_ROWS).map((row, r) => {
    const cell = row[at] ?? null;
    const style = { size: 20, fill: cell === null ? '#8292ab' : '#e2e8f0', mono: true, end };
    return textAt(place, ROW_TOP + r * ROW_HEIGHT, shorten(cell ?? 'NULL', fit), style);
  });
  return [
    `<svg x="${x}" y="${GRID_TOP}" width="${width}" height="${gridHeight(view)}">`,
    textAt(place, 42, shorten(column.name, fit), head),
    textAt(place, 68, shorten(column.type, Math.floor(fit * 1.25)), {
      size: 16,
      fill: '#94a3b8',
      mono: true,
      end,
    }),
    ...cells,
    '</svg>',
  ].join('');
}

function grid(view: TableView, hue: number): string {
  const rows = Math.min(MAX_ROWS, view.rows.length);
  const lines = Array.from({ length: rows }, (_, r) => {
    const y = GRID_TOP + ROW_TOP + r * ROW_HEIGHT - 34;
    return `<line x1="${MARGIN}" x2="${SIZE - MARGIN}" y1="${y}" y2="${y}" stroke="#1e293b"/>`;
  });
  const empty = textAt(MARGIN + PADDING, GRID_TOP + ROW_TOP, 'no rows yet', { size: 22, fill: '#94a3b8' });
  return [
    `<rect x="${MARGIN}" y="${GRID_TOP}" width="${INNER}" height="${gridHeight(view)}" rx="18" fill="#0b1222" stroke="hsl(${hue} 40% 34%)"/>`,
    ...lines,
    ...widths(view).map((width, at, all) => {
      const x = all.slice(0, at).reduce((sum, each) => sum + each, MARGIN);
      return gridColumn(view, at, x, width, hue);
    }),
    rows === 0 ? empty : '',
  ].join('');
}

function footer(view: TableView): string {
  const shown = Math.min(MAX_ROWS, view.rows.length);
  const hidden = view.columns.length - MAX_COLUMNS;
  const more = [
    shown > 0 && shown < view.rowCount ? `first ${grouped(shown)} of ${counted(view.rowCount, 'row')}` : '',
    hidden > 0 ? counted(hidden, 'more column') : '',
  ].filter((text) => text !== '');
  const y = GRID_TOP + gridHeight(view) + 46;
  return textAt(MARGIN, y, more.join('  ·  '), { size: 20, fill: '#8292ab' });
}

/** An SVG 1.1 document, 1000 x 1000 units. */
export function tableSvg(view: TableView): string {
  const hue = hueOf(view);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" width="${SIZE}" height="${SIZE}" role="img" aria-label="${escapeMarkup(shorten(`Table ${view.name}`, 120))}">`,
    `<title>${escapeMarkup(shorten(view.name, 120))}</title>`,
    `<defs><linearGradient id="ground" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="hsl(${hue} 45% 17%)"/><stop offset="0.55" stop-color="#0f172a"/><stop offset="1" stop-color="#020617"/></linearGradient></defs>`,
    `<rect width="${SIZE}" height="${SIZE}" fill="url(#ground)"/>`,
    header(view, hue),
    grid(view, hue),
    footer(view),
    '</svg>',
  ].join('');
}
