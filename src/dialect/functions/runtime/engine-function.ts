// What a function in JavaScript is to the engine: its name, the kinds it takes and gives, and its rule.
// The worker registers them; see worker/functions.ts.
import type { SqlValue } from './number-text.ts';

export type ArgumentKind = 'integer' | 'real' | 'text' | 'blob' | 'any';

export interface EngineFunction {
  /** Begins with `tg_`, so that it cannot be a name of the engine. */
  readonly name: string;
  readonly args: readonly ArgumentKind[];
  /** Kind of any number of further arguments. */
  readonly rest?: ArgumentKind;
  readonly returns: ArgumentKind | 'boolean';
  /** False: a NULL argument gives NULL without a call. True: NULLs reach `run`. */
  readonly takesNull: boolean;
  /** Rules may throw GatewayError('run-failed'). Values are as SqlValue of the declared kinds. */
  readonly run: (...args: never[]) => SqlValue | boolean;
}

/**
 * Stands before the message of every error that a rule throws, so that the worker can tell it from the
 * engine's own errors in `Invalid Input Error: ...` and give it to the client.
 */
export const ERROR_MARK = 'tablegate: ';
