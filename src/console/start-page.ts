// What stands below the editor before anything was run: statements to begin with, made of the tables there
// are, and the keys that help. Runs nothing: the statements are links.
import { element, found } from './element.ts';
import { describeTable, type Listed, type Listing } from './gateway.ts';
import { EMPTY_QUERY, hashOf, type View } from './place.ts';
import { spelled } from './sql-words.ts';

interface Example {
  readonly title: string;
  readonly statement: string;
  readonly view: View;
}

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl ↵', 'runs the statement'],
  ['Esc', 'stops it'],
  ['/', 'searches the tables'],
  ['Tab', 'goes on to the buttons'],
];

/** Fills the page's start; `hidden` is the caller's. */
export async function fillStart({ tables, total }: Listing): Promise<void> {
  const start = found('start');
  const [first] = tables;
  if (first === undefined || total === 0) {
    start.replaceChildren(
      element('h2', {}, 'No tables yet'),
      element('p', {}, 'The snapshot that is served has none. An import adds them: '),
      element('pre', {}, 'tablegate import SOURCE'),
    );
    return;
  }
  // The largest of the first page has most to show.
  const largest = tables.reduce((most, each) => (each.row_count > most.row_count ? each : most), first);
  const examples = [...overview(first), ...(await groupings(largest))];
  start.replaceChildren(
    element('h2', {}, 'Try one of these'),
    element('ul', { class: 'examples' }, ...examples.map(exampleItem)),
    element('h2', {}, 'Keys'),
    element(
      'dl',
      { class: 'keys' },
      ...KEYS.map(([keys, does]) =>
        element('div', {}, element('dt', {}, element('kbd', {}, keys)), element('dd', {}, does)),
      ),
    ),
  );
}

function exampleItem({ title, statement, view }: Example): HTMLElement {
  const href = hashOf({ page: 'query', query: { ...EMPTY_QUERY, statement }, view });
  return element(
    'li',
    {},
    element(
      'a',
      { href },
      element('span', { class: 'example-title' }, title),
      element('code', {}, statement),
    ),
  );
}

function overview({ name }: Listed): Example[] {
  return [
    { title: 'First rows', statement: `select * from ${spelled(name)} limit 100`, view: 'table' },
    { title: 'How many rows', statement: `select count(*) from ${spelled(name)}`, view: 'table' },
  ];
}

/** Columns whose texts are seldom the same twice. */
const OWN_TEXTS = /date|time|day|_at$|image|thumb|url|uri|hash|owner|address|^name$/i;

/** A text column that is no key makes bars. */
async function groupings({ name, chain_id, table_id }: Listed): Promise<Example[]> {
  try {
    const { schema } = await describeTable(String(chain_id), table_id);
    const column = schema.columns.find(
      ({ name, type, constraints = [] }) =>
        type === 'text' && !OWN_TEXTS.test(name) && !constraints.some((each) => /key|unique/.test(each)),
    );
    if (column === undefined) return [];
    const of = spelled(column.name);
    const statement = `select ${of}, count(*) as n from ${spelled(name)} group by ${of} order by n desc limit 12`;
    return [{ title: `Most frequent ${column.name}, as a chart`, statement, view: 'chart' }];
  } catch {
    // One example fewer.
    return [];
  }
}
