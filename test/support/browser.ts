// A real Chromium for tests of what the gateway shows to people. It reaches nothing but this machine; each tab
// keeps what went wrong in it: errors, violations of the page's policy, requests to anywhere else.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'uvu';
import { neededSuite } from './needed.ts';

const PLACES = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const CHROMIUM = PLACES.find((path) => path !== '' && existsSync(path));

const FLAGS = [
  // As root, which CI is, Chromium starts only without its sandbox.
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
  // Offline: no other name is found.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * A suite that needs the browser. Without one its tests are skipped, in so many words; under CI that is a failure.
 */
export function browserSuite<Context>(name: string): Test<Context> {
  const why = `no Chromium at ${PLACES.filter((path) => path !== '').join(' or ')}: apt-get install chromium, or set CHROMIUM`;
  return neededSuite(name, 'a browser', CHROMIUM === undefined ? why : undefined);
}

export interface Tab {
  readonly page: Page;
  /** Uncaught errors, refusals of the policy, requests elsewhere, payloads that ran, dialogs. */
  readonly problems: readonly string[];
  /** Puts a picture among the others, in a temporary folder or in that of SCREENSHOTS. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface TestBrowser {
  open(url: string, options?: BrowserContextOptions): Promise<Tab>;
  close(): Promise<void>;
}

/** What a payload calls where it gets to run. */
export const PAYLOAD = 'pwned';

const WATCH = `
  window.${PAYLOAD} = (what) => console.error('PAYLOAD ran: ' + what);
  document.addEventListener('securitypolicyviolation', (event) =>
    console.error('POLICY ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
`;

export async function startBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: FLAGS,
  });
  const kept = process.env['SCREENSHOTS'];
  const pictures = kept ?? mkdtempSync(join(tmpdir(), 'tablegate-pictures-'));
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
      // A machine that does much else at the same time is no failure.
      context.setDefaultTimeout(180_000);
      const page = await context.newPage();
      const problems: string[] = [];
      const { origin } = new URL(url);
      await page.addInitScript(WATCH);
      page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
      page.on('dialog', (dialog) => {
        problems.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        const text = message.text();
        // An answer that is an error is told by the page; the browser's own line about it says nothing new.
        if (['error', 'warning'].includes(message.type()) && !text.startsWith('Failed to load resource'))
          problems.push(text);
      });
      page.on('request', (request) => {
        const to = new URL(request.url());
        if (to.origin !== origin && !['data:', 'blob:'].includes(to.protocol))
          problems.push(`request to ${request.url()}`);
      });
      await page.goto(url);
      return {
        page,
        problems,
        picture: async (name) => {
          await page.screenshot({ path: join(pictures, `${name}.png`) });
        },
        close: () => context.close(),
      };
    },
    async close() {
      await browser.close();
      if (kept === undefined) rmSync(pictures, { recursive: true, force: true });
    },
  };
}
