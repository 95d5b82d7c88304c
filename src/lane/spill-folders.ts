// Folders that the scan lane makes in the data folder for a tenth of a second, until its files are open: what a process
// that was ended just then has left is removed.
import { mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SPILL_PREFIX } from '../wire/protocol.ts';

/** Another gateway may be about to open its own there. */
const LEFT_MS = 60_000;

/** What cannot be removed stays: it is in nobody's way. */
export function removeLeftSpill(data: string): void {
  try {
    // By the clock of the file system, which may be another machine's.
    const own = mkdtempSync(join(data, SPILL_PREFIX));
    const now = statSync(own).mtimeMs;
    rmdirSync(own);
    for (const name of readdirSync(data)) {
      const folder = join(data, name);
      if (name.startsWith(SPILL_PREFIX) && now - statSync(folder).mtimeMs >= LEFT_MS)
        rmSync(folder, { recursive: true, force: true });
    }
  } catch {}
}
