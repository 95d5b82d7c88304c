// The one table of settings: name, default, unit, help and parser. It gives the type, the options, the
// TABLEGATE_* variables, `--help`, `--print-config` and the docs' table. arguments.ts reads them.
import { isIP } from 'node:net';
import { readMachine } from '../base/machine.ts';
import { LEVELS, type Level } from '../base/observe.ts';

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

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`a whole number from ${min} to ${max}`);
    return value;
  };
const share = (text: string): number => {
  const value = Number(text);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(text) || value > 1) throw new Error('a share from 0 to 1, such as 0.01');
  return value;
};
const portOrOff = (value: string): number | 'off' => {
  if (value === 'off') return value;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new Error('off or a whole number from 0 to 65535');
  return port;
};
const text = (value: string): string => value;
/** @returns bytes; a bare number is that many */
const bytes =
  (min: number, max: number) =>
  (value: string): number => {
    const [, number, unit = ''] = /^(\d{1,15})\s*([KMG]i?B)?$/i.exec(value.trim()) ?? [];
    const bytes = Number(number) * ({ k: 1024, m: MIB, g: 1024 * MIB }[unit.slice(0, 1).toLowerCase()] ?? 1);
    if (number === undefined || bytes < min || bytes > max)
      throw new Error(`bytes, or such as 512MB or 2GB, from ${min} to ${max}`);
    return bytes;
  };
/** @returns milliseconds; a bare number is that many */
const duration =
  (minMs: number, maxMs: number) =>
  (value: string): number => {
    const [, number, unit = 'ms'] = /^(\d{1,12}(?:\.\d{1,3})?)(ms|s|m|h)?$/.exec(value.trim()) ?? [];
    const ms = Math.round(Number(number) * { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit as 'ms']);
    if (number === undefined || ms < minMs || ms > maxMs)
      throw new Error(`a time such as 500ms, 2s or 1m, from ${minMs} ms to ${maxMs} ms`);
    return ms;
  };
const basePath = (value: string): string => {
  if (!/^(\/[A-Za-z0-9._~-]+)*\/?$/.test(value)) throw new Error('a path such as /api/v1');
  return value.replace(/\/+$/, '');
};
const url = (value: string): string => {
  if (value === '') return value;
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new Error('an http or https URL');
  return value.replace(/\/+$/, '');
};
const renderer = (value: string): string => (value === 'none' ? value : url(value));
const words = (value: string): readonly string[] => value.split(/[\s,]+/).filter((word) => word !== '');
const columnNames = (value: string): readonly string[] => {
  const names = words(value);
  if (!names.every((name) => /^[^.]+\.[^.]+$/.test(name)))
    throw new Error('columns as TABLE.COLUMN, such as flights_31337_4.origin');
  return names;
};
const chainIds = (value: string): readonly string[] => {
  const ids = words(value);
  if (!ids.every((id) => /^\d{1,15}$/.test(id))) throw new Error('chain ids such as 1, 31337');
  return ids;
};
const oneOf =
  <T extends string>(...choices: readonly T[]) =>
  (value: string): T => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new Error(`one of ${choices.join(', ')}`);
    return found;
  };
const network = (word: string): boolean => {
  const [address = '', bits, ...rest] = word.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};
const proxies = (value: string): string => {
  const trimmed = value.trim();
  if (/^\d{1,2}$/.test(trimmed) || words(trimmed).every(network)) return trimmed;
  throw new Error('a count of proxies such as 1, or addresses and networks such as 10.0.0.0/8, ::1');
};

const setting = <T>(
  fallback: T,
  unit: string,
  help: string,
  parse: (text: string) => T,
  secret = false,
): Setting<T> => ({ default: fallback, unit, help, parse, secret });

const { processors: cores, memoryBytes: memory } = readMachine();
const MIB = 1024 * 1024;

export const SETTINGS = {
  data: setting('data', '', 'Folder with the snapshots.', text),
  follow: setting(
    '',
    '',
    'Source that is imported again whenever it changes: a database.db, a backup, or a folder of files; empty: none.',
    text,
  ),
  every: setting(2_000, 'ms', 'How often the source is looked at.', duration(50, 86_400_000)),
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
    Math.round(Math.min((memory * 3) / 4, Math.max(384 * MIB, Math.min(memory / 4, 2048 * MIB)))),
    'bytes',
    'Memory that an import may use, as bytes or such as 512MB; more of it is quicker with large files.',
    bytes(256 * MIB, 1e13),
  ),
  host: setting('127.0.0.1', '', 'Address to listen on.', text),
  port: setting(8080, '', 'Port to listen on; 0 picks a free one and prints it.', wholeNumber(0, 65535)),
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
    wholeNumber(0, 3_600_000),
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
  deadlineMs: setting(10_000, 'ms', 'Longest run of a statement.', wholeNumber(1, 3_600_000)),
  maxStatementBytes: setting(35_000, 'bytes', 'Longest statement.', wholeNumber(1, 1e6)),
  maxBodyBytes: setting(256 * 1024, 'bytes', 'Largest POST body.', wholeNumber(1, 1e9)),
  maxResultRows: setting(5_000_000, 'rows', 'Most rows of an answer.', wholeNumber(1, 1e9)),
  maxResultBytes: setting(1024 * MIB, 'bytes', 'Largest answer.', wholeNumber(1, 1e10)),
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
    wholeNumber(16 * MIB, 1e13),
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
    wholeNumber(16 * MIB, 1e13),
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
    Math.round(Math.min(memory / 4, 4096 * MIB)),
    'bytes',
    'Engine memory of the scan lane, shared out to its workers.',
    wholeNumber(64 * MIB, 1e13),
  ),
  scanSmallBytes: setting(
    128 * MIB,
    'bytes',
    'Of that, at most for small tables, which the scan lane brings over from the row store when it joins them; never more than half.',
    wholeNumber(0, 1e12),
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
    1024 * MIB,
    'bytes',
    "Memory that a lane's process may use beyond its engine memory, kept by the operating system where prlimit is installed; 0 is off.",
    wholeNumber(0, 1e13),
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
    wholeNumber(1024, 1e9),
  ),
  stallMs: setting(
    30_000,
    'ms',
    'A client that takes nothing of an answer for this long is given up.',
    wholeNumber(100, 3_600_000),
  ),
  unreadBytes: setting(
    64 * MIB,
    'bytes',
    'Answers that wait for their readers, of all connections together; beyond it, the client that has most of it loses the one that waits longest.',
    wholeNumber(MIB, 1e13),
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
    wholeNumber(0, 1e12),
  ),
  compressBytes: setting(
    8 * 1024,
    'bytes',
    'Smallest body that is compressed where the client asks for it (br, gzip, zstd where Node has it); 0 is off.',
    wholeNumber(0, 1e10),
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
  drainMs: setting(15_000, 'ms', 'Longest wait for running requests at shutdown.', wholeNumber(0, 3_600_000)),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
export type Config = { readonly [K in SettingName]: ReturnType<Settings[K]['parse']> };

/**
 * Settings of the version before this one, and those that took their places; null: none did. They are taken for
 * one version more, with a warning.
 */
export const RETIRED = {
  wideWorkers: 'scanWorkers',
  wideThreads: 'scanThreads',
  wideMemoryBytes: 'scanMemoryBytes',
  wideNice: 'scanNice',
  fastWorkers: null,
  fastMemoryBytes: null,
  gather: null,
  indexBytes: null,
  catalogEntries: null,
} as const satisfies Record<string, SettingName | null>;
