// Imports for a follower, one after the other: what starts Node.js and loads and compiles this program is half of an import
// of one changed row. It ends when it is let go, and by itself when it has something that only its end gives back.
import { createRequire } from 'node:module';
import { OperatorError } from '../base/errors.ts';
import { lowerPriority } from '../base/priority.ts';
import { importCommand } from '../ingest/command.ts';

/** Arguments of `tablegate import`. */
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

/** A new one has some 60 MB. */
const MOST_BYTES = 160 * 1024 * 1024;
const UNUSABLE = 2;
/**
 * Where requests fill the cores, imports leave them to the requests. Less than scans do, which may take all cores for long: with
 * two commits a second a change is then served after 0.3 s (median; 0.9 s at most) as with 0, and with 10 after 0.4 s (1.1 s).
 */
const NICE = 5;

let importing = false;

async function run(args: ImportOrder): Promise<ImportResult> {
  let out = '';
  let err = '';
  const write = {
    out: {
      write: (text: string) => {
        out += text;
      },
    },
    err: {
      write: (text: string) => {
        err += text;
      },
    },
  };
  let code = UNUSABLE;
  try {
    code = await importCommand(args, process.env, write);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    err += `tablegate: ${error.message}\n`;
  }
  // One that failed may have left a file open, as on a disk that is full.
  return { code, out, err, ends: code !== 0 || hasDuckDB() || process.memoryUsage.rss() > MOST_BYTES };
}

/** The next import reckons with the memory of a process without it. */
function hasDuckDB(): boolean {
  return Object.keys(createRequire(import.meta.url).cache).some((path) => path.endsWith('duckdb.node'));
}

function onOrder(args: unknown): void {
  importing = true;
  process.send?.('begun' satisfies ImportMessage, undefined, {}, () => {});
  run(args as ImportOrder).then(
    (result) => {
      importing = false;
      // Whoever asked may be gone.
      if (!process.connected) process.exit(0);
      process.send?.(result satisfies ImportMessage, undefined, {}, () => {
        if (result.ends) process.exit(0);
      });
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`, () =>
        process.exit(1),
      );
    },
  );
}

lowerPriority(NICE);
process.on('message', onOrder);
process.on('disconnect', () => {
  if (!importing) process.exit(0);
});
