// Payloads in every place that the console shows: names, columns, values, JSON, messages, links, pictures. In a
// real browser none of them runs, none becomes markup, and the policy has nothing to refuse.
import * as assert from 'uvu/assert';
import { browserSuite, PAYLOAD } from '../support/browser.ts';
import { inLong } from '../support/ring.ts';
import type { TestTable } from '../support/snapshot.ts';
import { CHAIN } from '../support/tables.ts';
import {
  editorOf,
  inTab,
  link,
  type Shared,
  showAs,
  startShared,
  status,
  stopShared,
  textOf,
  write,
} from './tabs.ts';

const test = browserSuite<Shared>('console/hostile');
const longTest = inLong(test);

const IMAGE = `<img src=x onerror=${PAYLOAD}('image')>`;
const PAYLOADS: readonly string[] = [
  IMAGE,
  `<script>${PAYLOAD}('script')</script>`,
  `"><svg/onload=${PAYLOAD}('svg')>`,
  `' autofocus onfocus=${PAYLOAD}('focus') x='`,
  `javascript:${PAYLOAD}('address')`,
  `</textarea></pre></td></title></style><iframe srcdoc="<script>parent.${PAYLOAD}('frame')</script>">`,
  `{"a": "${IMAGE.replaceAll('"', '\\"')}", "__proto__": {"x": 1}}`,
  `[1, "</script><script>${PAYLOAD}('json')</script>"]`,
  `{{constructor.constructor("${PAYLOAD}('template')")()}} \${${PAYLOAD}('literal')}`,
  `data:text/html,<script>${PAYLOAD}('data')</script>`,
  `]]>--><!-- <math><mtext></form><form><mglyph><style></math>${IMAGE}`,
  `\u202egnp.exe \u0000 \ufeff \u2028 ${IMAGE}`,
  `${IMAGE.repeat(30)}`,
];

const HOSTILE: TestTable = {
  name: `x"${IMAGE}_${CHAIN}_66`,
  columns: PAYLOADS.slice(0, 6).map((payload, i) => ({
    name: `${payload} ${i}`,
    type: 'text' as const,
    constraints: [`check('${payload}' <> '')`],
  })),
  tableConstraints: PAYLOADS,
  rows: PAYLOADS.map((payload) =>
    [payload, ...PAYLOADS.slice(0, 5)].map((text) => text.replaceAll('\u0000', '')),
  ),
};
const PLAIN: TestTable = {
  name: `plain_${CHAIN}_67`,
  columns: [
    { name: 'v', type: 'text' },
    { name: 'n', type: 'integer' },
  ],
  rows: PAYLOADS.map((payload, i) => [payload.replaceAll('\u0000', ''), i]),
};

test.before((context) => startShared(context, [HOSTILE, PLAIN]));
test.after(stopShared);

/** Elements and attributes that only a payload could have brought. */
const BROUGHT = `(() => {
  const roots = [document, document.querySelector('#editor').shadowRoot];
  const all = roots.flatMap((root) => [...root.querySelectorAll('*')]);
  const attributes = all.flatMap((each) => [...each.attributes].filter(({ name }) => /^on|^srcdoc$/.test(name)));
  const elements = all.filter((each) => each.matches('iframe, object, embed, math, script:not([src]), img[src="x"]'));
  const links = all.filter((each) => /^(javascript|data):/i.test(each.getAttribute('href') ?? ''));
  return attributes.length + elements.length + links.length;
})()`;

test('the watch sees a payload that runs, and markup that one brings', async (shared) => {
  const tab = await shared.browser.open(`${shared.gateway.origin}/`);
  await tab.page.evaluate(`${PAYLOAD}('shown')`);
  await tab.page.evaluate("document.body.append(document.createElement('iframe'))");
  assert.is(await tab.page.evaluate(BROUGHT), 1);
  await tab.page.waitForTimeout(100);
  assert.match(tab.problems.join(), 'PAYLOAD ran: shown');
  // The policy is a second wall: markup that a script would parse is refused.
  const refused = await tab.page.evaluate(
    "(() => { try { document.body.innerHTML = '<b>'; return 'parsed'; } catch (error) { return error.name; } })()",
  );
  assert.is(refused, 'TypeError');
  await tab.close();
});

test('values stay texts in the table, as JSON, in the chart and in the dialog', async (shared) => {
  await inTab(shared, link(`select v, n from plain_${CHAIN}_67 order by n`), async (tab) => {
    const { page } = tab;
    await status(tab, `${PAYLOADS.length} rows`);
    assert.is(await textOf(page.locator('#result-panel tbody tr').first().locator('td').first()), IMAGE);
    assert.is(await page.evaluate(BROUGHT), 0);
    await tab.picture('hostile-table');
    for (const button of await page.locator('#result-panel .long').all()) {
      await button.click();
      await page.getByRole('dialog').waitFor();
      assert.is(await page.evaluate(BROUGHT), 0);
      await page.keyboard.press('Escape');
    }
    await showAs(tab, 'JSON');
    assert.is(await page.evaluate(BROUGHT), 0);
    await showAs(tab, 'Chart');
    await page.locator('.chart canvas').waitFor();
    assert.is(await page.evaluate(BROUGHT), 0);
    await page.getByText('objects', { exact: true }).click();
    await status(tab, `${PAYLOADS.length} rows`);
    await showAs(tab, 'Table');
    assert.is(await page.evaluate(BROUGHT), 0);
  });
});

longTest(
  'names of columns stay texts in heads, charts, completions and on the page of a table',
  async (shared) => {
    const columns = PAYLOADS.slice(0, 6).map((payload, i) => `${i} as "${payload.replaceAll('"', '""')}"`);
    await inTab(shared, link(`select ${columns.join(', ')}`, '&view=chart'), async (tab) => {
      const { page } = tab;
      await page.locator('.chart canvas').waitFor();
      assert.is(await page.evaluate(BROUGHT), 0);
      await tab.picture('hostile-chart');
      await showAs(tab, 'Table');
      await page.locator('#result-panel th', { hasText: IMAGE }).first().waitFor();
      assert.is(await page.evaluate(BROUGHT), 0);
      await page.evaluate(`location.hash = '#table=${CHAIN}/66'`);
      await page.locator('#table-page h1', { hasText: '<img' }).waitFor();
      await page.locator('.schema th', { hasText: IMAGE }).first().waitFor();
      await page.getByRole('region', { name: 'First rows of' }).locator('tbody td').first().waitFor();
      await page.getByText('Metadata', { exact: true }).click();
      assert.is(await page.evaluate(BROUGHT), 0);
      await tab.picture('hostile-page');
      await page.locator('#table-list a', { hasText: '<img' }).waitFor();
      await page.evaluate("location.hash = '#q='");
      await write(tab, 'select * from ');
      await page.keyboard.press('Control+Space');
      await page.locator('.cm-tooltip-autocomplete li', { hasText: '<img' }).first().waitFor();
      await tab.picture('hostile-completion');
      assert.is(await page.evaluate(BROUGHT), 0);
    });
  },
);

test('payloads stay texts in history, saved queries, params, explanations, filters and lists of columns', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    const payload = IMAGE.replaceAll("'", "''");
    await write(
      tab,
      `select '${payload}' as "<b onclick=x>", ? as t from "${HOSTILE.name.replaceAll('"', '""')}"`,
    );
    await page.getByLabel('Params').fill(JSON.stringify([`${IMAGE}\u202e`]));
    await page.getByRole('button', { name: 'Explain' }).click();
    await status(tab, 'nothing was run');
    await page.locator('.explain code', { hasText: 'onerror' }).first().waitFor();
    assert.is(await page.evaluate(BROUGHT), 0);
    await tab.picture('hostile-explained');
    await page.keyboard.press('Control+Enter');
    await status(tab, `${PAYLOADS.length} rows`);
    await page.getByRole('columnheader').filter({ hasText: '<b onclick' }).getByRole('button').click();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    // What is filtered is drawn anew a moment after the last key: a cell that was chosen before is not any more.
    await page.getByLabel('Filter <b onclick=x>').fill('nothing has this');
    await page.locator('.pager-place', { hasText: 'None of' }).waitFor();
    await page.getByLabel('Filter <b onclick=x>').fill(IMAGE);
    await page.locator('#result-panel tbody td').first().click();
    await page.getByText('<b onclick=x>, row 1').waitFor();
    await page.locator('#save').click();
    await page
      .getByRole('dialog')
      .getByLabel('Name')
      .fill(PAYLOADS[2] ?? '');
    await page.keyboard.press('Enter');
    await page.locator('#saved-list strong', { hasText: 'onload' }).waitFor();
    await page.locator('#side-tabs').getByRole('tab', { name: 'History' }).click();
    await page.locator('#history-list code', { hasText: 'onerror' }).waitFor();
    assert.is(await page.evaluate(BROUGHT), 0);
    await tab.picture('hostile-history');
    await page.locator('#side-tabs').getByRole('tab', { name: 'Tables' }).click();
    const hostile = page.locator('#table-list li.table', { hasText: 'onerror' });
    await hostile.locator('.opener').click();
    await hostile.locator('.column', { hasText: 'autofocus' }).click();
    // As SQL spells it, so that it is that column.
    assert.match(await textOf(editorOf(tab)), `"${PAYLOADS[3]} 3"`);
    assert.is(await page.evaluate(BROUGHT), 0);
  });
});

test('a statement that turns its direction is read as what it is, in the editor, history and explanation', async (shared) => {
  const statement = "select '\u202e' as a, 'b' as \"c\u2066\"";
  await inTab(shared, link(statement), async (tab) => {
    const { page } = tab;
    await status(tab, /^1 row/);
    assert.equal(await page.locator('.cm-hidden').allTextContents(), ['[U+202E]', '[U+2066]']);
    await showAs(tab, 'JSON');
    assert.not.match(await textOf(page.locator('#result-panel pre')), /[\u202e\u2066]/);
    await page.locator('#side-tabs').getByRole('tab', { name: 'History' }).click();
    assert.match(await textOf(page.locator('#history-list code').first()), '[U+202E]');
    await page.getByRole('button', { name: 'Explain' }).click();
    await status(tab, 'nothing was run');
    assert.not.match(await textOf(page.locator('.explain')), /[\u202e\u2066]/);
    await tab.picture('hidden-characters');
    // What is run and what is kept is what was written.
    await page.locator('#history-list a').first().click();
    await status(tab, /^1 row/);
    assert.is(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('q'), statement);
  });
});

longTest('messages of errors stay texts, and so does what a link brings', async (shared) => {
  for (const payload of PAYLOADS) {
    const statement = `select [${payload.replaceAll(']', '').replaceAll('\u0000', '')}] from plain_${CHAIN}_67`;
    await inTab(
      shared,
      link(statement, `&view=${encodeURIComponent(payload)}&format=${encodeURIComponent(payload)}`),
      async ({ page }) => {
        await page.locator('.error-message').waitFor();
        assert.is(await page.evaluate(BROUGHT), 0);
      },
    );
  }
  await inTab(shared, `#table=${encodeURIComponent(IMAGE)}&q=${encodeURIComponent(IMAGE)}`, async (tab) => {
    await tab.page.getByText('Only SELECT').or(tab.page.locator('.error-message')).first().waitFor();
    assert.match(await textOf(editorOf(tab)), IMAGE);
    assert.is(await tab.page.evaluate(BROUGHT), 0);
  });
});

longTest('the picture and the page of a hostile table run nothing and load nothing', async (shared) => {
  for (const path of [
    `tables/${CHAIN}/66.svg`,
    `tables/${CHAIN}/66.html`,
    `tables/${CHAIN}/67.svg`,
    `tables/${CHAIN}/67.html`,
  ]) {
    const tab = await shared.browser.open(`${shared.gateway.url}/${path}`);
    assert.is(
      await tab.page.evaluate(
        `[...document.querySelectorAll('*')].filter((each) => each.matches('img, iframe, script, a, image, use, foreignObject') || [...each.attributes].some(({ name }) => /^on|href/.test(name))).length`,
      ),
      0,
    );
    await tab.picture(path.replaceAll('/', '-'));
    assert.equal(tab.problems, []);
    await tab.close();
  }
});

test.run();
