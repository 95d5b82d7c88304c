// What charts draw, and the pictures that are saved of them: the numbers without a browser, the rest in a real one.
import { readFileSync } from 'node:fs';
import type { Download } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chartData, secondsOf, stackedValues } from '../../src/console/chart-data.ts';
import {
  areWhole,
  evenTicks,
  labelPlaces,
  linearRange,
  logRange,
  logTicks,
  placeRange,
} from '../../src/console/chart-scale.ts';
import {
  DAY,
  numberText,
  plainName,
  timeSpace,
  timeText,
  wholeTimeText,
} from '../../src/console/chart-text.ts';
import type { Cell } from '../../src/console/lossless-json.ts';
import type { Result } from '../../src/console/result.ts';
import { browserSuite, PAYLOAD, type Tab } from '../support/browser.ts';
import { inLong } from '../support/ring.ts';
import { CHAIN } from '../support/tables.ts';
import { inTab, link, type Shared, showAs, startShared, status, stopShared, until } from './tabs.ts';

const plain = suite('console/charts, numbers');
const test = browserSuite<Shared>('console/charts');
const longTest = inLong(test);

test.before((context) => startShared(context));
test.after(stopShared);

const LARGEST = 2 ** 63;
const number = (value: number): Cell => ({ number: String(value) });
const sales: Result = {
  columns: ['day', 'shop', 'sold'],
  rows: [
    ['2024-01-01', 'a', number(1)],
    ['2024-01-01', 'b', number(2)],
    ['2024-01-02', 'a', number(4)],
    ['2024-01-02', 'a', number(8)],
    ['2024-01-03', null, number(-3)],
  ],
  cut: false,
};

plain('a colour for each value of a column: at one place values are added, and it is said', () => {
  const bars = chartData(sales, { kind: 'bar', x: 0, ys: [2], colour: 1 });
  assert.equal(bars.labels, ['2024-01-01', '2024-01-02', '2024-01-03']);
  assert.equal(bars.names, ['a', 'b', 'NULL']);
  assert.equal(bars.series, [
    [1, 12, null],
    [2, null, null],
    [null, null, -3],
  ]);
  assert.is(bars.added, 1);
  assert.equal(stackedValues(bars.series), [
    [1, 12, null],
    [3, null, null],
    [null, null, -3],
  ]);
  const points = chartData(sales, { kind: 'scatter', x: 0, ys: [2], colour: 1 });
  assert.is(points.added, 0);
  assert.equal(points.series[0], [1, undefined, 4, 8, undefined]);
  const many = {
    ...sales,
    rows: Array.from({ length: 30 }, (_, i) => ['2024-01-01', `shop ${i % 9}`, number(1)]),
  };
  const { names, series } = chartData(many, { kind: 'bar', x: 0, ys: [2], colour: 1 });
  assert.is(names.length, 6);
  assert.is(names.at(-1), 'all others');
  assert.is(
    series.reduce((sum, values) => sum + (values[0] ?? 0), 0),
    30,
  );
});

plain('a logarithmic scale has no place for 0 and less, and it is said', () => {
  const { series, unplaced } = chartData(sales, { kind: 'line', x: 0, ys: [2], log: true });
  assert.equal(series, [[1, 2, 4, 8, null]]);
  assert.is(unplaced, 1);
});

plain('scales have borders and ticks for whatever a column holds', () => {
  assert.equal(logTicks(0.9, 1200), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]);
  assert.equal(logTicks(98, 106), [98, 99, 100, 101, 102, 103, 104, 105, 106]);
  for (const [low, high] of [
    [1e-300, 1e300],
    [7, 7],
    [1, 2],
    [101, 103],
    [1e-9, 9.3e18],
    [999, 1e5],
  ] as const)
    for (const isBar of [true, false]) {
      const [min, max] = logRange(isBar, low, high);
      const ticks = logTicks(min, max);
      const said = JSON.stringify({ low, high, isBar, min, max, ticks });
      assert.ok(min > 0 && min < low && max > high && max < Number.MAX_VALUE, said);
      // A bar of the least value has a length.
      if (isBar) assert.ok(min <= low / 2, said);
      assert.ok(ticks.length >= 2 && ticks.length <= 12, said);
      assert.ok(
        ticks.every((tick, i) => tick >= min && tick <= max && tick > (ticks[i - 1] ?? 0)),
        said,
      );
    }
  assert.equal(logRange(true, null, null), [1, 10]);
  assert.equal(linearRange(true, 0, 0), [0, 1]);
  assert.equal(linearRange(true, 0, null), [0, 1.06]);
  for (const [low, high] of [
    [-1e300, 1e300],
    [LARGEST - 1, LARGEST],
    [0, 0],
  ] as const) {
    const [min, max] = linearRange(false, low, high);
    assert.ok(min < low && max > high && Number.isFinite(max - min), `${min} ${max}`);
    const ticks = evenTicks(min, max);
    assert.ok(ticks.length >= 4 && ticks.length <= 10, `${ticks}`);
  }
  assert.equal(placeRange(1), [-2, 2]);
  assert.equal(placeRange(12), [-0.5, 11.5]);
  assert.is(labelPlaces(Array(12).fill('LAX'), 900).length, 12);
  assert.is(labelPlaces(Array(400).fill('LAX'), 900).length, 25);
  assert.ok(areWhole([1, null, undefined, -7]));
  assert.not(areWhole([1, 0.5]));
});

plain('a value that no scale has a place for is counted, and not drawn', () => {
  const huge = {
    ...sales,
    rows: [1e308, -1e308, 1e-310, 5].map((value) => ['2024-01-01', 'a', number(value)]),
  };
  const drawn = chartData(huge, { kind: 'bar', x: 0, ys: [2] });
  assert.equal(drawn.series, [[null, null, 1e-310, 5]]);
  assert.is(drawn.beyond, 2);
  const log = chartData(huge, { kind: 'line', x: 0, ys: [2], log: true });
  assert.equal(log.series, [[null, null, null, 5]]);
  assert.is(log.unplaced, 1);
  assert.is(log.beyond, 2);
  const across = chartData(huge, { kind: 'scatter', x: 2, ys: [2] });
  assert.equal(across.xs, [1e-310, 5]);
});

plain('numbers have one form, times are ISO 8601 in UTC, names stay on one line', () => {
  assert.equal([0, 1234.5, 0.1 + 0.2, -1e6, 9.22e18, 1e-9, 123_456_789_012].map(numberText), [
    '0',
    '1,234.5',
    '0.3',
    '-1,000,000',
    '9.22e18',
    '1e-9',
    '123,456,789,012',
  ]);
  const noon = secondsOf('2024-02-29 12:30');
  assert.is(noon, Date.UTC(2024, 1, 29, 12, 30) / 1000);
  assert.is(secondsOf('2024-02-29T12:30:00+02:00'), noon - 7200);
  assert.is(secondsOf('2024-02-29'), noon - 45_000);
  assert.equal(
    [400 * DAY, 31 * DAY, DAY, 3600, 1].map((step) => timeText(noon, step)),
    ['2024', '2024-02', '2024-02-29', '2024-02-29 12:30', '2024-02-29 12:30:00'],
  );
  assert.equal([400 * DAY, 60 * DAY, 3600].map(timeSpace), [62, 84, 126]);
  assert.is(wholeTimeText(noon), '2024-02-29 12:30');
  assert.is(wholeTimeText(secondsOf('2024-02-29')), '2024-02-29');
  assert.is(plainName('a\n\u202eb\u0000c', 10), 'a b c');
  assert.is(plainName('🚀'.repeat(20), 5), '🚀🚀🚀🚀…');
});

const HOSTILE = `"><script>${PAYLOAD}('svg')</script><image href=x onerror=${PAYLOAD}(1) /> & \u202e]]>`;

async function saved(tab: Tab, kind: 'PNG' | 'SVG'): Promise<Buffer> {
  const { page } = tab;
  const waiting: Promise<Download> = page.waitForEvent('download');
  await page.getByText('Save picture').click();
  await page.getByRole('button', { name: kind, exact: true }).click();
  return readFileSync(await (await waiting).path());
}

/** Names of a document's elements, read where no policy forbids it. */
async function elementsOf({ page }: Tab, svg: string): Promise<readonly string[]> {
  const blank = await page.context().newPage();
  const names = await blank.evaluate(
    `[...new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').querySelectorAll('*')].map(({ localName }) => localName)`,
  );
  await blank.close();
  return names as readonly string[];
}

test('a chart is saved as SVG and as PNG, and hostile names are texts in it', async (shared) => {
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const name = `"${HOSTILE.replaceAll('"', '""')}"`;
  const statement = `select day, kind || ${quoted(HOSTILE)} as k, count(*) as ${name} from many_${CHAIN}_3 where id < 500 group by 1, 2 order by 1`;
  await inTab(
    shared,
    link(statement, '&view=chart'),
    async (tab) => {
      const { page } = tab;
      await page.locator('.chart canvas').waitFor();
      const choice = (label: string) => page.locator('.chart-choices label', { hasText: label });
      for (const kind of ['line', 'scatter', 'bar']) {
        await choice('Chart').locator('select').selectOption(kind);
        await choice('Colour').locator('select').selectOption('1');
        await choice('Log scale').locator('input').check();
        const svg = (await saved(tab, 'SVG')).toString();
        assert.match(svg, /^<svg xmlns=/);
        assert.not.match(svg, /<script|<image|\u202e/);
        assert.match(svg, '&lt;script&gt;');
        // It is XML, and has nothing but shapes and texts.
        const names = await elementsOf(tab, svg);
        assert.is(names[0], 'svg');
        assert.equal(
          names.filter((each) => !/^(svg|title|rect|line|text|clipPath|g|circle|path)$/.test(each)),
          [],
        );
        assert.match(
          svg,
          kind === 'line' ? /<path d="M/ : kind === 'scatter' ? /<circle cx=/ : /<g fill="rgb[^>]*><rect/,
        );
        assert.match(svg, '>2024-');
      }
      await choice('Stacked').locator('input').check();
      assert.is(await choice('Log scale').locator('input').isChecked(), false);
      const png = await saved(tab, 'PNG');
      assert.is(png.subarray(1, 4).toString('latin1'), 'PNG');
      assert.ok(png.length > 5_000, `${png.length} bytes`);
      await tab.picture('stacked');
      await showAs(tab, 'Table');
      await status(tab, 'rows');
    },
    { acceptDownloads: true },
  );
});

longTest('the axis of days has ISO dates, and a hint says how to zoom', async (shared) => {
  await inTab(
    shared,
    link(`select day, count(*) as n from many_${CHAIN}_3 group by day order by day`, '&view=chart'),
    async (tab) => {
      await tab.page.locator('.chart canvas').waitFor();
      await tab.page.getByText('Drag across the chart to zoom in').waitFor();
      const svg = (await saved(tab, 'SVG')).toString();
      assert.match(svg, />2024-\d\d<\/text>/);
      assert.match(svg, '>day</text>');
      await tab.page.locator('.u-over').hover({ position: { x: 300, y: 100 } });
      await until(
        tab,
        "/^2024-\\d\\d-\\d\\d$/.test(document.querySelector('.u-legend .u-value').textContent)",
      );
    },
    { acceptDownloads: true },
  );
});

test('points upon each other are darker than one alone, and charts of huge values are whole', async (shared) => {
  const pile = `select case when id = 1 then 2 else 1 end as across, 7 as up from many_${CHAIN}_3 where id <= 700`;
  await inTab(shared, link(pile, '&view=chart'), async (tab) => {
    const { page } = tab;
    await page.locator('.chart canvas').waitFor();
    await page
      .locator('.chart-choices label', { hasText: 'Chart' })
      .locator('select')
      .selectOption('scatter');
    // As dark as the series' own colour, in the light theme: #4f46e5.
    await until(
      tab,
      `(() => {
        const canvas = document.querySelector('.chart canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let dark = 0;
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] > 245 && Math.abs(data[i] - 0x4f) < 9 && Math.abs(data[i + 1] - 0x46) < 9 && Math.abs(data[i + 2] - 0xe5) < 9) dark++;
        return dark > 10;
      })()`,
    );
  });
  const huge = [1e308, -1e308, 1e-300, 5]
    .map((value, i) => `select ${i} as id, ${value} as v`)
    .join(' union all ');
  await inTab(
    shared,
    link(huge, '&view=chart'),
    async (tab) => {
      const { page } = tab;
      await page.getByText('2 values of a size that has no place on any scale.').waitFor();
      for (const kind of ['bar', 'scatter', 'line']) {
        await page.locator('.chart-choices label', { hasText: 'Chart' }).locator('select').selectOption(kind);
        for (const log of [false, true]) {
          await page
            .locator('.chart-choices label', { hasText: 'Log scale' })
            .locator('input')
            .setChecked(log);
          const svg = (await saved(tab, 'SVG')).toString();
          assert.not.match(svg, /NaN|Infinity/);
          // The axis of values has numbers.
          assert.ok((svg.match(/text-anchor="end"/g) ?? []).length >= 3, svg.slice(0, 2000));
        }
      }
    },
    { acceptDownloads: true },
  );
});

plain.run();
test.run();
