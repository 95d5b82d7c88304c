// Memory that a process has for itself. Pages of files that it maps are not among it: the system drops them where it needs room.
import { readFileSync } from 'node:fs';

function anonymousBytes(): number | undefined {
  try {
    const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return kib === undefined ? undefined : Number(kib) * 1024;
  } catch {
    // Only Linux tells.
    return undefined;
  }
}

/** Whether {@link ownMemoryBytes} leaves out the pages of mapped files. */
export const TELLS_MAPPED_APART = anonymousBytes() !== undefined;

/** Resident memory of this process; without the pages of mapped files, its program's as well, where the system tells them apart. */
export function ownMemoryBytes(): number {
  return anonymousBytes() ?? process.memoryUsage.rss();
}
