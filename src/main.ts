#!/usr/bin/env node
// The process: command line, signals and exit codes. stdout is for results, stderr for talk. What a command
// does stands elsewhere.
import { readBuildInfo } from './base/build-info.ts';
import { OperatorError } from './base/errors.ts';
import type { Observe } from './base/observe.ts';
import { widenYoungSpace } from './base/young-space.ts';
import { hint, printConfig, readArguments } from './cli/arguments.ts';
import type { Config } from './cli/config.ts';
import { helpText } from './cli/help.ts';
import type { BackgroundMessage } from './follow/background.ts';
import type { Sink } from './log/sink.ts';

/** Exit code of a command line, a data folder or a port that cannot be used as it is. */
const UNUSABLE = 2;

// What a command needs is loaded when it is asked for: the front must not load DuckDB, and an import comes often.
type Command = (args: readonly string[]) => Promise<number>;

const COMMANDS = new Map<string, Command>([
  ['serve', serve],
  ['import', async (args) => (await import('./ingest/command.ts')).importCommand(args)],
  ['follow', follow],
  ['publish', publish],
  ['pull', pull],
  ['snapshots', async (args) => (await import('./snapshot/list-command.ts')).snapshotsCommand(args)],
  ['rollback', async (args) => (await import('./snapshot/rollback-command.ts')).rollbackCommand(args)],
  ['--help', help],
  ['--help=all', () => help(['all'])],
  ['-h', help],
  ['help', help],
  ['--version', version],
]);

const NAMES = 'serve, follow, import, publish, pull, snapshots, rollback, --help or --version';

function print(text: string): void {
  process.stdout.write(text);
}

async function help(args: readonly string[]): Promise<number> {
  print(helpText(args[0] === 'all'));
  return 0;
}

async function version(): Promise<number> {
  print(`${readBuildInfo().binary_version}\n`);
  return 0;
}

async function serve(args: readonly string[]): Promise<number> {
  const reading = readArguments(args, process.env, ['--print-config', '--help', '--help=all']);
  if (reading.flags.has('--help=all')) return help(['all']);
  if (reading.flags.has('--help')) return help([]);
  if (reading.flags.has('--print-config')) {
    print(printConfig(reading));
    return 0;
  }
  const { config } = reading;
  const { observe, sink } = await startLog(config, reading.warnings);
  const stopped = untilStopped();
  widenYoungSpace();
  const starting =
    config.fronts === 1
      ? import('./app.ts').then(({ startGateway }) => startGateway(config, observe))
      : import('./fronts/supervisor.ts').then(({ startSupervisor }) =>
          startSupervisor(config, observe, sink.write),
        );
  // It may wait for its first snapshot for long.
  const gateway = await Promise.race([starting, stopped]);
  if (gateway === undefined) return 0;
  process.on('SIGHUP', gateway.look);
  print(`listening on ${gateway.address}${config.basePath}\n`);
  await stopped;
  await gateway.close();
  return 0;
}

async function follow(args: readonly string[]): Promise<number> {
  const [source, ...options] = args;
  if (source === '--help') return help([]);
  if (source === undefined || source === '' || source.startsWith('--'))
    throw new OperatorError('follow: a SOURCE is missing; see: tablegate --help');
  const { config, warnings } = readArguments([...options, `--follow=${source}`], process.env);
  const { observe } = await startLog(config, warnings);
  const stopped = untilStopped();
  // Gateways on the folder are told by the folder itself; there is nothing to be woken for.
  process.on('SIGHUP', () => {});
  const { startFollower } = await import('./follow/follower.ts');
  const { checkStores, startPublishing } = await import('./follow/stores.ts');
  checkStores(config);
  const publisher = startPublishing(config, observe);
  const follower = startFollower(config, observe);
  await stopped;
  await follower.close();
  await publisher?.close();
  return 0;
}

async function publish(args: readonly string[]): Promise<number> {
  const { places, options } = placesOf(args, ['--data', '--publish']);
  const reading = readArguments([...options, ...places], process.env, ['--watch']);
  const watch = reading.flags.has('--watch');
  const { publishCommand } = await import('./publish/command.ts');
  return publishCommand({
    ...(await attach(reading.config, reading.warnings)),
    ...{ config: reading.config, watch, out: process.stdout, err: process.stderr },
  });
}

async function pull(args: readonly string[]): Promise<number> {
  const { places, options } = placesOf(args, ['--pull']);
  const { config, warnings } = readArguments([...options, ...places], process.env);
  const { pullCommand } = await import('./pull/command.ts');
  return pullCommand({ ...(await attach(config, warnings)), config });
}

/** The words before the first option are values of these, in order. */
function placesOf(
  args: readonly string[],
  names: readonly string[],
): { readonly places: readonly string[]; readonly options: readonly string[] } {
  const end = args.findIndex((arg) => arg.startsWith('--'));
  const words = end < 0 ? args : args.slice(0, end);
  return {
    places: words.slice(0, names.length).map((word, i) => `${names[i]}=${word}`),
    options: [...words.slice(names.length), ...args.slice(words.length)],
  };
}

/** To the process that this one is the background of, or else to the terminal; and when it is to end. */
async function attach(
  config: Config,
  warnings: readonly string[],
): Promise<{ observe: Observe; onStandBy: (is: boolean) => void; signal: AbortSignal }> {
  const stop = new AbortController();
  untilStopped().then(() => stop.abort());
  process.on('SIGHUP', () => {});
  const send = process.send?.bind(process);
  if (send === undefined) {
    const { observe } = await startLog(config, warnings);
    return { observe, onStandBy: () => {}, signal: stop.signal };
  }
  // Whoever started it is gone: nobody would ever end it.
  process.on('disconnect', () => stop.abort());
  const tell = (message: BackgroundMessage): void => {
    if (process.connected) send(message, undefined, {}, () => {});
  };
  return {
    observe: (event) => tell({ kind: 'seen', event }),
    onStandBy: (is) => tell({ kind: 'stands-by', is }),
    signal: stop.signal,
  };
}

async function startLog(
  config: Config,
  warnings: readonly string[],
): Promise<{ readonly observe: Observe; readonly sink: Sink }> {
  const [{ createWriter }, { createLog }, { createSink }] = await Promise.all([
    import('./log/lines.ts'),
    import('./log/log.ts'),
    import('./log/sink.ts'),
  ]);
  const sink = createSink();
  process.on('exit', sink.flush);
  const observe = createLog(
    { level: config.logLevel, requestShare: config.logRequests },
    createWriter(config.logFormat, sink),
  );
  watchBugs(observe);
  for (const text of warnings) observe({ type: 'note', level: 'warn', text });
  return { observe, sink };
}

/** The first signal asks to stop; a second one does not wait for what still runs. */
function untilStopped(): Promise<undefined> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(1);
      asked = true;
      resolve(undefined);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}

/** A promise that nobody waited for must not end the service of everybody else. */
function watchBugs(observe: Observe): void {
  process.on('unhandledRejection', (error) => observe({ type: 'bug', requestId: 'none', error }));
}

async function main(): Promise<number> {
  const [name, ...args] = process.argv.slice(2);
  const command = COMMANDS.get(name ?? '');
  // A reader that leaves early (`| head`) is not an error of ours.
  process.stdout.on('error', () => {});
  try {
    if (command !== undefined) return await command(args);
    if (name === undefined) throw new OperatorError(`a command is missing: ${NAMES}`);
    throw new OperatorError(`unknown command ${JSON.stringify(name)}${hint(name, COMMANDS) || `: ${NAMES}`}`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`tablegate: ${error.message}\n`);
    return UNUSABLE;
  }
}

process.exit(await main());
