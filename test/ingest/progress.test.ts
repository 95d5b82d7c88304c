// What an operator sees while an import runs: a bar on a terminal, plain lines elsewhere.
import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importCommand } from '../../src/ingest/command.ts';
import { createProgress, grouped, progressText } from '../../src/ingest/progress.ts';
import { scratch } from './support.ts';

const test = suite('progress');

function recorder(
  isTTY: boolean,
  columns = 80,
): { output: Parameters<typeof createProgress>[0]; written: string[] } {
  const written: string[] = [];
  return { output: { isTTY, columns, write: (text) => written.push(text) }, written };
}

test('elsewhere a plain line is written every five seconds and notes at once', () => {
  let now = 0;
  const { output, written } = recorder(false);
  const progress = createProgress(output, () => now);
  progress.expect(1_000);
  const read = progress.part(500);
  const write = progress.part(500);
  progress.stage('flights_1_2');
  for (; now < 5_500; now += 50) read(now / 5_000);
  for (; now < 11_000; now += 50) {
    write((now - 5_500) / 10_000);
    progress.rows(2_500);
  }
  progress.note('warning: something');
  progress.stop();
  assert.equal(written, [
    ' 49%  0 rows  6 s left  flights_1_2\n',
    ' 72%  225,000 rows  22,500 rows/s  4 s left  flights_1_2\n',
    'warning: something\n',
  ]);
});

test('a part never goes back, is done once, and an unknown share of it is none', () => {
  let now = 0;
  const { output, written } = recorder(false);
  const progress = createProgress(output, () => now);
  progress.expect(100);
  const part = progress.part(60);
  for (const share of [-0.01, 0.5, 0.2, Number.NaN, 7, 1]) {
    now += 5_000;
    part(share);
  }
  assert.equal(
    written.map((line) => line.trim().split(' ')[0]),
    ['0%', '30%', '30%', '30%', '60%', '60%'],
  );
});

test('on a terminal one line is drawn over and over, fits its width, and is gone at the end', () => {
  let now = 0;
  const { output, written } = recorder(true, 60);
  const progress = createProgress(output, () => now);
  progress.expect(4_000);
  const part = progress.part(4_000);
  for (; now < 1_000; now += 50) part(now / 2_000);
  progress.note('a note');
  progress.rows(100);
  progress.stop();
  const esc = '\u001b';
  assert.ok(written.length >= 9, `${written.length}`);
  for (const text of written.filter((line) => line.includes('%'))) {
    assert.ok(text.startsWith(`\r${esc}[2K[`), text);
    assert.ok(text.length <= 60 + 5 && !text.includes('\n'), text);
  }
  const note = written.indexOf('a note\n');
  assert.is(written[note - 1], `\r${esc}[2K`, 'the bar makes room for a note');
  assert.is(written.at(-1), `\r${esc}[2K`);
});

test('the bar of a file moves: it is announced by its bytes, and each step says how far it is', async () => {
  const files = scratch();
  const path = files.path('f.csv');
  const lines = Array.from({ length: 150_000 }, (_, i) => `${i},text number ${i},${i / 8}`);
  writeFileSync(path, `id,t,x\n${lines.join('\n')}\n`);
  let drawn = '';
  const err = { isTTY: true, columns: 80, write: (text: string) => (drawn += text) };
  try {
    const args = [path, '--table', 'f_1_1', '--data', files.path('data')];
    assert.is(await importCommand(args, {}, { out: { write: () => undefined }, err }), 0, drawn);
  } finally {
    files.remove();
  }
  const shares = [...drawn.matchAll(/\] +(\d+)%/g)].map(([, share]) => Number(share));
  assert.ok(new Set(shares.filter((share) => share > 0 && share < 100)).size > 1, shares.join());
  assert.equal(
    shares,
    shares.toSorted((a, b) => a - b),
  );
});

test('nothing done, no time gone and all done are no trouble', () => {
  assert.is(progressText('t', 0, 0, 0, false), '  0%  0 rows  t');
  assert.match(
    progressText('t', 50, 0.5, 10, true),
    /^\[#{12}-{12}\] {3}50% {2}50 rows {2}5 rows\/s {2}10 s left {2}t$/,
  );
  assert.match(progressText('t', 1, 0.1, 111, false), /16 min 39 s left/);
  assert.is(progressText('t', 5, 1, 1, false), '100%  5 rows  5 rows/s  t');
  assert.is(grouped(1_234_567.8), '1,234,568');
  assert.is(grouped(12), '12');
});

test.run();
