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

/** SQLite goes through an index the wrong way round: it sorts nothing, and gives rows as it finds them. */
export class Backwards extends NotNative {
  constructor() {
    super('row order of a loop that goes backwards');
  }
}

/** With this the emitted SQL ends by itself at a value for which it is not exact: SQLite runs the statement then. */
export const ELSEWHERE = 'tablegate: elsewhere';
/** The same at rows whose order is not known. */
export const TIED = 'tablegate: tied';
