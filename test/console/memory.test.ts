// What the console remembers in a real browser: the draft, the queries that were run, those that were saved. Also where
// the browser keeps nothing, or has no room.
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { browserSuite, PAYLOAD, type Tab } from '../support/browser.ts';
import { inLong } from '../support/ring.ts';
import { CHAIN } from '../support/tables.ts';
import {
  cells,
  editorOf,
  inTab,
  link,
  type Shared,
  startShared,
  status,
  stopShared,
  textOf,
  until,
  write,
  writeAndRun,
} from './tabs.ts';

const test = browserSuite<Shared>('console/memory');
const longTest = inLong(test);

test.before((context) => startShared(context));
test.after(stopShared);

const TOKENS = `tokens_${CHAIN}_1`;
const IMAGE = `<img src=x onerror=${PAYLOAD}('image')>`;

const side = (page: Page, name: 'Tables' | 'History' | 'Saved'): Promise<void> =>
  page.locator('#side-tabs').getByRole('tab', { name }).click();

test('a click anywhere in the box of the editor puts the cursor into the statement', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await write(tab, 'select 1');
    const box = await page.locator('#editor').boundingBox();
    assert.ok(box !== null);
    for (const height of [0.8, 0.97]) {
      await page.locator('#run').focus();
      await page.mouse.click(box.x + box.width / 2, box.y + box.height * height);
      await page.keyboard.type(' + 1');
    }
    assert.is(await textOf(editorOf(tab)), 'select 1 + 1 + 1');
  });
});

test('what was written and not run outlasts a reload, with params and switches, and is not run by it', async (shared) => {
  await inTab(shared, link(`select id from ${TOKENS}`), async (tab) => {
    const { page } = tab;
    await status(tab, /^3 rows/);
    const draft = `select '${IMAGE}'\n, ? as "half written`;
    await page.getByText('objects', { exact: true }).click();
    await status(tab, /^3 rows/);
    await write(tab, draft);
    await page.getByLabel('Params').fill('[7');
    await page.reload();
    await until(tab, "document.querySelector('.cm-content') !== undefined");
    await page.locator('.cm-content', { hasText: 'half written' }).waitFor();
    assert.is(await page.getByLabel('Params').inputValue(), '[7');
    assert.ok(await page.getByLabel('objects').isChecked());
    assert.is(await textOf(page.locator('#run-status')), '');
    // A tab that starts with nothing goes on with it; a link is what it says.
    await page.goto(`${shared.gateway.origin}/`);
    await page.locator('.cm-content', { hasText: 'half written' }).waitFor();
    await page.goto(`${shared.gateway.origin}/#table=${CHAIN}/1`);
    await page.getByRole('heading', { name: TOKENS }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: TOKENS }).waitFor();
    await page.getByRole('link', { name: 'Tablegate' }).click();
    await page.locator('.cm-content', { hasText: 'half written' }).waitFor();
    await page.goto(`${shared.gateway.origin}/${link('select 42 as answer')}`);
    await status(tab, /^1 row/);
    assert.is(await textOf(editorOf(tab)), 'select 42 as answer');
  });
});

test('what was run is listed, found, opened again, forgotten and brought back', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    const entries = page.locator('#history-list li');
    await writeAndRun(tab, `select '${IMAGE.replaceAll("'", "''")}' as first`);
    await status(tab, /^1 row/);
    await writeAndRun(tab, 'select nope');
    await status(tab, 'No answer');
    await writeAndRun(tab, `select id from ${TOKENS} where id = ?`);
    await status(tab, 'No answer');
    await page.getByLabel('Params').fill('[2]');
    await page.keyboard.press('Enter');
    await status(tab, /^1 row/);
    await side(page, 'History');
    assert.is(await entries.count(), 4);
    assert.match(await textOf(entries.nth(0)), /where id = \? \[2\]just now · 1 row in/);
    assert.match(await textOf(entries.nth(2)), 'unknown-column');
    await tab.picture('history');
    await page.getByLabel('Search history').fill('IMG first');
    await page.getByText('1 query', { exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#result-panel tbody td', { hasText: IMAGE }).waitFor();
    // The newest again, once.
    await page.getByLabel('Search history').fill('');
    await until(tab, "document.querySelector('#history-list li')?.textContent.includes('onerror')");
    assert.is(await entries.count(), 4);
    await page.reload();
    await side(page, 'History');
    assert.is(await entries.count(), 4);
    await page.getByRole('button', { name: 'Forget select nope' }).click();
    assert.is(await entries.count(), 3);
    await page.locator('#history-foot').getByRole('button', { name: 'Undo' }).click();
    assert.match(await textOf(entries.nth(3)), 'nope');
    await page.locator('#history-foot').getByRole('button', { name: 'Clear all' }).click();
    await page.getByText('What you run is listed here').waitFor();
    await page.locator('#history-foot').getByRole('button', { name: 'Undo' }).click();
    assert.is(await entries.count(), 4);
  });
});

longTest(
  'a query is saved under a name, replaced under the same, opened as a link and deleted',
  async (shared) => {
    await inTab(shared, '', async (tab) => {
      const { page } = tab;
      const entries = page.locator('#saved-list li');
      const save = async (name: string, button: 'Save' | 'Replace'): Promise<void> => {
        await page.locator('#save').click();
        await page.getByRole('dialog').getByLabel('Name').fill(name);
        await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
      };
      const hostile = `${IMAGE} \u202e${'long'.repeat(40)}`;
      await write(tab, `select id from ${TOKENS} where id < ?`);
      await page.getByLabel('Params').fill('[3]');
      await save('two tokens', 'Save');
      await save(hostile, 'Save');
      await write(tab, `select id from ${TOKENS} where id = 3`);
      await save('two tokens', 'Replace');
      await entries.nth(1).waitFor();
      assert.equal(await page.locator('#saved-list strong').allTextContents(), [
        hostile.slice(0, 80),
        'two tokens',
      ]);
      await tab.picture('saved');
      await page.reload();
      await side(page, 'Saved');
      await page.getByRole('link', { name: /^two tokens/ }).click();
      await status(tab, /^1 row/);
      assert.equal(await cells(tab), [['3']]);
      // What a link says opens the same elsewhere.
      const href = (await entries.nth(0).locator('a').getAttribute('href')) ?? '';
      const other = await shared.browser.open(`${shared.gateway.origin}/${href}`);
      await status(other, /^2 rows/);
      assert.equal(other.problems, []);
      await other.close();
      await page.getByRole('button', { name: 'Delete two tokens' }).click();
      assert.is(await entries.count(), 1);
    });
  },
);

/** Of a browser that keeps nothing, or that has no room. */
const BROKEN: Readonly<Record<string, string>> = {
  nothing:
    "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError'); } });",
  'no room': "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };",
  nonsense:
    "localStorage.setItem('tablegate / history', '{{'); localStorage.setItem('tablegate / saved', '[1,null,{\"name\":1}]'); localStorage.setItem('tablegate / draft', '7');",
};

for (const [name, script] of Object.entries(BROKEN))
  longTest(`a browser that keeps ${name} costs nothing but memory`, async (shared) => {
    const tab: Tab = await shared.browser.open(`${shared.gateway.origin}/console/licenses.txt`);
    const { page } = tab;
    await page.addInitScript(script);
    await page.goto(`${shared.gateway.origin}/`);
    await writeAndRun(tab, 'select 1 as one');
    await status(tab, /^1 row/);
    await side(page, 'History');
    await page.locator('#history-list li', { hasText: 'select 1 as one' }).waitFor();
    await page.locator('#save').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('#saved-list li', { hasText: 'select 1 as one' }).waitFor();
    const ends = page.locator('#saved-status', { hasText: 'This browser does not keep them' });
    if (name === 'nonsense') assert.is(await ends.count(), 0);
    else await ends.waitFor();
    assert.equal(tab.problems, []);
    await tab.close();
  });

test('what is saved is never given up for another: where there is no room it is said, and the dialog stays', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    const names = (count: number): string => `Array.from({ length: ${count} }, (_, i) =>
      ({ name: 'query ' + i, query: { statement: 'select ' + i, params: '' } }))`;
    const save = async (name: string): Promise<void> => {
      await write(tab, 'select 42');
      await page.locator('#save').click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
      await page.keyboard.press('Enter');
    };
    const entries = page.locator('#saved-list li');
    await page.evaluate(`localStorage.setItem('tablegate / saved', JSON.stringify(${names(200)}))`);
    await save('one more');
    await page.getByText('200 queries are saved, which is the most').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('query 7');
    await page.keyboard.press('Enter');
    await page.locator('#saved-list li', { hasText: 'query 7select 42' }).waitFor();
    assert.is(await entries.count(), 200);
    // The browser is full: what it has, it keeps.
    await page.evaluate(`localStorage.setItem('tablegate / saved', JSON.stringify(${names(3)}));
      Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`);
    await save('zz');
    await page.locator('#saved-list li', { hasText: 'zz' }).waitFor();
    assert.is(await entries.count(), 4);
    await page.getByText('This browser does not keep them').waitFor();
    assert.is(await page.evaluate("JSON.parse(localStorage.getItem('tablegate / saved')).length"), 3);
  });
});

test.run();
