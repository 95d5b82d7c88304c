// The page's looks: colours for light and dark, one tone a target, told apart also by the colour-blind
// (Okabe and Ito's palette).

export const TONES: Readonly<Record<string, string>> = {
  tablegate: 'tablegate',
  url: 'tablegate',
  url2: 'reference',
  before: 'reference',
  after: 'tablegate',
  reference: 'reference',
  naive: 'naive',
  bare: 'bare',
  engine: 'engine',
};

export const STYLE = `
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #17202c; --soft: #5c6878; --rule: #e3e7ec; --grid: #eceff3;
  --tablegate: #0068b8; --reference: #d3780a; --naive: #b8528f; --bare: #7b8794; --engine: #00896a;
  --met: #067d55; --missed: #c2341d; }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) {
  --page: #0f141b; --card: #171e27; --ink: #e8edf3; --soft: #97a4b4; --rule: #28323e; --grid: #222b36;
  --tablegate: #58b4f5; --reference: #f0a646; --naive: #e08cc0; --bare: #94a1b0; --engine: #34c79f;
  --met: #3ecf98; --missed: #ff7b62; } }
:root[data-theme=dark] {
  --page: #0f141b; --card: #171e27; --ink: #e8edf3; --soft: #97a4b4; --rule: #28323e; --grid: #222b36;
  --tablegate: #58b4f5; --reference: #f0a646; --naive: #e08cc0; --bare: #94a1b0; --engine: #34c79f;
  --met: #3ecf98; --missed: #ff7b62; color-scheme: dark; }
:root[data-theme=light] { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 40px 24px 80px; }
header { display: flex; justify-content: space-between; align-items: start; gap: 24px; margin-bottom: 28px; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 6px; }
h2 { font-size: 20px; letter-spacing: -.01em; margin: 52px 0 2px; }
h3 { font-size: 14px; font-weight: 600; margin: 0 0 8px; }
p { margin: 0 0 14px; color: var(--soft); max-width: 76ch; }
button { font: inherit; font-size: 13px; color: var(--soft); background: var(--card); border: 1px solid var(--rule);
  border-radius: 7px; padding: 5px 12px; cursor: pointer; white-space: nowrap; }
.facts { display: flex; flex-wrap: wrap; gap: 6px 22px; color: var(--soft); font-size: 13px; margin: 0; }
.facts b { color: var(--ink); font-weight: 600; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; color: var(--soft); margin: 0 0 14px; }
.legend span::before { content: ''; display: inline-block; width: 11px; height: 11px; border-radius: 3px;
  margin-right: 6px; background: var(--tone); }
.busy { border-left: 4px solid #c2410c; padding-left: 12px; font-weight: 600; }
.scroll + .grid-of { margin-top: 16px; }
.grid-of { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 430px), 1fr)); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 16px 18px 12px; min-width: 0; }
.card small { color: var(--soft); font-weight: 400; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font-size: 12px; fill: var(--soft); }
svg .name { fill: var(--ink); font-size: 13px; } svg .value { fill: var(--ink); font-size: 13px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); } .axis { stroke: var(--rule); } svg .label { font-size: 11.5px; }
.tablegate { --tone: var(--tablegate); } .reference { --tone: var(--reference); } .naive { --tone: var(--naive); }
.bare { --tone: var(--bare); } .engine { --tone: var(--engine); }
.series .line { fill: none; stroke: var(--tone); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.series.tablegate .line { stroke-width: 3; }
.series .dashed { stroke-dasharray: 5 5; }
.series circle { fill: var(--card); stroke: var(--tone); stroke-width: 2; }
.series circle:hover { fill: var(--tone); r: 5; }
.series .bar { fill: var(--tone); } .series.bare .bar, .series.engine .bar { opacity: .75; }
.series .round { stroke: var(--ink); stroke-width: 1.2; opacity: .5; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; font-size: 12.5px; color: var(--soft); }
th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
tr:last-child td { border-bottom: 0; }
td.number, th.number { text-align: right; padding-right: 18px; white-space: nowrap; }
.scroll { overflow-x: auto; }
.badge { display: inline-block; border-radius: 99px; padding: 1px 10px; font-size: 12.5px; font-weight: 600; white-space: nowrap;
  color: var(--tone); background: color-mix(in srgb, var(--tone) 13%, transparent); }
.met { --tone: var(--met); } .not-met { --tone: var(--missed); } .not-measured { --tone: var(--soft); }
details { margin-top: 14px; } summary { cursor: pointer; color: var(--soft); font-size: 13.5px; }
@media print { body { background: #fff; } .card { break-inside: avoid; } button { display: none; } }
`;

/** Light, dark, or as the system has it. */
export const SCRIPT = `
const root = document.documentElement, button = document.querySelector('button');
const states = ['system', 'light', 'dark'];
let state = 0;
button.onclick = () => {
  state = (state + 1) % 3;
  if (state === 0) delete root.dataset.theme; else root.dataset.theme = states[state];
  button.textContent = 'Colours: ' + states[state];
};
`;
