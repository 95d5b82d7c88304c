// The console's tables in a real browser: the list beside the page, its search, and the page of one table.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { browserSuite } from '../support/browser.ts';
import { startTestGateway } from '../support/gateway.ts';
import { inLong } from '../support/ring.ts';
import { makeSnapshot, type TestTable } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';
import {
  inTab,
  MANY_ROWS,
  type Shared,
  startShared,
  status,
  stopShared,
  textOf,
  until,
  writeAndRun,
} from './tabs.ts';

const test = browserSuite<Shared>('console/tables');
const longTest = inLong(test);

/** More than one page of the list. */
const CROWD: readonly TestTable[] = Array.from({ length: 80 }, (_, i) => ({
  name: `crowd${i}_80001_${100 + i}`,
  columns: [{ name: 'a', type: 'integer' }],
}));

test.before((context) => startShared(context, CROWD));
test.after(stopShared);

const LINKS = '#table-list a';

test('tables are listed with their row counts, more of them on demand', async (shared) => {
  await inTab(shared, '', async ({ page }) => {
    await page.getByText('83 tables').waitFor();
    const links = page.locator(LINKS);
    assert.is(await links.count(), 60);
    assert.match(await textOf(links.nth(2)), /many_31337_3\s*60,000 rows/);
    await page.getByRole('button', { name: 'Show more tables' }).click();
    await links.nth(82).waitFor();
    assert.is(await links.count(), 83);
    assert.ok(await page.getByRole('button', { name: 'Show more tables' }).isHidden());
  });
});

longTest('the search finds part of a name in any case, and a chain can be chosen', async (shared) => {
  await inTab(shared, '', async ({ page }) => {
    await page.getByText('83 tables').waitFor();
    await page.getByLabel('Search tables').fill('TOKENS');
    await page.getByText('1 table', { exact: true }).waitFor();
    assert.match(await textOf(page.locator(LINKS)), `tokens_${CHAIN}_1`);
    await page.getByLabel('Search tables').fill('nothing like it');
    await page.getByText('No table has this in its name.').waitFor();
    await page.getByLabel('Search tables').fill('');
    await page.getByLabel('Chain').selectOption('80001');
    await page.getByText('80 tables').waitFor();
  });
});

test('the page of a table shows schema, constraints, first rows, metadata and picture', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await page.locator(LINKS, { hasText: 'tokens' }).click();
    await page.getByRole('heading', { name: `tokens_${CHAIN}_1` }).waitFor();
    assert.match(page.url(), `#table=${CHAIN}/1`);
    assert.is(await page.title(), `tokens_${CHAIN}_1 · Tablegate`);
    const facts = page.locator('.page-head .facts');
    await facts.getByText('2023-11-14').waitFor();
    await page.locator('.page-head .facts', { hasText: /Rows\s*3/ }).waitFor();
    const schema = page.getByRole('region', { name: 'Columns and their constraints' });
    const rows = await schema.locator('tbody tr').all();
    assert.equal(await Promise.all(rows.map((row) => row.locator('th, td').allTextContents())), [
      ['id', 'integer', 'primary key autoincrement'],
      ['name', 'text', 'not nullunique'],
      ['level', 'int', 'check(level>0)'],
      ['picture', 'blob', ''],
    ]);
    await page.locator('.table-constraints', { hasText: 'check(id<1000)' }).waitFor();
    const sample = page.getByRole('region', { name: 'First rows of' });
    await sample.getByText('9007199254740993').waitFor();
    assert.ok(await page.locator(LINKS, { hasText: 'tokens' }).getAttribute('aria-current'));
    await page.getByText('Metadata', { exact: true }).click();
    await page.locator('.seen pre', { hasText: '"trait_type": "created"' }).waitFor();
    await tab.picture('table');
    // The picture is drawn by the gateway and shown as an image.
    await page.getByRole('img', { name: 'Picture of' }).scrollIntoViewIfNeeded();
    await until(tab, "document.querySelector('.seen img')?.naturalWidth > 0");
    await tab.picture('table-seen');
    for (const [name, ending] of [
      ['picture', '.svg'],
      ['page', '.html'],
      ['metadata', ''],
    ]) {
      const href = await page
        .locator('.seen')
        .getByRole('link', { name: name ?? '' })
        .getAttribute('href');
      assert.is(href, `${shared.gateway.url}/tables/${CHAIN}/1${ending}`);
    }
    await page.getByRole('link', { name: 'Query this table' }).click();
    await status(tab, /^3 rows/);
  });
});

longTest('an empty table says so, an unknown one too, and a table is reached by its link', async (shared) => {
  await inTab(shared, `#table=${CHAIN}/2`, async (tab) => {
    const { page } = tab;
    await page.getByText('No rows yet.').waitFor();
    await tab.picture('table-empty');
    await page.evaluate(`location.hash = '#table=${CHAIN}/777'`);
    await page.getByRole('alert').getByText('There is no such table').waitFor();
    await page.evaluate("location.hash = '#table=5/1'");
    await page.getByRole('alert').getByText('5').waitFor();
    await page.evaluate(`location.hash = '#table=${CHAIN}/3'`);
    await page.getByRole('heading', { name: `many_${CHAIN}_3` }).waitFor();
    await page.locator('.page-head .facts', { hasText: MANY_ROWS.toLocaleString('en-US') }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Table 1 on chain 5' }).waitFor();
  });
});

test('a page that stands open learns of another snapshot, and its tables with it', async ({ browser }) => {
  const data = mkdtempSync(join(tmpdir(), 'tablegate-console-'));
  const first = await makeSnapshot(data, TABLES);
  const gateway = await startTestGateway({ data, args: ['--watch-every', '200ms'] });
  try {
    await inTab({ gateway, browser }, '', async (tab) => {
      const { page } = tab;
      await page.getByText('2 tables').waitFor();
      assert.is(await textOf(page.locator('#snapshot')), first.id);
      const second = await makeSnapshot(data, [...TABLES, ...CROWD]);
      const served = (): Promise<string> =>
        fetch(`${gateway.url}/query?statement=select+1`).then(
          (answer) => answer.headers.get('tablegate-snapshot') ?? '',
        );
      while (!(await served()).startsWith(second.id)) await page.waitForTimeout(100);
      await writeAndRun(tab, 'select count(*) as n from crowd7_80001_107');
      await status(tab, /^1 row/);
      await page.getByText('82 tables').waitFor();
      assert.is(await textOf(page.locator('#snapshot')), second.id);
    });
  } finally {
    await gateway.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

longTest('an operator’s own renderer is linked to, and nothing of it is loaded', async ({ browser }) => {
  const own = 'https://renderer.example/tables';
  const gateway = await startTestGateway({
    tables: TABLES,
    args: ['--metadata-renderer-uri', own, '--animation-renderer-uri', own],
  });
  try {
    // A request to elsewhere would be told as a problem of the tab.
    await inTab({ gateway, browser }, `#table=${CHAIN}/1`, async ({ page }) => {
      const seen = page.locator('.seen');
      await seen.waitFor();
      const href = (name: string): Promise<string | null> =>
        seen.getByRole('link', { name }).getAttribute('href');
      assert.is(await href('picture'), `${own}/${CHAIN}/1.svg`);
      assert.is(await href('page'), `${own}/${CHAIN}/1.html`);
      assert.is(await seen.locator('img').getAttribute('src'), `${gateway.url}/tables/${CHAIN}/1.svg`);
    });
  } finally {
    await gateway.stop();
  }
});

test.run();
