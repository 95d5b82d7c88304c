// Shows how far an import is: a bar on a terminal, a plain line every few seconds elsewhere. On stderr; stdout is
// for the result.

export interface Progress {
  /** A new stage: a table's name, or a word for what is done. */
  stage(name: string): void;
  /** Work to come in all tables together, in whatever unit its parts are weighed. */
  expect(weight: number): void;
  /** A part of that work. @returns to be told how much of the part is done, from 0 to 1 */
  part(weight: number): (share: number) => void;
  /** Rows that were written. */
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
/** Of less, nobody can say how long the rest takes. */
const LEAST_SHARE = 0.02;
const CLEAR_LINE = '\r\x1b[2K';

/** @param now milliseconds on a clock that does not jump */
export function createProgress(output: ProgressOutput, now: () => number): Progress {
  const bar = output.isTTY === true;
  const started = now();
  let shown = started;
  let stage = '';
  let rows = 0;
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
    const text = progressText(stage, rows, expected > 0 ? Math.min(1, done / expected) : 0, seconds, bar);
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
    expect: (weight) => {
      expected += weight;
    },
    part: (weight) => {
      let before = 0;
      return (share) => {
        // The engine says -1 where it does not know.
        const now = Math.max(before, Math.min(1, Number.isNaN(share) ? 0 : share));
        done += weight * (now - before);
        before = now;
        tick();
      };
    },
    rows: (more) => {
      rows += more;
      tick();
    },
    note: (line) => {
      clear();
      output.write(`${line}\n`);
    },
    stop: clear,
  };
}

/** @param share of the work that is done, from 0 to 1 */
export function progressText(
  stage: string,
  rows: number,
  share: number,
  seconds: number,
  bar: boolean,
): string {
  const filled = Math.round(share * BAR_WIDTH);
  const parts = [
    bar ? `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]` : '',
    `${String(Math.floor(share * 100)).padStart(3)}%`,
    `${grouped(rows)} rows`,
    rows > 0 && seconds > 0 ? `${grouped(rows / seconds)} rows/s` : '',
    share >= LEAST_SHARE && share < 1 ? `${duration((seconds * (1 - share)) / share)} left` : '',
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
