// Calls whenever a data folder may have another snapshot: told by the system where it tells, and by looking every
// so often where it does not (network volumes, folders that are replaced). Reads nothing itself.
import { type FSWatcher, watch } from 'node:fs';
import { snapshotsFolder } from './folder.ts';
import { PINNED, PULLED } from './hold.ts';

export interface FolderWatch {
  /** Now, or at the end of the look that is under way. */
  look(): void;
  /** Waits for the look that is under way. */
  close(): Promise<void>;
}

/** A rename tells of two names, a copy of many writes. */
const SETTLE_MS = 20;

/** @param onLook one at a time; must not reject */
export function watchFolder(dir: string, everyMs: number, onLook: () => Promise<void>): FolderWatch {
  let watcher: FSWatcher | undefined;
  let looking: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let settle: NodeJS.Timeout | undefined;

  const look = (): void => {
    if (closed) return;
    if (looking !== undefined) {
      again = true;
      return;
    }
    looking = onLook().finally(() => {
      looking = undefined;
      if (!again) return;
      again = false;
      look();
    });
  };
  const rewatch = (): void => {
    if (watcher !== undefined) return;
    try {
      watcher = watch(snapshotsFolder(dir), { persistent: false }, (_event, name) => {
        // What is being built changes all the time and is nobody's business.
        if (name?.startsWith('.') === true && name !== PINNED && name !== PULLED) return;
        clearTimeout(settle);
        settle = setTimeout(look, SETTLE_MS);
      });
      const gone = (): void => {
        watcher?.close();
        watcher = undefined;
      };
      watcher.on('error', gone);
    } catch {
      // No such folder yet, or a system that tells nothing: looking goes on.
    }
  };
  rewatch();
  const timer = setInterval(() => {
    rewatch();
    look();
  }, everyMs);
  timer.unref();
  return {
    look,
    async close() {
      closed = true;
      clearInterval(timer);
      clearTimeout(settle);
      watcher?.close();
      await looking;
    },
  };
}
