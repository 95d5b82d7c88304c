// The pictures of tables as a marketplace shows them, in a real browser: in an <img> and in a frame of a page
// from elsewhere. Nothing runs, nothing is loaded, all of it can be read.
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { browserSuite, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { inLong, isLong } from '../support/ring.ts';
import type { TestTable } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

const WIDE: TestTable = {
  name: `wide_${CHAIN}_5`,
  columns: Array.from({ length: 60 }, (_, i) => ({ name: `column_${i}`, type: 'text' as const })),
  rows: Array.from({ length: 30 }, (_, r) =>
    Array.from({ length: 60 }, (_, i) =>
      i % 7 === 3 ? null : `${'🚀 日本語 '.repeat(i % 4)}${'x'.repeat((r * i) % 90)}`,
    ),
  ),
};
const LONG: TestTable = {
  name: `${'a_very_long_name_'.repeat(8)}_${CHAIN}_6`,
  columns: [
    { name: '👩‍👩‍👧‍👦 family'.repeat(9), type: 'text' },
    { name: 'n', type: 'integer' },
  ],
  rows: [
    ['👩‍👩‍👧‍👦'.repeat(200), 9_223_372_036_854_775_807n],
    ['\u202etxet\u202c שלום עולם مرحبا', -1],
    [`<b>&amp;</b>${'\n'.repeat(30)}end`, null],
  ],
};

interface Shared {
  gateway: TestGateway;
  browser: TestBrowser;
  market: Server;
  marketUrl: string;
}

const test = browserSuite<Shared>('picture/shown');
const longTest = inLong(test);

test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: [...TABLES, WIDE, LONG] });
  context.browser = await startBrowser();
  const { url } = context.gateway;
  // A page of another origin, as a marketplace's.
  context.market = createServer((request, response) => {
    const id = request.url?.slice(1) ?? '';
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>Market</title><link rel="icon" href="data:,">
      <img src="${url}/tables/${CHAIN}/${id}.svg" width="460" height="460">
      <iframe sandbox src="${url}/tables/${CHAIN}/${id}.html" width="800" height="600"></iframe>`);
  });
  await new Promise<void>((resolve) => context.market.listen(0, '127.0.0.1', resolve));
  context.marketUrl = `http://127.0.0.1:${(context.market.address() as AddressInfo).port}`;
});
test.after(async ({ gateway, browser, market }) => {
  market?.closeAllConnections();
  market?.close();
  await browser?.close();
  await gateway?.stop();
});

for (const id of isLong ? [1, 2, 5, 6] : [1, 6])
  test(`a page from elsewhere shows table ${id} as an image and in a frame`, async ({
    gateway,
    browser,
    marketUrl,
  }) => {
    const tab = await browser.open(`${marketUrl}/${id}`);
    const { page } = tab;
    assert.equal(
      await page.evaluate(
        "(({ naturalWidth, naturalHeight, complete }) => [naturalWidth, naturalHeight, complete])(document.querySelector('img'))",
      ),
      [1000, 1000, true],
    );
    const frame = page.frames().find((each) => each.url().endsWith('.html'));
    await frame?.locator('h1').waitFor();
    assert.match((await frame?.locator('body').textContent()) ?? '', `Table ${id} on chain ${CHAIN}`);
    await tab.picture(`market-${id}`);
    // Only the two documents of the gateway were asked for, and the policy of neither was touched.
    const elsewhere = tab.problems.filter(
      (problem) => !problem.startsWith(`request to ${gateway.url}/tables/`),
    );
    assert.equal(elsewhere, []);
    assert.is(tab.problems.length, 2);
    await tab.close();
  });

longTest(
  'axe-core finds nothing wrong with the page of a table, light and dark',
  async ({ gateway, browser }) => {
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const colorScheme of ['light', 'dark'] as const)
      for (const id of isLong ? [1, 2, 5, 6] : [1, 6]) {
        const tab = await browser.open(`${gateway.url}/tables/${CHAIN}/${id}.html`, {
          colorScheme,
          // In the page's sandbox nothing runs, axe-core neither.
          bypassCSP: true,
        });
        await tab.picture(`html-${id}-${colorScheme}`);
        assert.equal(tab.problems, []);
        await tab.page.evaluate(`(() => { ${axe} })()`);
        const found = await tab.page.evaluate(
          "axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target)))",
        );
        assert.equal(found, []);
        await tab.close();
      }
  },
);

longTest(
  'the page of a table fits a phone: what is wider scrolls in its own place',
  async ({ gateway, browser }) => {
    for (const id of [1, 5, 6]) {
      const tab = await browser.open(`${gateway.url}/tables/${CHAIN}/${id}.html`, {
        viewport: { width: 360, height: 740 },
      });
      assert.is(
        await tab.page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
        0,
        `table ${id}`,
      );
      await tab.picture(`html-${id}-phone`);
      await tab.close();
    }
  },
);

test('in the picture no text leaves the picture', async ({ gateway, browser }) => {
  for (const id of isLong ? [1, 2, 5, 6] : [1, 6]) {
    const tab = await browser.open(`${gateway.url}/tables/${CHAIN}/${id}.svg`, {
      viewport: { width: 1000, height: 1000 },
    });
    const overhang = await tab.page.evaluate(
      "Math.max(...[...document.querySelectorAll('svg > text')].map((text) => text.getBoundingClientRect().right))",
    );
    assert.ok(Number(overhang) <= 1000, `table ${id}: ${overhang}`);
    await tab.picture(`svg-${id}`);
    await tab.close();
  }
});

test.run();
