// A row of the table of settings.

export interface Setting<T> {
  readonly default: T;
  /** Unit of the value, for the docs; '' where it has none. */
  readonly unit: string;
  readonly help: string;
  /** Throws an Error whose message says what is accepted, to follow "must be". */
  readonly parse: (text: string) => T;
  /** Never shown by `--print-config`. */
  readonly secret: boolean;
}

export const setting = <T>(
  fallback: T,
  unit: string,
  help: string,
  parse: (text: string) => T,
  secret = false,
): Setting<T> => ({ default: fallback, unit, help, parse, secret });
