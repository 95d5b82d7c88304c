// Memory that a process has for itself: the system drops pages of files that it maps, its program among them, where it needs
// room.
import { openSync, readSync } from 'node:fs';

/** The file has some 1,500. */
const STATUS_BYTES = 8 * 1024;
/** Opened once: to open it for each look costs five times as much as to read it. Undefined: there is none. */
const status = opened('/proc/self/status');
const buffer = Buffer.alloc(STATUS_BYTES);
let last: number | undefined;

function opened(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

function anonymousBytes(): number | undefined {
  if (status === undefined) return undefined;
  try {
    const text = buffer.toString('latin1', 0, readSync(status, buffer, 0, STATUS_BYTES, 0));
    const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(text) ?? [];
    if (kib !== undefined) last = Number(kib) * 1024;
  } catch {
    // What was said before is nearer than a number that means something else.
  }
  return last;
}

/** Whether {@link ownMemoryBytes} leaves out the pages of mapped files. Only Linux tells. */
export const TELLS_MAPPED_APART = anonymousBytes() !== undefined;

/** Resident memory of this process, without the pages of mapped files where the system tells them apart. */
export function ownMemoryBytes(): number {
  return anonymousBytes() ?? process.memoryUsage.rss();
}
