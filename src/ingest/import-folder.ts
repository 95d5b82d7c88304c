// A folder of files, one table each by its name -> tables of a new snapshot; only the files that changed where the
// snapshot before says what it has.
import { basename } from 'node:path';
import { readSource, type Source, type TableFile } from '../source/source.ts';
import { ImportError } from './failure.ts';
import { goneTables, type ImportJob } from './import-database.ts';
import { importFile } from './import-file.ts';

type Folder = Extract<Source, { kind: 'folder' }>;

/** Where nothing changed no snapshot is opened. @throws ImportError */
export async function importFolder(job: ImportJob, folder: Folder): Promise<void> {
  const { known, progress } = job;
  checkNames(folder);
  const settled = folder.files.filter(({ fresh }) => !fresh);
  const todo = settled.filter(({ table, mark }) => known?.sources.get(table.name)?.layout !== layout(mark));
  // A file that is being written anew keeps its table as it is until then.
  const gone = goneTables(
    known,
    folder.files.map(({ table }) => table.name),
  );
  if (known !== undefined && todo.length === 0 && gone.length === 0) return;
  if (settled.length === 0)
    throw new ImportError(
      folder.files.length > 0
        ? `${folder.path}: its files are still being written`
        : `${folder.path} has no file named PREFIX_CHAIN_ID with the ending .parquet, .csv, .tsv, .json, .ndjson or .jsonl`,
    );
  for (const name of folder.misnamed)
    progress.note(`warning: ${name} is not named PREFIX_CHAIN_ID; left out`);
  const builder = await job.open(known === undefined ? 'nothing' : 'current');
  for (const name of gone) await builder.dropTable(name);
  const { signal } = job;
  for (const { path, table, mark } of todo) {
    await importFile({ source: path, builder, progress, signal }, table);
    builder.records.set(table.name, { layout: layout(mark), kinds: [], leaves: Buffer.alloc(0) });
  }
  await checkUnchanged(folder.path, todo);
  await job.finish(builder);
}

const layout = (mark: string): string => `file ${mark}`;

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
