// An answer in a real browser: sorted, filtered, copied, its links, its params, its explanation; and the tables' columns.
import * as assert from 'uvu/assert';
import { browserSuite, PAYLOAD } from '../support/browser.ts';
import { inLong } from '../support/ring.ts';
import { CHAIN } from '../support/tables.ts';
import {
  cells,
  editorOf,
  inTab,
  link,
  MANY_ROWS,
  type Shared,
  startShared,
  status,
  stopShared,
  textOf,
  write,
  writeAndRun,
} from './tabs.ts';

const test = browserSuite<Shared>('console/result');
const longTest = inLong(test);

test.before((context) => startShared(context));
test.after(stopShared);

const TOKENS = `tokens_${CHAIN}_1`;
const MANY = `many_${CHAIN}_3`;
const IMAGE = `<img src=x onerror=${PAYLOAD}('image')>`;
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

test('heads tell what a column holds, sort and filter; the rows keep their numbers', async (shared) => {
  await inTab(shared, link(`select id, kind, day from ${MANY} order by id`), async (tab) => {
    const { page } = tab;
    await status(tab, '60,000 rows');
    assert.equal(await page.locator('.grid thead .type').allTextContents(), ['integer', 'text', 'text']);
    const head = page.getByRole('columnheader', { name: 'id' });
    await head.getByRole('button').click();
    await head.getByRole('button').click();
    assert.is(await head.getAttribute('aria-sort'), 'descending');
    assert.is((await cells(tab))[0]?.[0], String(MANY_ROWS));
    assert.is(await textOf(page.locator('#result-panel tbody th').first()), '60,000');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Filter kind').fill('KIND 3');
    await page.getByLabel('Filter id').fill('< 20');
    await page.getByText('Rows 1 to 3 of 3 that fit, of 60,000').waitFor();
    assert.equal(
      (await cells(tab)).map(([id]) => id),
      ['17', '10', '3'],
    );
    await tab.picture('filtered');
    await page.getByLabel('Filter id').fill('nothing like it');
    await page.getByText('None of 60,000').waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('Rows 1 to 100 of 60,000').waitFor();
    await head.getByRole('button').click();
    assert.is((await cells(tab))[0]?.[0], '1');
  });
});

longTest('a cell, a row and the table are copied, and the arrows go from cell to cell', async (shared) => {
  const statement = `select id, '${IMAGE.replaceAll("'", "''")}' as "<b>", 'two\nlines' as t, level from ${TOKENS} order by id`;
  await inTab(
    shared,
    link(statement),
    async (tab) => {
      const { page } = tab;
      await status(tab, /^3 rows/);
      const clipboard = async (): Promise<string> =>
        (await page.evaluate('navigator.clipboard.readText()')) as string;
      const copy = async (button: string): Promise<string> => {
        await page.evaluate("navigator.clipboard.writeText('')");
        await page.getByRole('button', { name: button }).click();
        await page.locator('button.done', { hasText: button }).waitFor();
        return clipboard();
      };
      await page.locator('#result-panel tbody td').nth(1).click();
      assert.is(await copy('Copy cell'), IMAGE);
      await page.locator('#result-panel tbody td').nth(1).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Control+C');
      assert.is(await clipboard(), '9007199254740993');
      await page.getByText('level, row 3', { exact: true }).waitFor();
      assert.is(await copy('Copy row'), `3\t${IMAGE}\t"two\nlines"\t9007199254740993`);
      await page.keyboard.press('Escape');
      await page.locator('.grid-acts summary').click();
      assert.is(
        await copy('Table as CSV'),
        [
          'id,<b>,t,level',
          ...[3, 1, '9007199254740993'].map((level, i) => `${i + 1},${IMAGE},"two\nlines",${level}`),
        ]
          .map((line) => `${line}\r\n`)
          .join(''),
      );
      assert.match(await copy('Table as JSON'), '"level":9007199254740993}]');
      await page.keyboard.press('Escape');
      await page.locator('#result-panel tbody td').nth(2).focus();
      await page.keyboard.press('Enter');
      await page
        .getByRole('dialog')
        .locator('pre', { hasText: /two\s+lines/ })
        .waitFor();
      await page.keyboard.press('Escape');
    },
    CLIPBOARD,
  );
});

longTest('addresses are links that tell nothing of this page; all else is text', async (shared) => {
  const values = [
    'https://example.org/a',
    'ipfs://bafyBEI/1.png',
    'javascript:alert(1)',
    'https://a@evil.org/',
    'data:text/html,x',
  ];
  const columns = values.map((value, i) => `'${value}' as c${i}`).join(', ');
  await inTab(shared, link(`select ${columns}`), async (tab) => {
    await status(tab, /^1 row/);
    const links = await tab.page.locator('#result-panel td a').all();
    assert.equal(await Promise.all(links.map((each) => each.getAttribute('href'))), values.slice(0, 2));
    for (const each of links) {
      assert.is(await each.getAttribute('rel'), 'noopener noreferrer');
      assert.is(await each.getAttribute('target'), '_blank');
    }
  });
});

test('params are bound, and what is wrong with them is said beside their field', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    assert.ok(await page.getByLabel('Params').isHidden());
    await write(tab, `select ? as big, ? as t from ${TOKENS} where id = ?`);
    const params = page.getByLabel('Params');
    const problem = page.locator('#params-problem');
    await params.fill('{"a": 1}');
    await page.keyboard.press('Enter');
    await problem.getByText('Write a list in JSON').waitFor();
    assert.is(await params.getAttribute('aria-invalid'), 'true');
    assert.is(await textOf(page.locator('#run-status')), '');
    await params.fill('[1, [2], 3]');
    await problem.getByText('Value 2 must be').waitFor();
    await params.fill(`[9223372036854775807, ${JSON.stringify(`it's ${IMAGE}`)}]`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('wrong-params').waitFor();
    assert.ok((await textOf(problem)).length > 10);
    await params.fill(`[9223372036854775807, ${JSON.stringify(`it's ${IMAGE}`)}, 1]`);
    await page.keyboard.press('Enter');
    await status(tab, /^1 row/);
    assert.equal(await cells(tab), [['9223372036854775807', `it's ${IMAGE}`]]);
    assert.is(await textOf(problem), '');
    await tab.picture('params');
    // The link and the address have them too.
    const again = await shared.browser.open(page.url());
    await status(again, /^1 row/);
    await again.close();
    const url = await page.locator('#live-url').inputValue();
    assert.match(await (await fetch(url)).text(), '9223372036854775807');
  });
});

test('a statement is explained without being run, and its link explains it again', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await write(
      tab,
      `select kind, count(*) as "${IMAGE}" from ${MANY} where id > 7 and kind <> '${IMAGE.replaceAll("'", "''")}' group by kind`,
    );
    await page.getByRole('button', { name: 'Explain' }).click();
    await status(tab, 'nothing was run');
    const panel = page.locator('#result-panel');
    await panel.getByText('DuckDB, in the scan lane').waitFor();
    await panel.getByText('60,000 at most').waitFor();
    await panel.getByText('Not kept yet').waitFor();
    await panel.locator('.plan li', { hasText: 'USE TEMP B-TREE FOR GROUP BY' }).waitFor();
    await panel.locator('pre', { hasText: 'GROUP BY t0."kind"' }).waitFor();
    await tab.picture('explained');
    assert.match(page.url(), '&view=explain');
    const again = await shared.browser.open(page.url());
    await status(again, 'nothing was run');
    await again.close();
    await page.keyboard.press('Control+Enter');
    await status(tab, /^7 rows/);
    await page.locator('#run-facts', { hasText: /Engine\s*DuckDB, \d/ }).waitFor();
    await write(tab, 'select nope');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('alert').getByText('no such column: nope').waitFor();
    assert.is(await textOf(page.locator('.cm-error')), 'nope');
  });
});

test('the list of tables is one tab stop, shows columns and puts them into the statement', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await page.getByText('3 tables').waitFor();
    await write(tab, 'select ');
    await page.getByLabel('Search tables').focus();
    await page.keyboard.press('ArrowDown');
    assert.is(await page.locator('#table-list [tabindex="0"]').count(), 1);
    await page.keyboard.press('ArrowRight');
    await page.locator('.column', { hasText: 'level' }).waitFor();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
    await tab.picture('columns');
    await page.keyboard.press('Enter');
    assert.is(await textOf(editorOf(tab)), 'select level');
    await page.getByLabel('Sort by').selectOption('rows');
    await page.locator('#table-list li.table').first().getByText(MANY).waitFor();
    await page.getByLabel('Sort by').selectOption('name');
    await page.locator('#table-list li.table').first().getByText('empty').waitFor();
    // On from the list with one Tab.
    await page.locator('#table-list a').first().focus();
    await page.keyboard.press('Tab');
    assert.is(await page.evaluate("document.activeElement.closest('#table-list')"), null);
  });
});

longTest('the seconds of a statement that runs are counted, and it is stopped', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await writeAndRun(
      tab,
      `select count(*) from ${MANY} a, ${MANY} b, ${MANY} c where a.size * b.id + c.id = 12345`,
    );
    await status(tab, /^Running … [1-9]\d* s/);
    await page.getByRole('button', { name: 'Stop' }).click();
    await status(tab, /^Stopped after/);
  });
});

longTest('on a narrow screen the address is folded, and the answer is brought into view', async (shared) => {
  await inTab(
    shared,
    link(`select * from ${TOKENS}`),
    async (tab) => {
      await status(tab, /^3 rows/);
      assert.ok(await tab.page.locator('#live-url').isHidden());
      await tab.page.locator('#run-status').waitFor();
      const top = await tab.page.locator('#result-panel').boundingBox();
      assert.ok(top !== null && top.y + top.height <= 844, JSON.stringify(top));
      await tab.page.getByText('Address', { exact: true }).click();
      assert.ok(await tab.page.locator('#live-url').isVisible());
    },
    { viewport: { width: 390, height: 844 } },
  );
});

test.run();
