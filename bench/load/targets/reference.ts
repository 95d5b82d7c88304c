// The reference validator on a copy of the bench's database.
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { referenceBinary, startReference } from '../../../test/support/reference.ts';
import { family } from '../../processes.ts';
import type { Target } from './target.ts';

export function hasReference(): boolean {
  return referenceBinary() !== undefined;
}

/** The shell that guards the reference and the reference itself, known by their folder. */
function pidsOf(folder: string): number[] {
  return family(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}

const open = new Set<Target>();

export async function startReferenceTarget(database: string): Promise<Target> {
  const reference = await startReference();
  try {
    await reference.halt();
    for (const suffix of ['-wal', '-shm']) rmSync(`${reference.databasePath}${suffix}`, { force: true });
    copyFileSync(database, reference.databasePath);
    await reference.reseed(() => {});
  } catch (error) {
    await reference.stop();
    throw error;
  }
  const target: Target = {
    name: 'reference',
    base: reference.url,
    pids: pidsOf(reference.folder),
    async stop() {
      open.delete(target);
      await reference.stop();
    },
  };
  open.add(target);
  return target;
}

/** For the end of a bench that is interrupted: the reference is not among its own children by name. */
export async function stopReferences(): Promise<void> {
  await Promise.all([...open].map((target) => target.stop()));
}
