// What the browser's tests of the console share: a gateway with tables to look at, and how a person's steps
// are done in a tab.
import type { BrowserContextOptions, Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { startBrowser, type Tab, type TestBrowser } from '../support/browser.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TestTable } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

/** Large enough that a page that put all of it into the document would stand still. */
export const MANY_ROWS = 60_000;
export const LARGEST = '9223372036854775807';

export const MANY: TestTable = {
  name: `many_${CHAIN}_3`,
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'kind', type: 'text', notNull: true, constraints: ['not null'] },
    { name: 'size', type: 'integer' },
    { name: 'day', type: 'text' },
  ],
  select: `SELECT i, 'kind ' || (i % 7), ${LARGEST} - (i * 7919) % 1000, strftime(DATE '2024-01-01' + (i % 365)::INTEGER, '%Y-%m-%d')
           FROM range(1, ${MANY_ROWS + 1}) t(i)`,
};

export interface Shared {
  gateway: TestGateway;
  browser: TestBrowser;
}

export async function startShared(context: Shared, more: readonly TestTable[] = []): Promise<void> {
  [context.gateway, context.browser] = await Promise.all([
    startTestGateway({ tables: [...TABLES, MANY, ...more], args: ['--deadline-ms', '60000'] }),
    startBrowser(),
  ]);
  const { status } = await fetch(context.gateway.origin);
  assert.is(status, 200, 'there is no console to test: make build makes it');
}

export async function stopShared({ gateway, browser }: Shared): Promise<void> {
  await browser?.close();
  await gateway?.stop();
}

/** Opens the console for the steps, and lets nothing pass that went wrong meanwhile. */
export async function inTab(
  { gateway, browser }: Shared,
  hash: string,
  steps: (tab: Tab) => Promise<void>,
  options: BrowserContextOptions & { readonly base?: string } = {},
): Promise<void> {
  const { base = `${gateway.origin}/`, ...context } = options;
  const tab = await browser.open(`${base}${hash}`, context);
  try {
    await steps(tab);
    assert.equal(tab.problems, []);
  } finally {
    await tab.close();
  }
}

export const link = (statement: string, more = ''): string => `#q=${encodeURIComponent(statement)}${more}`;

export function editorOf({ page }: Tab): Locator {
  return page.locator('.cm-content');
}

/** Types as a person does, in the place of what stood there. */
export async function write(tab: Tab, statement: string): Promise<void> {
  await editorOf(tab).click();
  await tab.page.keyboard.press('Control+A');
  await tab.page.keyboard.insertText(statement);
  // The list of completions would take Enter.
  await tab.page.keyboard.press('Escape');
}

export async function writeAndRun(tab: Tab, statement: string): Promise<void> {
  await write(tab, statement);
  await tab.page.keyboard.press('Control+Enter');
}

export async function textOf(place: Locator): Promise<string> {
  return (await place.textContent()) ?? '';
}

/** Waits until the expression is true. (Playwright's own way would have the page evaluate it, which its policy refuses.) */
export async function until({ page }: Tab, expression: string): Promise<void> {
  for (let tries = 0; (await page.evaluate(expression)) !== true; tries++) {
    assert.ok(tries < 1200, `never: ${expression}`);
    await page.waitForTimeout(50);
  }
}

/** Waits until the status says it. */
export async function status(tab: Tab, text: string | RegExp): Promise<void> {
  await tab.page.locator('#run-status', { hasText: text }).waitFor();
}

/** Cells of the answer's rows, as they are read. */
export async function cells(tab: Tab): Promise<string[][]> {
  const rows = await tab.page.locator('#result-panel tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('td').allTextContents()));
}

export async function showAs(tab: Tab, name: 'Table' | 'JSON' | 'Chart'): Promise<void> {
  await tab.page.getByRole('tab', { name, exact: true }).click();
}
