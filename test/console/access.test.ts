// The console for everybody, in a real browser: axe-core finds nothing wrong in any state of it, light and dark,
// wide and narrow; and the keyboard alone is enough.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devices } from 'playwright-core';
import * as assert from 'uvu/assert';
import { browserSuite, type Tab } from '../support/browser.ts';
import { inLong, isLong } from '../support/ring.ts';
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
  until,
  write,
  writeAndRun,
} from './tabs.ts';

const test = browserSuite<Shared>('console/access');
const longTest = inLong(test);

test.before((context) => startShared(context));
test.after(stopShared);

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TOKENS = `tokens_${CHAIN}_1`;
const GROUPS = `select kind, count(*) as n from many_${CHAIN}_3 group by kind`;
const { defaultBrowserType: _, ...PHONE } = devices['Pixel 7'] ?? {};

interface Found {
  readonly passes: number;
  readonly violations: readonly string[];
}

/** Every rule that axe-core has, best practices too. */
async function examine({ page }: Tab, state: string): Promise<void> {
  await page.evaluate(`window.axe ?? (() => { ${AXE} })()`);
  const { passes, violations } = (await page.evaluate(`axe.run(document).then((found) => ({
    passes: found.passes.length,
    violations: found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)),
  }))`)) as Found;
  assert.ok(passes > 15, `${state}: only ${passes} rules had something to look at`);
  assert.equal(violations, [], state);
}

/** What is remembered, and what else stands beside an answer. */
async function examineMemory(tab: Tab): Promise<void> {
  const { page } = tab;
  await write(tab, `select ? from ${TOKENS}`);
  await page.getByLabel('Params').fill('[');
  await page.keyboard.press('Enter');
  await page.locator('#params-problem', { hasText: 'Write' }).waitFor();
  await page.locator('#save').click();
  await examine(tab, 'saving, and wrong params');
  await page.keyboard.press('Enter');
  await page.locator('#saved-list li').waitFor();
  await examine(tab, 'saved');
  await page.locator('#side-tabs').getByRole('tab', { name: 'History' }).click();
  await examine(tab, 'history');
  await page.locator('#side-tabs').getByRole('tab', { name: 'Tables' }).click();
  await page.locator('.opener').first().click();
  await page.locator('.column').first().waitFor();
  await examine(tab, 'columns of a table');
  await page.getByLabel('Params').fill('');
}

for (const colorScheme of isLong ? (['light', 'dark'] as const) : (['light'] as const))
  test(`axe-core finds nothing in any state of the page, ${colorScheme}`, async (shared) => {
    await inTab(
      shared,
      '',
      async (tab) => {
        const { page } = tab;
        await page.getByText('Try one of these').waitFor();
        await examine(tab, 'start');
        await writeAndRun(tab, `select * from ${TOKENS}`);
        await status(tab, /^3 rows/);
        await examine(tab, 'table');
        await page.getByText('Save as').click();
        await examine(tab, 'menu');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await page.locator('#result-panel tbody td').first().click();
        await examine(tab, 'filters, and a cell that is chosen');
        await page.getByRole('button', { name: 'Explain' }).click();
        await status(tab, 'nothing was run');
        await examine(tab, 'explained');
        if (isLong) await examineMemory(tab);
        await writeAndRun(tab, `select * from ${TOKENS}`);
        await status(tab, /^3 rows/);
        await showAs(tab, 'JSON');
        await examine(tab, 'JSON');
        await writeAndRun(tab, GROUPS);
        await status(tab, /^7 rows/);
        await showAs(tab, 'Chart');
        await page.locator('.chart canvas').waitFor();
        await examine(tab, 'chart');
        await tab.picture(`chart-${colorScheme}`);
        await writeAndRun(tab, `select nope from ${TOKENS}`);
        await status(tab, 'No answer');
        await examine(tab, 'error');
        await tab.picture(`error-${colorScheme}`);
        await writeAndRun(tab, `select '${'long '.repeat(40)}' as text`);
        await status(tab, /^1 row/);
        await showAs(tab, 'Table');
        await page.getByRole('button', { name: /^Show text/ }).click();
        await page.getByRole('dialog').waitFor();
        await examine(tab, 'dialog');
        await tab.picture(`dialog-${colorScheme}`);
        await page.keyboard.press('Escape');
        await page.locator('#table-list a', { hasText: TOKENS }).click();
        await page.getByRole('region', { name: 'First rows of' }).waitFor();
        await page.getByText('Metadata', { exact: true }).click();
        await examine(tab, 'page of a table');
        await tab.picture(`page-${colorScheme}`);
      },
      { colorScheme },
    );
  });

longTest('axe-core finds nothing on a phone, and nothing stands beside the screen', async (shared) => {
  await inTab(
    shared,
    link(`select * from ${TOKENS}`),
    async (tab) => {
      const { page } = tab;
      const overhang = (): Promise<unknown> =>
        page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      await status(tab, /^3 rows/);
      await examine(tab, 'table');
      assert.is(await overhang(), 0);
      await tab.picture('phone-answer');
      assert.ok(await page.locator('#table-list').isHidden());
      await page.getByRole('button', { name: 'Tables' }).click();
      await page.locator('#table-list').waitFor();
      await page.waitForTimeout(300);
      await examine(tab, 'drawer');
      await tab.picture('phone-drawer');
      await page.locator('#table-list a', { hasText: TOKENS }).click();
      await page.getByRole('heading', { name: TOKENS }).waitFor();
      await page.locator('#table-list').waitFor({ state: 'hidden' });
      assert.is(await overhang(), 0);
      await examine(tab, 'page of a table');
      await tab.picture('phone-page');
      await page.evaluate(`location.hash = ${JSON.stringify(link(GROUPS, '&view=chart'))}`);
      await page.locator('.chart canvas').waitFor();
      assert.is(await overhang(), 0);
      await tab.picture('phone-chart');
    },
    PHONE,
  );
});

longTest('dark and light follow the system, until one is chosen; the choice stays', async (shared) => {
  const { browser, gateway } = shared;
  const tab = await browser.open(`${gateway.origin}/`, { colorScheme: 'dark' });
  const { page } = tab;
  /** From 0, black, to 255. */
  const brightness = async (): Promise<number> => {
    const colour = (await page.evaluate('getComputedStyle(document.body).backgroundColor')) as string;
    return Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
  };
  const theme = page.getByRole('button', { name: /^Colours/ });
  assert.ok((await brightness()) < 60);
  await page.emulateMedia({ colorScheme: 'light' });
  assert.ok((await brightness()) > 200);
  await theme.click();
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.is(await theme.getAttribute('aria-label'), 'Colours: light. Change');
  assert.ok((await brightness()) > 200);
  await page.reload();
  assert.ok((await brightness()) > 200);
  await theme.click();
  assert.ok((await brightness()) < 60);
  await theme.click();
  assert.is(await theme.getAttribute('aria-label'), 'Colours: as the system. Change');
  assert.equal(tab.problems, []);
  await tab.close();
});

test('the keyboard alone finds a table, writes, runs, turns to the chart and comes back', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    /** What has the focus, inside the editor too. */
    const focused = (): Promise<unknown> =>
      page.evaluate(`(() => {
        let at = document.activeElement;
        while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return at.id || at.className || at.textContent;
      })()`);
    await page.getByText('3 tables').waitFor();
    await press('Tab');
    assert.is(await focused(), 'skip');
    await press('Enter');
    assert.match(String(await focused()), 'cm-content');
    // The editor is no trap.
    await press('Tab');
    assert.is(await focused(), 'run');
    await press('/');
    assert.is(await focused(), 'table-search');
    await page.keyboard.type('tok');
    await page.getByText('1 table', { exact: true }).waitFor();
    await press('ArrowDown', 'Enter');
    await page.getByRole('heading', { name: TOKENS }).waitFor();
    // A screen reader starts at the new page's title.
    await until(tab, "document.activeElement.tagName === 'H1'");
    await press('Tab');
    assert.is(await focused(), 'primary');
    await press('Enter');
    await status(tab, /^3 rows/);
    await press('/', 'Escape');
    await editorOf(tab).focus();
    await press('Control+A');
    await page.keyboard.type(GROUPS, { delay: 2 });
    await press('Escape', 'Control+Enter');
    await status(tab, /^7 rows/);
    assert.match(String(await focused()), 'cm-content');
    // On through the switches and the address to the tabs.
    for (let i = 0; i < 20 && (await focused()) !== 'tab-table'; i++) await press('Tab');
    assert.is(await focused(), 'tab-table');
    await press('ArrowRight', 'ArrowRight');
    assert.is(await focused(), 'tab-chart');
    await page.locator('.chart canvas').waitFor();
    await press('Home');
    assert.is(await textOf(page.locator('#result-tabs').getByRole('tab', { selected: true })), 'Table');
    // What scrolls takes the focus, so that the arrows scroll it.
    for (let i = 0; i < 5 && (await focused()) !== 'grid-scroller'; i++) await press('Tab');
    assert.is(await focused(), 'grid-scroller');
  });
});

longTest('what happens is told to screen readers', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await page.getByRole('status').filter({ hasText: '3 tables' }).waitFor();
    await page.getByRole('textbox', { name: /^SQL statement/ }).waitFor();
    await writeAndRun(tab, GROUPS);
    await page.getByRole('status').filter({ hasText: '7 rows in' }).waitFor();
    await page.getByRole('columnheader', { name: 'kind' }).waitFor();
    await page.getByRole('rowheader', { name: '7' }).waitFor();
    await showAs(tab, 'Chart');
    await page
      .getByRole('img', { name: 'Bars of n by kind, 7 rows. The table shows the same values.' })
      .waitFor();
    await writeAndRun(tab, 'select nope');
    await page.getByRole('alert').filter({ hasText: 'no such column: nope' }).waitFor();
  });
});

test.run();
