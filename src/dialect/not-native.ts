// What the dialect throws where DuckDB has no words that mean exactly the same: SQLite runs the statement then.

export class NotNative extends Error {
  /** What it was, for the log and `Server-Timing`: `function printf`, `real as text`. */
  readonly what: string;
  constructor(what: string) {
    super(`no native form: ${what}`);
    this.name = 'NotNative';
    this.what = what;
  }
}

/** With this the emitted SQL ends by itself at a value for which it is not exact: SQLite runs the statement then. */
export const ELSEWHERE = 'tablegate: elsewhere';
