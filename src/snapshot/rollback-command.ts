// `tablegate rollback ID`: makes an earlier snapshot the current one, which stays so, whoever adds newer ones, until
// `tablegate rollback latest`. Nothing is removed.
import { OperatorError } from '../base/errors.ts';
import { readArguments } from '../cli/arguments.ts';
import {
  checkSnapshot,
  listSnapshots,
  type SnapshotFile,
  servedSnapshot,
  snapshotsFolder,
} from './folder.ts';
import { pinnedSnapshot, pinSnapshot, unpinSnapshot } from './hold.ts';

const LATEST = 'latest';

export async function rollbackCommand(
  args: readonly string[],
  out: { write(text: string): unknown } = process.stdout,
): Promise<number> {
  const [wanted, ...options] = args;
  if (wanted === undefined || wanted === '' || wanted.startsWith('--'))
    throw new OperatorError(
      'rollback: an ID is missing, or latest; tablegate snapshots lists those that there are',
    );
  const { config } = readArguments(options, process.env);
  out.write(`${await (wanted === LATEST ? goForward(config.data) : goBack(config.data, wanted))}\n`);
  return 0;
}

async function goBack(dir: string, wanted: string): Promise<string> {
  const { id } = await findSnapshot(dir, wanted);
  const folder = snapshotsFolder(dir);
  const before = await pinnedSnapshot(folder);
  await pinSnapshot(folder, id);
  // Checked when it is pinned: from now on no import removes it.
  try {
    await checkSnapshot(await findSnapshot(dir, id));
  } catch (error) {
    await (before === undefined ? unpinSnapshot(folder) : pinSnapshot(folder, before));
    throw error;
  }
  return `current: ${id}, and it stays until: tablegate rollback ${LATEST}`;
}

async function goForward(dir: string): Promise<string> {
  await unpinSnapshot(snapshotsFolder(dir));
  const served = await servedSnapshot(dir);
  if (served === undefined) throw new OperatorError(`there is no snapshot in ${dir}`);
  return `current: ${served.id}, and from now on the latest`;
}

/** @param wanted an id, or what it alone begins with */
async function findSnapshot(dir: string, wanted: string): Promise<SnapshotFile> {
  const all = await listSnapshots(dir);
  const [found, ...others] = all.filter(({ id }) => id.startsWith(wanted));
  if (found !== undefined && others.length === 0) return found;
  const why = found === undefined ? 'there is no snapshot' : 'several snapshots begin with';
  const there = all.length === 0 ? 'there are none' : `there are ${all.map(({ id }) => id).join(', ')}`;
  throw new OperatorError(`${why} ${JSON.stringify(wanted)} in ${dir}: ${there}`);
}
