// Where the log's lines go: stderr, gathered, so that a line of a request costs no system call. What is not
// about a request is written at once, and all that is left when the process ends.
import { writeSync } from 'node:fs';

export interface Sink {
  write(line: string): void;
  /** Writes what was gathered, at once. */
  flush(): void;
}

const STDERR = 2;
const GATHER_BYTES = 8 * 1024;
/** A line waits at most this long for others. */
const FLUSH_MS = 200;
/** Where nobody reads stderr, lines beyond this are dropped: a lost line is better than a stopped gateway. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** @param put writes what it can and tells how many bytes; throws as `fs.writeSync` does */
export function createSink(put: (bytes: Buffer) => number = (bytes) => writeSync(STDERR, bytes)): Sink {
  let lines = '';
  /** What a full pipe did not take. */
  let left: Buffer | undefined;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const fresh = Buffer.from(lines);
    lines = '';
    let bytes = left === undefined ? fresh : Buffer.concat([left, fresh]);
    left = undefined;
    try {
      while (bytes.byteLength > 0) bytes = bytes.subarray(put(bytes));
    } catch (error) {
      const full = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      // EPIPE: its reader has gone, and so have the lines.
      if (full && bytes.byteLength <= MAX_WAITING_BYTES) left = bytes;
    }
  };
  return {
    write(line) {
      lines += line;
      if (lines.length >= GATHER_BYTES) flush();
      else timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    flush,
  };
}
