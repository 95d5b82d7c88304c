// What an operator sees while an import runs: a bar on a terminal, plain lines elsewhere.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress, grouped, progressText } from '../../src/ingest/progress.ts';

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
  progress.expect(1_000_000);
  progress.stage('flights_1_2');
  for (; now < 11_000; now += 50) progress.rows(2_500);
  progress.note('warning: something');
  progress.stop();
  assert.equal(written, [
    ' 25%  252,500 rows  50,500 rows/s  15 s left  flights_1_2\n',
    ' 50%  502,500 rows  50,250 rows/s  10 s left  flights_1_2\n',
    'warning: something\n',
  ]);
});

test('on a terminal one line is drawn over and over, fits its width, and is gone at the end', () => {
  let now = 0;
  const { output, written } = recorder(true, 60);
  const progress = createProgress(output, () => now);
  progress.expect(4_000);
  for (; now < 1_000; now += 50) progress.rows(100);
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

test('more rows than expected, none expected and no time gone are no trouble', () => {
  assert.is(progressText('t', 0, 0, 0, false), '  0%  0 rows  0 rows/s  t');
  assert.match(
    progressText('t', 50, 100, 10, true),
    /^\[#{12}-{12}\] {3}50% {2}50 rows {2}5 rows\/s {2}10 s left {2}t$/,
  );
  assert.match(progressText('t', 1, 1_000, 1, false), /16 min 39 s left/);
  assert.is(grouped(1_234_567.8), '1,234,568');
  assert.is(grouped(12), '12');
});

test.run();
