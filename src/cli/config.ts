// The one table of settings: name, default, unit, help and parser. It gives the type, the options, the
// TABLEGATE_* variables, `--help`, `--print-config` and the docs' table. arguments.ts reads them.
import { autoFronts, readMachine } from '../base/machine.ts';
import { LEVELS, type Level } from '../base/observe.ts';
import {
  basePath,
  bytes,
  chainIds,
  columnNames,
  duration,
  GIB,
  headerValue,
  MIB,
  oneOf,
  portOrOff,
  proxies,
  renderer,
  share,
  storeAddress,
  text,
  url,
  wholeNumber,
  wholeNumberOrAuto,
  words,
} from './value.ts';

interface Setting<T> {
  readonly default: T;
  /** Unit of the value, for the docs; '' where it has none. */
  readonly unit: string;
  readonly help: string;
  /** Throws an Error whose message says what is accepted, to follow "must be". */
  readonly parse: (text: string) => T;
  /** Never shown by `--print-config`. */
  readonly secret: boolean;
}

const setting = <T>(
  fallback: T,
  unit: string,
  help: string,
  parse: (text: string) => T,
  secret = false,
): Setting<T> => ({ default: fallback, unit, help, parse, secret });

const machine = readMachine();
const { processors: cores, memoryBytes: memory } = machine;
export const SETTINGS = {
  data: setting('data', '', 'Folder with the snapshots.', text),
  follow: setting(
    '',
    '',
    'Source that is imported again whenever it changes: a database.db, a backup, or a folder of files; empty: none.',
    text,
  ),
  every: setting(2_000, 'ms', 'How often the source is looked at.', duration(50, 86_400_000)),
  pull: setting(
    '',
    '',
    'Store that snapshots are pulled from as they are published there: a folder, http(s)://HOST/PATH or s3://BUCKET/PREFIX; empty: none.',
    storeAddress,
  ),
  pullEvery: setting(2_000, 'ms', 'How often the store is asked for what is new.', duration(50, 86_400_000)),
  pullKey: setting(
    '',
    '',
    'Ed25519 public key that must have signed what is pulled, as PEM or a file with it; empty: none is asked for.',
    text,
  ),
  publish: setting(
    '',
    '',
    'Store that the current snapshot is published to whenever it changes: as in pull; empty: none.',
    storeAddress,
  ),
  publishKeep: setting(
    3,
    'snapshots',
    'Snapshots that a publisher leaves in its store, the current one included.',
    wholeNumber(1, 1_000),
  ),
  publishKey: setting(
    '',
    '',
    'Ed25519 private key that signs what is published, as PEM or a file with it; empty: it is not signed.',
    text,
    true,
  ),
  publishStandby: setting(
    60_000,
    'ms',
    'A publisher beside another one takes over when that has published nothing for so long.',
    duration(100, 86_400_000),
  ),
  activeIn: setting(
    0,
    'ms',
    'From the publishing of a snapshot to the moment at which all replicas turn to it; 0: each when it has it.',
    duration(0, 600_000),
  ),
  storeAuthorization: setting(
    '',
    '',
    'Authorization header for http(s):// stores, such as Basic or Bearer with what follows.',
    headerValue,
    true,
  ),
  watchEvery: setting(
    1_000,
    'ms',
    'How often the data folder is looked at for a new snapshot, besides what the system tells of it.',
    duration(50, 86_400_000),
  ),
  keepSnapshots: setting(
    3,
    'snapshots',
    'Snapshots that an import leaves in the data folder, its own included; those in use stay too.',
    wholeNumber(1, 10_000),
  ),
  columnarRows: setting(
    10_000,
    'rows',
    'Rows from which an import keeps a table for scans, too: in DuckDB beside SQLite.',
    wholeNumber(0, 1e15),
  ),
  indexRows: setting(
    0,
    'rows',
    'Tables of at most so many rows get an index for each column that can be a key; rows without ORDER BY may come in another order then. 0 is off.',
    wholeNumber(0, 1e15),
  ),
  indexColumns: setting<readonly string[]>(
    [],
    '',
    'Columns that an import indexes however large their table is, as TABLE.COLUMN; rows without ORDER BY may come in another order then.',
    columnNames,
  ),
  importMemory: setting(
    Math.round(Math.min((memory * 3) / 4, Math.max(384 * MIB, Math.min(memory / 4, 2 * GIB)))),
    'bytes',
    'Memory that an import may use; more of it is quicker with large files.',
    bytes(256e6, 1e13),
  ),
  host: setting('127.0.0.1', '', 'Address to listen on.', text),
  port: setting(8080, '', 'Port to listen on; 0 picks a free one and prints it.', wholeNumber(0, 65535)),
  fronts: setting(
    autoFronts(machine),
    'processes',
    'Processes that answer HTTP on the port, behind them the same lanes and one supervisor; 1: one process for all of it; auto: the default.',
    wholeNumberOrAuto(1, 64, autoFronts(machine)),
  ),
  basePath: setting('/api/v1', '', 'Path in front of every operation.', basePath),
  externalUriPrefix: setting(
    '',
    '',
    'Public address of this gateway, for links in table metadata; default http://HOST:PORT.',
    url,
  ),
  animationRendererUri: setting(
    '',
    '',
    'Address of an HTML renderer of tables; empty: this gateway; none: no animation_url.',
    renderer,
  ),
  metadataRendererUri: setting(
    '',
    '',
    "Address of an image renderer of tables; empty: this gateway; none: the network's default image.",
    renderer,
  ),
  console: setting('on', '', 'The page for people at /: on or off.', oneOf('on', 'off')),
  chains: setting(
    [] as readonly string[],
    '',
    'Chain ids that are served, besides those of the snapshot.',
    chainIds,
  ),
  rateLimit: setting(
    10,
    'requests/s',
    'Requests a second that one client may go on sending; 0 is off.',
    wholeNumber(0, 1e9),
  ),
  rateBurst: setting(100, 'requests', 'Requests that a rested client may send at once.', wholeNumber(1, 1e9)),
  rateClients: setting(100_000, 'clients', 'Clients whose bucket is remembered.', wholeNumber(1, 1e7)),
  rateEngineMs: setting(
    0,
    'ms',
    'Engine time that costs a client as much as one request; 0 counts requests alone.',
    duration(0, 3_600_000),
  ),
  apiKeys: setting(
    [] as readonly string[],
    '',
    'Api-Key values that are exempt from the rate limit.',
    words,
    true,
  ),
  trustProxy: setting(
    '',
    '',
    'Proxies whose X-Forwarded-For is believed: their count, or their addresses and networks.',
    proxies,
  ),
  maxConnections: setting(
    20_000,
    'connections',
    'Connections at one time, some 10 KB each; more are closed at once.',
    wholeNumber(1, 1e6),
  ),
  deadlineMs: setting(10_000, 'ms', 'Longest run of a statement.', duration(1, 3_600_000)),
  maxStatementBytes: setting(35_000, 'bytes', 'Longest statement.', bytes(1, 1e6)),
  maxBodyBytes: setting(256 * 1024, 'bytes', 'Largest POST body.', bytes(1, 1e9)),
  maxResultRows: setting(5_000_000, 'rows', 'Most rows of an answer.', wholeNumber(1, 1e9)),
  maxResultBytes: setting(GIB, 'bytes', 'Largest answer.', bytes(1, 1e10)),
  engine: setting(
    'auto',
    '',
    'Which engine runs statements: auto chooses for each; rows, scan or long is that one alone, to compare them.',
    oneOf('auto', 'rows', 'scan', 'long'),
  ),
  rowLanes: setting(
    Math.max(1, Math.min(4, Math.floor(cores / 2))),
    'processes',
    'Processes with SQLite that answer statements which visit few rows.',
    wholeNumber(1, 64),
  ),
  inline: setting(
    'on' as const,
    '',
    'Whether the front itself runs statements that are sure to be short, with SQLite: few rows, plain words.',
    oneOf('on', 'off'),
  ),
  rowVisits: setting(
    20_000,
    'rows',
    'A statement that may visit more rows is run by the scan lane, or alone.',
    wholeNumber(1, 1e9),
  ),
  rowMemoryBytes: setting(
    256 * MIB,
    'bytes',
    'Memory that SQLite may use in each row lane.',
    bytes(16 * MIB, 1e13),
  ),
  longLanes: setting(
    Math.max(2, cores),
    'processes',
    'Processes with SQLite that each run one long statement at a time, started when they are needed; one more is only for clients with shorter statements than all that run.',
    wholeNumber(1, 64),
  ),
  longMemoryBytes: setting(
    512 * MIB,
    'bytes',
    'Memory that SQLite may use for one long statement.',
    bytes(16 * MIB, 1e13),
  ),
  scanWarm: setting(
    'on',
    '',
    'Whether the scan lane is started with the gateway where there are large tables (on), or when the first scan comes (off).',
    oneOf('on', 'off'),
  ),
  scanWorkers: setting(
    2,
    'threads',
    'Worker threads of the scan lane: statements that run there at the same time.',
    wholeNumber(1, 64),
  ),
  scanThreads: setting(
    cores,
    'threads',
    'Engine threads of each worker of the scan lane.',
    wholeNumber(1, 256),
  ),
  scanMemoryBytes: setting(
    Math.round(Math.min(memory / 4, 4 * GIB)),
    'bytes',
    'Engine memory of the scan lane, shared out to its workers.',
    bytes(64 * MIB, 1e13),
  ),
  scanSmallBytes: setting(
    128 * MIB,
    'bytes',
    'Of that, at most for small tables, which the scan lane brings over from the row store when it joins them; never more than half.',
    bytes(0, 1e12),
  ),
  scanNice: setting(
    10,
    '',
    'Nice value of the scan lane: it leaves the processor to lookups and the front where all want it; 0 is off.',
    wholeNumber(0, 19),
  ),
  maxQueue: setting(
    1024,
    'statements',
    'Statements that may wait for a worker of a lane; more is 503.',
    wholeNumber(0, 1e6),
  ),
  laneSpareBytes: setting(
    GIB,
    'bytes',
    "Memory that a lane's process may use beyond its engine memory, kept by the operating system where prlimit is installed; 0 is off.",
    bytes(0, 1e13),
  ),
  spareLanes: setting(
    1,
    'processes',
    'Processes for long statements that are started with the gateway, to stand by; at most 2.',
    wholeNumber(0, 2),
  ),
  streamBytes: setting(
    256 * 1024,
    'bytes',
    'A body that passes this is sent in parts as it is made.',
    bytes(1024, 1e9),
  ),
  stallMs: setting(
    30_000,
    'ms',
    'A client that takes nothing of an answer for this long is given up.',
    duration(100, 3_600_000),
  ),
  unreadBytes: setting(
    64 * MIB,
    'bytes',
    'Answers that wait for their readers, of all connections together; beyond it, the client that has most of it loses the one that waits longest.',
    bytes(MIB, 1e13),
  ),
  planShapes: setting(
    2_000,
    'shapes',
    'Statement shapes whose plans are kept, by each worker.',
    wholeNumber(1, 1e6),
  ),
  resultCacheBytes: setting(
    Math.round(Math.min(memory / 16, 256 * MIB)),
    'bytes',
    'Finished answers that are kept, for as long as the tables that they were made of do not change; 0 is off.',
    bytes(0, 1e12),
  ),
  compressBytes: setting(
    8 * 1024,
    'bytes',
    'Smallest body that is compressed where the client asks for it (br, gzip, zstd where Node has it); 0 is off.',
    bytes(0, 1e10),
  ),
  singleFlight: setting(
    'on',
    '',
    'Whether requests for the same rows at the same time share one run: on or off.',
    oneOf('on', 'off'),
  ),
  logFormat: setting('text', '', 'How a line of the log looks: text or json.', oneOf('text', 'json')),
  logLevel: setting<Level>(
    'info',
    '',
    'Quietest events that are logged: error, warn, info or debug (every request).',
    oneOf(...LEVELS),
  ),
  logRequests: setting(
    0,
    '',
    'Share of requests that get a line at level info, from 0 to 1; those that end in a 5xx always get one.',
    share,
  ),
  metricsPort: setting<number | 'off'>(
    'off',
    '',
    'Port of /metrics for Prometheus; 0 picks a free one and logs it; off: none.',
    portOrOff,
  ),
  metricsHost: setting('127.0.0.1', '', 'Address on which /metrics listens.', text),
  maxWaitMs: setting(
    10_000,
    'ms',
    'Longest that a request waits for data as new as its Tablegate-Min-Block or Tablegate-Min-Snapshot asks for, whatever its Prefer says; 0 is off.',
    duration(0, 300_000),
  ),
  maxWaiting: setting(
    500,
    'requests',
    'Requests that may wait so at one time, each holding its connection and its body; of one client a tenth of that. More are answered 503 at once.',
    wholeNumber(0, 1e6),
  ),
  drainMs: setting(15_000, 'ms', 'Longest wait for running requests at shutdown.', duration(0, 3_600_000)),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
export type Config = { readonly [K in SettingName]: ReturnType<Settings[K]['parse']> };
