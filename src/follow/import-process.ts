// Imports for a follower, one after the other: what starts Node.js and loads and compiles this program is half of an import
// of one changed row. It ends when it is let go, or when its own memory is more than a new process costs.
import { OperatorError } from '../base/errors.ts';
import { importCommand } from '../ingest/command.ts';

/** Of `tablegate import`. */
export type ImportOrder = readonly string[];

/** What it says to whoever started it: that it has the order, then how the import ended. */
export type ImportMessage = 'begun' | ImportResult;

export interface ImportResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The process ends now. */
  readonly ends: boolean;
}

/** An import that needs DuckDB is beyond it: its memory is given back by the end of the process. */
const MOST_BYTES = 160 * 1024 * 1024;
const UNUSABLE = 2;

let importing = false;

async function run(args: ImportOrder): Promise<ImportResult> {
  let out = '';
  let err = '';
  const write = {
    out: { write: (text: string) => (out += text) },
    err: { write: (text: string) => (err += text) },
  };
  let code = UNUSABLE;
  try {
    code = await importCommand(args, process.env, write);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    err += `tablegate: ${error.message}\n`;
  }
  return { code, out, err, ends: process.memoryUsage.rss() > MOST_BYTES };
}

process.on('message', (args) => {
  importing = true;
  process.send?.('begun' satisfies ImportMessage, undefined, {}, () => {});
  run(args as ImportOrder).then(
    (result) => {
      importing = false;
      // Whoever asked may be gone.
      if (!process.connected) process.exit(0);
      process.send?.(result, undefined, {}, () => {
        if (result.ends) process.exit(0);
      });
    },
    // As any program's: its words are the last of its stderr.
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () =>
        process.exit(1),
      );
    },
  );
});
process.on('disconnect', () => {
  if (!importing) process.exit(0);
});
