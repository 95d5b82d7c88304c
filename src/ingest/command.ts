// `tablegate import`: reads its arguments, ties signals to the import, and says how it ended.
import { parseArgs } from 'node:util';
import { OperatorError } from '../base/errors.ts';
import { TRINO_PASSWORD } from '../base/passwords.ts';
import { hint, optionName, readArguments } from '../cli/arguments.ts';
import { type Config, SETTINGS } from '../cli/config.ts';
import { snapshotsFolder } from '../snapshot/folder.ts';
import { pinnedSnapshot } from '../snapshot/hold.ts';
import { parseTableName } from '../source/table-file.ts';
import { checkTrinoPassword } from '../trino/address.ts';
import { ImportError } from './failure.ts';
import { importSource } from './import.ts';
import type { RemoteSource } from './import-remote.ts';
import { createProgress, type ProgressOutput } from './progress.ts';
import { summaryText } from './summary.ts';

const HELP = `tablegate import SOURCE [--data DIR] [--update] [--replace]
  makes a snapshot of a validator's SQLite database (database.db, running or not, or a backup *.db.zst):
  every registered table, the registry and the system tables; or of a folder of files PREFIX_CHAIN_ID.parquet,
  .csv, .tsv, .json, .ndjson, each a table

tablegate import FILE --table PREFIX_CHAIN_ID [--data DIR] [--replace]
  adds or replaces one table from a .parquet, .csv, .tsv, .json or .ndjson file (docs/IMPORT.md)

tablegate import DATABASE --from-table NAME --table PREFIX_CHAIN_ID [--data DIR] [--replace]
  the same with a table of any SQLite database

tablegate import --remote CATALOG.SCHEMA.TABLE --table PREFIX_CHAIN_ID [--rowid COLUMN] [--data DIR] [--replace]
  adds or replaces a table whose rows stay in Trino (TABLEGATE_TRINO, docs/SCALING.md); again whenever it changed there

  --data DIR    folder with the snapshots; default data, or TABLEGATE_DATA
  --update      import only what changed since the current snapshot, and nothing where nothing did
  --replace     remove served tables that the source does not have, or that have the id of one that comes in
  --table NAME  name of the table, such as flights_31337_4: its id is the last number
  --rowid COLUMN  unique column of whole numbers by which rows come where ORDER BY leaves it open
  --columnar-rows N  rows from which a table is kept for scans, too (docs/SETTINGS.md)
  --import-memory SIZE  memory that the import may use, such as 512MiB (docs/SETTINGS.md)
  --help        this text

Exit code 0: published; 1: failed, and the snapshot before goes on being served; 2: bad usage.
`;

export interface CommandOutput {
  readonly out: { write(text: string): unknown };
  readonly err: ProgressOutput;
}

/** @throws OperatorError where the command line is wrong; @returns the exit code */
export async function importCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  output: CommandOutput = { out: process.stdout, err: process.stderr },
): Promise<number> {
  const usage = readUsage(args);
  if (usage === 'help') {
    output.out.write(HELP);
    return 0;
  }
  const table = usage.table === undefined ? undefined : parseTableName(usage.table);
  if (usage.table !== undefined && table === undefined)
    throw new OperatorError(
      `--table ${JSON.stringify(usage.table)} is no table name; it must be PREFIX_CHAIN_ID such as flights_31337_4`,
    );
  const { config } = readArguments([], env);
  const data = usage.data ?? config.data;
  const abort = new AbortController();
  const stop = (signal: NodeJS.Signals): void => abort.abort(new ImportError(`interrupted by ${signal}`));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const started = performance.now();
  try {
    const progress = createProgress(output.err, () => performance.now());
    const { source, fromTable, update, replace } = usage;
    const remote =
      usage.remote === undefined ? undefined : remoteSource(usage.remote, usage.rowid, config, env);
    const keep = config.keepSnapshots;
    const columnarRows = usage.columnarRows ?? config.columnarRows;
    const summary = await importSource({
      ...{ source, data, table, fromTable, remote, update, replace, keep, columnarRows, progress },
      memoryBytes: usage.importMemory ?? config.importMemory,
      indexRows: config.indexRows,
      indexColumns: config.indexColumns,
      signal: abort.signal,
    });
    output.out.write(summaryText(summary, (performance.now() - started) / 1000, update));
    const pinned = await pinnedSnapshot(snapshotsFolder(data));
    if (summary.snapshot !== undefined && pinned !== undefined)
      output.err.write(
        `snapshot ${pinned} is served on, as somebody went back to it: tablegate rollback latest\n`,
      );
    return 0;
  } catch (error) {
    if (!(error instanceof ImportError || error instanceof OperatorError)) throw error;
    output.err.write(`tablegate: ${error.message}\n`);
    return 1;
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  }
}

/** @throws OperatorError */
function remoteSource(
  name: string,
  rowid: string | undefined,
  { trino, trinoUser }: Pick<Config, 'trino' | 'trinoUser'>,
  env: Readonly<Record<string, string | undefined>>,
): RemoteSource {
  const [catalog, schema, table, ...more] = name.split('.');
  if (!catalog || !schema || !table || more.length > 0)
    throw new OperatorError(`--remote ${JSON.stringify(name)} must be CATALOG.SCHEMA.TABLE`);
  if (trino === '') throw new OperatorError('--remote needs the address of Trino, in TABLEGATE_TRINO');
  checkTrinoPassword(trino, TRINO_PASSWORD, env);
  const to = { url: trino, user: trinoUser, password: env[TRINO_PASSWORD] ?? '' };
  return { to, relation: { catalog, schema, table }, rowid };
}

interface Usage {
  readonly source: string;
  readonly data: string | undefined;
  readonly table: string | undefined;
  readonly fromTable: string | undefined;
  readonly remote: string | undefined;
  readonly rowid: string | undefined;
  readonly update: boolean;
  readonly replace: boolean;
  readonly columnarRows: number | undefined;
  readonly importMemory: number | undefined;
}

function parseSetting(name: 'columnarRows' | 'importMemory', text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return SETTINGS[name].parse(text);
  } catch (error) {
    throw new Error(`${optionName(name)} must be ${(error as Error).message}`);
  }
}

const OPTIONS = {
  data: { type: 'string' },
  table: { type: 'string' },
  'from-table': { type: 'string' },
  remote: { type: 'string' },
  rowid: { type: 'string' },
  update: { type: 'boolean' },
  replace: { type: 'boolean' },
  'columnar-rows': { type: 'string' },
  'import-memory': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Node's own words of it are of arguments that begin with a dash. */
function unknownOption(error: Error): string | undefined {
  const [, option = ''] = /^Unknown option '([^']*)'/.exec(error.message) ?? [];
  const known = new Map(Object.keys(OPTIONS).map((name) => [`--${name}`, name]));
  return option === '' ? undefined : `unknown option ${option}${hint(option, known)}`;
}

function readUsage(args: readonly string[]): Usage | 'help' {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: OPTIONS,
    });
    if (values.help === true) return 'help';
    const [source, ...more] = values.remote === undefined ? positionals : [values.remote, ...positionals];
    if (source === undefined || source === '') throw new Error('a SOURCE is missing');
    if (more.length > 0) throw new Error(`unexpected argument ${JSON.stringify(more[0])}`);
    if (values.data === '') throw new Error('--data is empty');
    if (values.table !== undefined && values.update === true)
      throw new Error('--update is of a whole source, not of one table');
    if (values['from-table'] !== undefined && values.table === undefined)
      throw new Error('--from-table needs --table PREFIX_CHAIN_ID, the name that it gets here');
    if (values.remote !== undefined && values.table === undefined)
      throw new Error('--remote needs --table PREFIX_CHAIN_ID, the name that it gets here');
    if (values.remote !== undefined && values['from-table'] !== undefined)
      throw new Error('--from-table is of a SQLite database, not of --remote');
    if (values.rowid !== undefined && values.remote === undefined) throw new Error('--rowid is of --remote');
    return {
      source,
      data: values.data,
      table: values.table,
      fromTable: values['from-table'],
      remote: values.remote,
      rowid: values.rowid,
      update: values.update === true,
      replace: values.replace === true,
      columnarRows: parseSetting('columnarRows', values['columnar-rows']),
      importMemory: parseSetting('importMemory', values['import-memory']),
    };
  } catch (error) {
    const { message } = error as Error;
    throw new OperatorError(
      `import: ${unknownOption(error as Error) ?? message}; see: tablegate import --help`,
    );
  }
}
