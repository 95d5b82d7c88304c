// A folder of files, one table each by its name -> tables of a new snapshot; only the files that changed where the
// snapshot before says what it has.
import { basename } from 'node:path';
import { readSource, type Source, type TableFile } from '../source/source.ts';
import { ImportError } from './failure.ts';
import type { ImportJob } from './import-database.ts';
import { importFile } from './import-file.ts';

type Folder = Extract<Source, { kind: 'folder' }>;

/** Where nothing changed no snapshot is opened. @throws ImportError */
export async function importFolder(job: ImportJob, folder: Folder): Promise<void> {
  const { known, progress } = job;
  checkNames(folder);
  const settled = folder.files.filter(({ fresh }) => !fresh);
  const todo = settled.filter(({ table, mark }) => known?.sources.get(table.name)?.layout !== layout(mark));
  if (known === undefined) checkSome(folder, settled);
  // A file that is being written anew keeps its table as it is until then.
  const coming = known === undefined ? settled : folder.files;
  const gone = job.leaving(coming.map(({ table }) => table));
  if (known !== undefined && todo.length === 0 && gone.length === 0) return;
  checkSome(folder, settled);
  for (const name of folder.misnamed)
    progress.note(`warning: ${name} is not named PREFIX_CHAIN_ID; left out`);
  const builder = await job.open(known === undefined ? 'nothing' : 'current');
  if (known !== undefined) for (const name of gone) await builder.dropTable(name);
  const { signal } = job;
  for (const { bytes } of todo) progress.expect(bytes);
  for (const { path, table, mark } of todo) {
    await importFile({ source: path, builder, progress, signal }, table);
    builder.records.set(table.name, { layout: layout(mark), kinds: [], leaves: Buffer.alloc(0) });
  }
  await checkUnchanged(folder.path, todo);
  await job.finish(builder);
}

const layout = (mark: string): string => `file ${mark}`;

/** @throws ImportError where no file can be read */
function checkSome({ path, files }: Folder, settled: readonly TableFile[]): void {
  if (settled.length > 0) return;
  throw new ImportError(
    files.length > 0
      ? `${path}: its files are still being written`
      : `${path} has no file named PREFIX_CHAIN_ID with the ending .parquet, .csv, .tsv, .json, .ndjson or .jsonl`,
  );
}

/** @throws ImportError where two files are of one table */
function checkNames({ path, files }: Folder): void {
  const seen = new Map<string, TableFile>();
  for (const file of files) {
    const { chainId, tableId } = file.table;
    const key = `${chainId} ${tableId}`;
    const other = seen.get(key);
    if (other !== undefined)
      throw new ImportError(
        `${path}: ${basename(other.path)} and ${basename(file.path)} are both table ${tableId} of chain ${chainId}; remove one`,
      );
    seen.set(key, file);
  }
}

async function checkUnchanged(path: string, read: readonly TableFile[]): Promise<void> {
  const now = await readSource(path);
  const marks = new Map(now.kind === 'folder' ? now.files.map((file) => [file.path, file.mark]) : []);
  const changed = read.find((file) => marks.get(file.path) !== file.mark);
  if (changed !== undefined)
    throw new ImportError(`${changed.path} was changed while it was read; try again`);
}
