// The page of the API for people: whole, small, escaped, without a script; and what a browser makes of it.
import { createHash } from 'node:crypto';
import { test as unit } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiDocument } from '../../src/openapi/document.ts';
import { apiPage, PAGE_POLICY } from '../../src/openapi/page.ts';
import { browserSuite, startBrowser, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const document = openApiDocument({ version: '1.2.3', server: '/api/v1' });
const page = apiPage(document, { 'openapi.json': '/api/v1/openapi.json' });

unit('every operation, parameter, answer and body is on it, and every link leads somewhere', () => {
  const paths = document['paths'] as Record<
    string,
    Record<string, { operationId: string; responses: object }>
  >;
  for (const [path, methods] of Object.entries(paths))
    for (const { operationId, responses } of Object.values(methods)) {
      assert.match(page, `/api/v1${path}`);
      assert.match(page, `id="${operationId}"`);
      for (const status of Object.keys(responses)) assert.match(page, `>${status}</dt>`);
    }
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  for (const [, to] of page.matchAll(/ href="#([^"]+)"/g)) assert.ok(ids.has(to), to);
});

unit(
  'it has no script and nothing from elsewhere, is small, and its policy lets only its own style through',
  () => {
    assert.not.match(page, /<script|javascript:|\son\w+=|https?:\/\//);
    assert.ok(page.length < 60_000, `${page.length} bytes`);
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.match(PAGE_POLICY, `style-src 'sha256-${hash}'`);
  },
);

unit('what the document says cannot become markup', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&`<b>`';
  const shown = apiPage(
    {
      info: { title: evil, version: evil, summary: evil, description: evil },
      tags: [{ name: 'A' }],
      servers: [{ url: evil }],
      paths: {
        [evil]: {
          get: {
            tags: ['A'],
            operationId: 'x',
            summary: evil,
            parameters: [{ name: evil, description: evil }],
            responses: {},
          },
        },
      },
    },
    { [evil]: evil },
  );
  assert.not.match(shown, /<img|<b>/);
});
unit.run();

const test = browserSuite<{ gateway: TestGateway; browser: TestBrowser }>('openapi/page');
test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: [] });
  context.browser = await startBrowser();
});
test.after(async ({ gateway, browser }) => {
  await browser?.close();
  await gateway?.stop();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`a browser shows it in ${colorScheme} without a complaint`, async ({ gateway, browser }) => {
    const tab = await browser.open(`${gateway.url}/docs`, { colorScheme });
    const style = 'getComputedStyle(document.body)';
    const text = await tab.page.evaluate(`${style}.color`);
    const back = await tab.page.evaluate(`${style}.backgroundColor`);
    assert.is(
      back,
      colorScheme === 'dark' ? 'rgb(18, 22, 28)' : 'rgb(255, 255, 255)',
      'its style is let through',
    );
    assert.is.not(text, back);
    await tab.picture(`api-${colorScheme}`);
    assert.equal(tab.problems, []);
    await tab.close();
  });

test('it fits a phone without scrolling sideways', async ({ gateway, browser }) => {
  const tab = await browser.open(`${gateway.url}/docs`, { viewport: { width: 360, height: 800 } });
  const wide = Number(await tab.page.evaluate('document.documentElement.scrollWidth'));
  assert.ok(wide <= 360, `${wide}`);
  await tab.close();
});

test.run();
