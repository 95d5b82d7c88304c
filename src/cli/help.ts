// The text of `--help`: the commands, and the settings in groups. The short one is a screenful with those that most
// people need; `--help=all` has every one. A setting that is in no group here does not compile.
import { optionName, valueText } from './arguments.ts';
import { SETTINGS, type SettingName } from './config.ts';

const COMMANDS = `tablegate COMMAND

  serve [OPTIONS]                                serve the newest snapshot of the data folder over HTTP
  serve --follow SOURCE [--every 2s]             import SOURCE again whenever it changes, and serve what is new
  serve --print-config [OPTIONS]                 every setting with value and origin, then exit
  follow SOURCE [--every 2s] [--data DIR]        the same without serving: for gateways that watch the data folder
  import SOURCE [--data DIR] [--update]          make a snapshot of a validator's database (database.db, *.db.zst) or
                                                 of a folder of files
  import FILE --table PREFIX_CHAIN_ID            add or replace a table from Parquet, CSV, JSON or NDJSON; with
                                                 --from-table NAME from any SQLite database
  serve --pull SOURCE [--pull-every 2s]          serve what is published to a folder, http(s):// or s3://
  publish DATA TARGET [--watch] [--lake DIR]     publish the current snapshot there, for gateways that pull
  snapshots [--data DIR] [--json]                which snapshots there are, and which is current
  rollback ID|latest [--data DIR]                go back to an earlier snapshot, or on to the latest one
  --version                                      the version of this build
`;

const GROUPS = {
  data: 'Data',
  http: 'Addresses',
  clients: 'Clients',
  answers: 'Limits of a statement and its answer',
  engines: 'Engines',
  operation: 'Log and metrics',
} as const;

type Group = keyof typeof GROUPS;

/** Those that begin with `+` are in the short help, too. */
const PLACES: { readonly [N in SettingName]: Group | `+${Group}` } = {
  data: '+data',
  follow: '+data',
  every: 'data',
  pull: 'data',
  pullEvery: 'data',
  pullKey: 'data',
  publish: 'data',
  publishKeep: 'data',
  publishKey: 'data',
  publishStandby: 'data',
  activeIn: 'data',
  lake: 'data',
  lakeUser: 'data',
  lakeGrace: 'data',
  storeAuthorization: 'data',
  watchEvery: 'data',
  keepSnapshots: 'data',
  columnarRows: 'data',
  indexRows: 'data',
  indexColumns: 'data',
  importMemory: 'data',
  chains: 'data',
  host: '+http',
  port: '+http',
  fronts: 'http',
  basePath: 'http',
  externalUriPrefix: '+http',
  animationRendererUri: 'http',
  metadataRendererUri: 'http',
  console: '+http',
  maxConnections: 'http',
  maxBodyBytes: 'http',
  compressBytes: 'http',
  streamBytes: 'http',
  stallMs: 'http',
  unreadBytes: 'http',
  drainMs: 'http',
  rateLimit: '+clients',
  rateBurst: 'clients',
  rateClients: 'clients',
  rateEngineMs: 'clients',
  apiKeys: '+clients',
  trustProxy: '+clients',
  maxWaitMs: 'clients',
  maxWaiting: 'clients',
  deadlineMs: '+answers',
  maxStatementBytes: 'answers',
  maxResultRows: '+answers',
  maxResultBytes: '+answers',
  resultCacheBytes: 'answers',
  singleFlight: 'answers',
  planShapes: 'answers',
  engine: 'engines',
  inline: 'engines',
  rowLanes: 'engines',
  rowVisits: 'engines',
  rowMemoryBytes: 'engines',
  longLanes: 'engines',
  longMemoryBytes: 'engines',
  spareLanes: 'engines',
  scanWarm: 'engines',
  scanApart: 'engines',
  trino: 'engines',
  trinoUser: 'engines',
  trinoStatements: 'engines',
  trinoOverflow: 'engines',
  scanWorkers: 'engines',
  scanThreads: 'engines',
  scanMemoryBytes: '+engines',
  scanSmallBytes: 'engines',
  spillBytes: 'engines',
  scanNice: 'engines',
  maxQueue: 'engines',
  laneSpareBytes: 'engines',
  logFormat: 'operation',
  logLevel: '+operation',
  logRequests: 'operation',
  metricsPort: '+operation',
  metricsHost: 'operation',
};

const PLACEHOLDERS: Readonly<Record<string, string>> = { '': 'VALUE', ms: 'TIME', bytes: 'SIZE' };
const OPTION_WIDTH = 29;

/** @param all every setting with its whole help, instead of a screenful */
export function helpText(all: boolean): string {
  const groups = (Object.keys(GROUPS) as Group[]).map((group) => {
    const names = (Object.keys(PLACES) as SettingName[]).filter((name) =>
      (all ? [group, `+${group}`] : [`+${group}`]).includes(PLACES[name]),
    );
    return `${GROUPS[group]}\n${names.map(all ? wholeLines : shortLine).join('')}`;
  });
  return (
    `${COMMANDS}\nEach option is also an environment variable: --rate-limit is TABLEGATE_RATE_LIMIT. ` +
    `TIME is such as 500ms or 10s, SIZE\nsuch as 35kB or 1GiB. ` +
    `${all ? 'docs/SETTINGS.md has them as a table.\n\n' : '--help=all has all options.\n\n'}` +
    groups.join(all ? '\n' : '')
  );
}

function optionOf(name: SettingName): string {
  return `${optionName(name)} ${PLACEHOLDERS[SETTINGS[name].unit] ?? 'N'}`;
}

function defaultOf(name: SettingName): string {
  const text = valueText(name, SETTINGS[name].default);
  return text === '' ? '' : ` Default ${text}.`;
}

/** Its first clause. */
function shortLine(name: SettingName): string {
  const clause = /^.*?(?=[;:.](?: |$))/.exec(SETTINGS[name].help)?.[0] ?? '';
  return `  ${optionOf(name).padEnd(OPTION_WIDTH)} ${clause}.${defaultOf(name)}\n`;
}

function wholeLines(name: SettingName): string {
  return `  ${optionOf(name)}\n      ${SETTINGS[name].help}${defaultOf(name)}\n`;
}
