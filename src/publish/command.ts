// `tablegate publish DATA TARGET`: the current snapshot once; with --watch, each that becomes current.
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { OperatorError } from '../base/errors.ts';
import type { Observe } from '../base/observe.ts';
import { LAKE_PASSWORD } from '../base/passwords.ts';
import type { Config } from '../cli/config.ts';
import { createLake, type Lake } from '../lake/lake.ts';
import { SHORT_MS } from '../lake/statements.ts';
import { currentSnapshot } from '../snapshot/folder.ts';
import { openStore } from '../store/open-store.ts';
import { readPublishKey } from '../store/signature.ts';
import { type Store, StoreError } from '../store/store.ts';
import { checkTrinoPassword } from '../trino/address.ts';
import { READING_S } from '../wire/remote.ts';
import { createPublisher, type Published, type Publisher } from './publish.ts';
import { watchAndPublish } from './watch.ts';

export interface PublishCommand {
  readonly config: Config;
  readonly watch: boolean;
  readonly observe: Observe;
  readonly onStandBy: (is: boolean) => void;
  readonly signal: AbortSignal;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

/** @returns the exit code: 1 where nothing could be published @throws OperatorError */
export async function publishCommand(options: PublishCommand): Promise<number> {
  const { config, watch, observe, onStandBy, signal } = options;
  if (config.publish === '') throw new OperatorError('publish: a TARGET is missing; see: tablegate --help');
  const store = await openStore(config.publish, config.storeAuthorization);
  const publisher = createPublisher({
    ...{ store, data: config.data, signal, publisher: publisherName(config.data) },
    keep: config.publishKeep,
    activeInMs: config.activeIn,
    key: readPublishKey(config.publishKey),
    lake: lakeOf(options),
  });
  if (!watch) return publishOnce(options, store, publisher);
  await watchAndPublish({
    ...{ store, publisher, observe, onStandBy, signal, data: config.data },
    everyMs: config.watchEvery,
    standbyMs: config.publishStandby,
  });
  return 0;
}

/** Who publishes once has all that the lake needs in view, and may end it. */
const ONCE_MS = 300_000;

/** @throws OperatorError */
function lakeOf({ config, watch, err, signal }: PublishCommand): Lake | undefined {
  const { lake, lakeUser, lakeGrace, trino, importMemory, deadlineMs } = config;
  if (lake === '') return undefined;
  if (trino === '')
    throw new OperatorError('--lake needs the address of Trino, which has its tables: --trino');
  const least = deadlineMs + READING_S * 1000;
  if (lakeGrace < least)
    throw new OperatorError(
      `--lake-grace is ${lakeGrace / 1000} s, and a statement may read the tables of a snapshot for ${least / 1000} s: --deadline-ms of ${deadlineMs}, and ${READING_S} s for its reader; give at least ${Math.ceil(least / 1000)}s`,
    );
  checkTrinoPassword(trino, LAKE_PASSWORD, process.env);
  return createLake({
    folder: resolve(lake),
    to: { url: trino, user: lakeUser, password: process.env[LAKE_PASSWORD] ?? '' },
    graceMs: lakeGrace,
    memoryBytes: importMemory,
    withinMs: watch ? SHORT_MS : ONCE_MS,
    onSlow: watch ? undefined : (text) => err.write(`${text}\n`),
    signal,
  });
}

async function publishOnce(
  { config, out, err, signal }: PublishCommand,
  store: Store,
  publisher: Publisher,
): Promise<number> {
  const began = performance.now();
  try {
    const done = await publisher.publish(await currentSnapshot(config.data));
    if (done.warning !== undefined) err.write(`warning: ${done.warning}\n`);
    if (done.outcome === 'taken') {
      err.write(`tablegate: another publisher was quicker in ${store.name}: ${done.id} is not published\n`);
      return 1;
    }
    out.write(`${resultLine(done, store, (performance.now() - began) / 1000)}\n`);
    return 0;
  } catch (caught) {
    const error = signal.aborted ? new StoreError('interrupted; nothing was published') : caught;
    if (!(error instanceof StoreError)) throw error;
    err.write(`tablegate: ${error.message}\n`);
    return 1;
  }
}

function resultLine(
  { outcome, id, sentParts, sentBytes, bytes, lakeTables = 0 }: Published,
  store: Store,
  seconds: number,
): string {
  if (outcome === 'current') return `unchanged: ${id} is current in ${store.name}`;
  const [sent, all] = [sentBytes, bytes].map((each) => each.toLocaleString('en-US'));
  const inLake =
    lakeTables === 0 ? '' : `, ${lakeTables} ${lakeTables === 1 ? 'table' : 'tables'} in the lake`;
  return `published ${id} to ${store.name}: ${sentParts} parts, ${sent} of ${all} bytes${inLake}, ${seconds.toFixed(1)} seconds`;
}

/** The same for every process that publishes this data folder: one that was started anew is no other publisher. */
function publisherName(data: string): string {
  const place = createHash('sha256').update(resolve(data)).digest('hex').slice(0, 8);
  return `${hostname().slice(0, 100)}-${place}`;
}
