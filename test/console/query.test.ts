// The console's way of a statement in a real browser: written, completed, run, stopped, shown, copied, linked.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { browserSuite } from '../support/browser.ts';
import { inLong } from '../support/ring.ts';
import { CHAIN } from '../support/tables.ts';
import {
  cells,
  editorOf,
  inTab,
  LARGEST,
  link,
  MANY_ROWS,
  type Shared,
  showAs,
  startShared,
  status,
  stopShared,
  textOf,
  write,
  writeAndRun,
} from './tabs.ts';

const test = browserSuite<Shared>('console/query');
const longTest = inLong(test);

test.before((context) => startShared(context));
test.after(stopShared);

const TOKENS = `tokens_${CHAIN}_1`;
const MANY = `many_${CHAIN}_3`;

test('a statement that stands ready is run with Ctrl+Enter and shown as a table, with time, size and cache', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await page.getByText('Try one of these').waitFor();
    await tab.picture('start');
    assert.is(await textOf(editorOf(tab)), `select * from ${TOKENS} limit 100`);
    await writeAndRun(tab, `select id, name, level, picture from ${TOKENS} order by id`);
    await status(tab, /^3 rows in \d/);
    assert.equal(await cells(tab), [
      ['1', 'ada', '3', 'AP8='],
      ['2', 'bob', '1', 'NULL'],
      ['3', '{"nick":"cy"}', '9007199254740993', 'NULL'],
    ]);
    assert.ok(await page.locator('#run-facts', { hasText: /Size\s*\d+ B/ }).isVisible());
    assert.ok(await page.locator('#run-facts', { hasText: /Cache\s*miss/ }).isVisible());
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('#run-facts', { hasText: /Cache\s*hit/ }).waitFor();
    assert.match(await textOf(page.locator('#snapshot')), /^\d{6}-[0-9a-f]{6}$/);
    await tab.picture('answer');
  });
});

test('integers of 64 bits keep every digit, in the table and as JSON', async (shared) => {
  await inTab(shared, link(`select ${LARGEST} as a, -${LARGEST} - 1 as b, 0.1 as c`), async (tab) => {
    await status(tab, /^1 row/);
    assert.equal(await cells(tab), [[LARGEST, '-9223372036854775808', '0.1']]);
    await showAs(tab, 'JSON');
    assert.match(await textOf(tab.page.locator('#result-panel pre')), LARGEST);
  });
});

test('format, extract and unwrap change the address and the answer at once', async (shared) => {
  await inTab(shared, link(`select name from ${TOKENS} where id < 3 order by id`), async (tab) => {
    const { page } = tab;
    const address = (): Promise<string> => page.locator('#live-url').inputValue();
    const json = (): Promise<string> => textOf(page.locator('#result-panel pre'));
    const base = `${shared.gateway.url}/query?statement=${encodeURIComponent(`select name from ${TOKENS} where id < 3 order by id`)}`;
    await status(tab, /^2 rows/);
    assert.is(await address(), `${base}&format=table`);
    assert.ok(await page.getByLabel('extract').isDisabled());
    await showAs(tab, 'JSON');
    assert.equal(JSON.parse(await json()), { columns: [{ name: 'name' }], rows: [['ada'], ['bob']] });
    await page.getByText('objects', { exact: true }).click();
    await page.getByText('"name": "ada"').waitFor();
    assert.is(await address(), base);
    await page.getByLabel('extract').check();
    await page.locator('pre', { hasText: /^\[\s*"ada",/ }).waitFor();
    await page.getByLabel('unwrap').check();
    await page.locator('pre', { hasText: /^"ada"\s*"bob"$/ }).waitFor();
    assert.is(await address(), `${base}&extract=true&unwrap=true`);
    await showAs(tab, 'Table');
    assert.equal(await cells(tab), [['ada'], ['bob']]);
    assert.is(await (await fetch(await address())).text(), '"ada"\n"bob"');
    await writeAndRun(tab, `select name from ${TOKENS} where id > 99`);
    await page.getByText('No rows to unwrap').waitFor();
  });
});

test('the copied command line, run by a real shell, gives the same answer', async (shared) => {
  const statement = `select 'it''s $HOME \`id\` \\ "x" !' as a, name from ${TOKENS} -- & ; |\nwhere id = 1`;
  const options = { permissions: ['clipboard-read', 'clipboard-write'] };
  await inTab(
    shared,
    link(statement),
    async (tab) => {
      await status(tab, /^1 row/);
      await tab.page.getByRole('button', { name: 'Copy curl' }).click();
      await tab.page.getByText('copied').waitFor({ state: 'attached' });
      const copied = (await tab.page.evaluate('navigator.clipboard.readText()')) as string;
      assert.match(copied, /^curl -sG '/);
      const { stdout } = await promisify(execFile)('sh', ['-c', copied]);
      assert.equal(JSON.parse(stdout).rows, [['it\'s $HOME `id` \\ "x" !', 'ada']]);
      await tab.page.getByRole('button', { name: 'Copy URL' }).click();
      await tab.page.locator('#url-tools button:nth-child(1).done').waitFor();
      const url = (await tab.page.evaluate('navigator.clipboard.readText()')) as string;
      assert.is(await (await fetch(url)).text(), stdout);
    },
    options,
  );
});

longTest(
  'a link reopens the query as it was, and the browser goes back and forward through queries',
  async (shared) => {
    await inTab(shared, '', async (tab) => {
      const { page } = tab;
      await writeAndRun(tab, `select kind, count(*) as n from ${MANY} group by kind`);
      await status(tab, /^7 rows/);
      await showAs(tab, 'Chart');
      const url = page.url();
      await writeAndRun(tab, 'select 42 as answer');
      await status(tab, /^1 row/);
      await page.goBack();
      await status(tab, /^7 rows/);
      await page.locator('.chart canvas').waitFor();
      assert.is(page.url(), url);
      await page.goForward();
      await status(tab, /^1 row/);
      assert.is(await textOf(editorOf(tab)), 'select 42 as answer');
      const again = await shared.browser.open(url);
      await status(again, /^7 rows/);
      assert.is(await textOf(editorOf(again)), `select kind, count(*) as n from ${MANY} group by kind`);
      assert.is(await textOf(again.page.locator('#result-tabs [aria-selected=true]')), 'Chart');
      await again.close();
    });
  },
);

test('tables, then columns of the tables that the statement names, are offered while typing', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    const offered = page.locator('.cm-tooltip-autocomplete li');
    await write(tab, `select  from ${TOKENS} as tok`);
    await page.keyboard.press('Home');
    for (let i = 0; i < 'select '.length; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.type('lev');
    await offered.filter({ hasText: 'level' }).first().waitFor();
    await tab.picture('completion');
    // CodeMirror takes no choice within a moment of showing it, so that a typist's Enter is not lost.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    assert.is(await textOf(editorOf(tab)), `select level from ${TOKENS} as tok`);
    await page.keyboard.type(', tok.na');
    await offered.filter({ hasText: 'name' }).first().waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    assert.is(await textOf(editorOf(tab)), `select level, tok.name from ${TOKENS} as tok`);
    await write(tab, 'select * from ma');
    await page.keyboard.type('n');
    await offered
      .filter({ hasText: `${MANY}60,000 rows` })
      .first()
      .waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    assert.is(await textOf(editorOf(tab)), `select * from ${MANY}`);
    // The words of SQL have colours of their own.
    const colours = await page.evaluate(
      "[...document.querySelector('#editor').shadowRoot.querySelectorAll('.cm-line span')].map((span) => getComputedStyle(span).color)",
    );
    assert.ok(new Set(colours as string[]).size >= 2);
  });
});

test('an error is told with its code and marked at its place, until the statement is changed', async (shared) => {
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    await writeAndRun(tab, `select id,\n  nope\nfrom ${TOKENS}`);
    const alert = page.getByRole('alert');
    await alert.getByText('no such column: nope').waitFor();
    await alert.getByText('unknown-column').waitFor();
    assert.is(await textOf(page.locator('.cm-error')), 'nope');
    await tab.picture('error');
    await alert.getByRole('button', { name: 'Go to line 2, column 3' }).click();
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText('name');
    assert.is(await page.locator('.cm-error').count(), 0);
    await page.keyboard.press('Control+Enter');
    await status(tab, /^3 rows/);
    assert.is(await page.locator('#run-error').isHidden(), true);
    await writeAndRun(tab, `select id, from ${TOKENS}`);
    await alert.getByText("near 'from'").waitFor();
    assert.is(await textOf(page.locator('.cm-error')), 'from');
    await writeAndRun(tab, 'delete from x');
    await alert.getByText('statement-not-a-read').waitFor();
  });
});

test('a statement that runs is stopped by its button and by Escape, and the next one is answered', async (shared) => {
  const slow = `select count(*) from ${MANY} a, ${MANY} b, ${MANY} c where a.size * b.id + c.id = 12345`;
  await inTab(shared, '', async (tab) => {
    const { page } = tab;
    const stop = page.getByRole('button', { name: 'Stop' });
    await writeAndRun(tab, slow);
    await status(tab, 'Running');
    await stop.waitFor();
    await tab.picture('running');
    await stop.click();
    await status(tab, /^Stopped after/);
    assert.ok(await page.getByRole('button', { name: 'Run' }).isVisible());
    await page.getByRole('button', { name: 'Run' }).click();
    await status(tab, 'Running');
    await page.keyboard.press('Escape');
    await status(tab, /^Stopped after/);
    await writeAndRun(tab, 'select 1 as one');
    await status(tab, /^1 row/);
  });
});

test('a large answer is shown a page of rows at a time, and the page says so', async (shared) => {
  await inTab(shared, link(`select * from ${MANY} order by id`), async (tab) => {
    const { page } = tab;
    await status(tab, '60,000 rows');
    const rows = page.locator('#result-panel tbody tr');
    assert.is(await rows.count(), 100);
    await page.getByText('Rows 1 to 100 of 60,000').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Rows 101 to 200 of 60,000').waitFor();
    assert.is((await cells(tab))[0]?.[0], '101');
    assert.ok(await page.getByRole('button', { name: 'Previous' }).isEnabled());
    await tab.picture('large');
    await showAs(tab, 'JSON');
    await page.getByText('are shown; save the whole').waitFor();
    await showAs(tab, 'Chart');
    await page.getByText('50,000 rows are drawn; 10,000 more are not').waitFor();
  });
});

longTest('more than the page takes is left unread, and the page says how much it shows', async (shared) => {
  const statement = `select a.id, '${'x'.repeat(990)}' as filler from ${MANY} a where a.id <= 30000`;
  await inTab(shared, link(statement), async (tab) => {
    await tab.page.getByText('the answer goes on').waitFor();
    const shown = Number((await textOf(tab.page.locator('#run-status'))).split(' ')[0]?.replace(',', ''));
    assert.ok(shown > 10_000 && shown < 30_000, String(shown));
    // What is cut is shown whole on demand.
    await tab.page.getByRole('button', { name: 'Show filler of row 1 whole' }).click();
    await tab.page.getByRole('dialog').getByText('x'.repeat(990)).waitFor();
    await tab.page.keyboard.press('Escape');
    assert.is(await tab.page.getByRole('dialog').count(), 0);
  });
});

longTest(
  'bars, lines and points are drawn by what the columns hold, and can be chosen otherwise',
  async (shared) => {
    await inTab(
      shared,
      link(`select kind, count(*) as n, count(*) / 2 as low from ${MANY} group by kind`, '&view=chart'),
      async (tab) => {
        const { page } = tab;
        const kind = page.locator('.chart-choices select').first();
        /** Points of the canvas that have a colour of their own. */
        const painted = async (): Promise<number> => {
          await page.locator('.chart canvas').waitFor();
          return (await page.evaluate(
            `(() => { const canvas = document.querySelector('.chart canvas'); const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
           let count = 0;
           for (let i = 0; i < data.length; i += 4)
             if (data[i + 3] > 100 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) count++;
           return count; })()`,
          )) as number;
        };
        assert.is(await kind.inputValue(), 'bar');
        const bars = await painted();
        assert.ok(bars > 5000, `${bars} points`);
        await tab.picture('bars');
        await page.getByRole('checkbox', { name: 'low' }).uncheck();
        await page.locator('.u-legend', { hasNotText: 'low' }).waitFor();
        await writeAndRun(tab, `select day, count(*) as n from ${MANY} group by day order by day`);
        await status(tab, /^365 rows/);
        assert.is(await kind.inputValue(), 'line');
        assert.ok((await painted()) > 500);
        await tab.picture('line');
        await writeAndRun(
          tab,
          `select (id * 7919) % 1000 as a, (id * 104729) % 997 as b from ${MANY} limit 500`,
        );
        await status(tab, /^500 rows/);
        assert.is(await kind.inputValue(), 'scatter');
        assert.ok((await painted()) > 500);
        await kind.selectOption('bar');
        assert.ok((await painted()) > 500);
        await writeAndRun(tab, `select name from ${TOKENS}`);
        await page.getByText('Nothing to draw').waitFor();
      },
    );
  },
);

test('the answer is saved whole in the gateway’s formats, and a refusal is told', async (shared) => {
  const statement = `select id, kind from ${MANY} where id < 3 order by id`;
  await inTab(shared, link(statement), async (tab) => {
    const { page } = tab;
    await status(tab, /^2 rows/);
    const saved = async (label: string): Promise<readonly [name: string, bytes: Buffer]> => {
      await page.getByText('Save as').click();
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: label, exact: true }).click();
      const download = await coming;
      return [download.suggestedFilename(), readFileSync(await download.path())];
    };
    const text = async (label: string): Promise<readonly string[]> => {
      const [name, bytes] = await saved(label);
      return [name, bytes.toString()];
    };
    assert.equal(await text('JSON'), [
      `${MANY}.json`,
      '{"columns":[{"name":"id"},{"name":"kind"}],"rows":[[1,"kind 1"],[2,"kind 2"]]}',
    ]);
    assert.equal(await text('CSV'), [`${MANY}.csv`, 'id,kind\r\n1,kind 1\r\n2,kind 2\r\n']);
    assert.equal(await text('NDJSON'), [
      `${MANY}.ndjson`,
      '{"id":1,"kind":"kind 1"}\n{"id":2,"kind":"kind 2"}\n',
    ]);
    const [name, parquet] = await saved('Parquet');
    assert.is(name, `${MANY}.parquet`);
    assert.is(parquet.subarray(0, 4).toString(), 'PAR1');
    await page.getByText('Save as').click();
    await tab.picture('save');
    await page.keyboard.press('Escape');
    assert.ok(await page.getByRole('button', { name: 'CSV', exact: true }).isHidden());
    await writeAndRun(tab, `select case when id = 1 then 'a' else 2 end as a from ${TOKENS}`);
    await status(tab, /^3 rows/);
    await page.getByText('Save as').click();
    await page.getByRole('button', { name: 'Parquet', exact: true }).click();
    await page.locator('.menu [role=status]', { hasText: 'CAST' }).waitFor();
  });
});

longTest('the page works behind a proxy that serves it under a path of its own', async (shared) => {
  const { port } = shared.gateway;
  const proxy = createServer((request, response) => {
    const path = request.url?.replace(/^\/data\/gate(?=\/)/, '') ?? '';
    if (path === request.url) {
      response.writeHead(404).end();
      return;
    }
    const { method = 'GET', headers } = request;
    request.pipe(
      httpRequest({ port, host: '127.0.0.1', path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/data/gate/`;
  try {
    await inTab(
      shared,
      link(`select count(*) as n from ${MANY}`),
      async (tab) => {
        await status(tab, /^1 row/);
        assert.equal(await cells(tab), [[String(MANY_ROWS)]]);
        assert.match(await tab.page.locator('#live-url').inputValue(), `${base}api/v1/query?`);
        await tab.page.locator('#table-list a', { hasText: TOKENS }).click();
        await tab.page.getByRole('heading', { name: TOKENS }).waitFor();
      },
      { base },
    );
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

test.run();
