// Shows how far an import is: a bar on a terminal, a plain line every few seconds elsewhere. On stderr; stdout is
// for the result.

export interface Progress {
  /** A new stage: a table's name, or a word for what is done. */
  stage(name: string): void;
  /** Rows to come in all tables together, as far as known. */
  expect(rows: number): void;
  rows(more: number): void;
  /** A line that stays. */
  note(line: string): void;
  /** Ends the bar. */
  stop(): void;
}

export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const BAR_MS = 100;
const LINE_MS = 5_000;
const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\x1b[2K';

/** @param now milliseconds on a clock that does not jump */
export function createProgress(output: ProgressOutput, now: () => number): Progress {
  const bar = output.isTTY === true;
  const started = now();
  let shown = started;
  let stage = '';
  let done = 0;
  let expected = 0;
  let drawn = false;

  const clear = (): void => {
    if (drawn) output.write(CLEAR_LINE);
    drawn = false;
  };
  const show = (): void => {
    shown = now();
    const seconds = (shown - started) / 1000;
    const text = progressText(stage, done, Math.max(expected, done), seconds, bar);
    if (bar) output.write(CLEAR_LINE + text.slice(0, Math.max(20, (output.columns ?? 80) - 1)));
    else output.write(`${text}\n`);
    drawn = bar;
  };
  const tick = (): void => {
    if (now() - shown >= (bar ? BAR_MS : LINE_MS)) show();
  };
  return {
    stage: (name) => {
      stage = name;
      tick();
    },
    expect: (rows) => {
      expected += rows;
    },
    rows: (more) => {
      done += more;
      tick();
    },
    note: (line) => {
      clear();
      output.write(`${line}\n`);
    },
    stop: clear,
  };
}

export function progressText(
  stage: string,
  done: number,
  expected: number,
  seconds: number,
  bar: boolean,
): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const share = expected > 0 ? done / expected : 0;
  const left = rate > 0 ? (expected - done) / rate : 0;
  const filled = Math.round(share * BAR_WIDTH);
  const parts = [
    bar ? `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]` : '',
    `${String(Math.floor(share * 100)).padStart(3)}%`,
    `${grouped(done)} rows`,
    `${grouped(rate)} rows/s`,
    done > 0 && done < expected ? `${duration(left)} left` : '',
    stage,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

/** `1234567` -> `1,234,567`, the same in every locale. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
