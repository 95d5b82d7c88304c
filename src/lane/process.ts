// One lane process as the front sees it: spawned with a socket for its file descriptor 3, frames in and out,
// its end. Decides nothing: whoever owns it says what a death means.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { TRINO_PASSWORD } from '../base/passwords.ts';
import { readFrames } from '../wire/frame-socket.ts';
import { createFrameWriter, type FrameWriter } from '../wire/frame-writer.ts';
import type { Frame } from '../wire/frames.ts';
import type { Failed, LaneProcessSettings, LaneSettings } from '../wire/protocol.ts';
import { type Confinement, confine } from './confine.ts';

export interface LaneProcess {
  readonly pid: number;
  readonly send: FrameWriter['send'];
  readonly json: FrameWriter['json'];
  /** SIGKILL: 5 to 10 ms to its end, whatever it is doing. */
  kill(): void;
}

export interface ProcessEvents {
  readonly onFrame: (frame: Frame) => void;
  /** Once, with a reason for the log. */
  readonly onEnd: (why: string) => void;
  /** What the process wrote to stderr: the engine's last words before a crash. */
  readonly onWords: (line: string) => void;
}

/** While there is none. */
export const NOT_READY: Failed = {
  ok: false,
  code: 'not-ready',
  message: 'the engine is being started; try again',
};

/** libuv's pool serves every engine call: one that runs and one that is fetched ahead, for each worker, and spares. */
function uvThreads(settings: LaneSettings): number {
  return settings.lane === 'scan' ? settings.workers * 4 + 4 : 1;
}

/** A lane of SQLite runs what it is sent on its own thread, one statement after the other. */
export function isSequential({ lane }: Pick<LaneSettings, 'lane'>): boolean {
  return lane === 'rows' || lane === 'long';
}

const ROOMS: Readonly<Record<LaneSettings['lane'], string>> = {
  ...{ rows: 'rowstore', long: 'rowstore', scan: 'pool', remote: 'remote' },
};
/** The credentials of the distributed engine, and who its certificate may be of. */
const REMOTE_VARIABLES = [TRINO_PASSWORD, 'NODE_EXTRA_CA_CERTS'];
function passedToRemote(): Readonly<Record<string, string>> {
  return Object.fromEntries(REMOTE_VARIABLES.map((name) => [name, process.env[name] ?? '']));
}

const FROM_SOURCE = import.meta.url.endsWith('.ts');
/** The front's own options stay its own: a script of `node -e` would be run again, a debugger's port is taken. */
const NODE_OPTIONS = FROM_SOURCE ? ['--import', import.meta.resolve('tsx')] : [];
/** From source, tsx keeps what it compiled. */
const WRITES = FROM_SOURCE ? 4 * 1024 * 1024 : 0;

export function spawnLane(
  settings: LaneSettings,
  confinement: Confinement,
  events: ProcessEvents,
): LaneProcess {
  const room = ROOMS[settings.lane];
  const main = fileURLToPath(new URL(`../${room}/main.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));
  const { command, args, env, cwd } = confine(
    [process.execPath, ...NODE_OPTIONS, main],
    confinement,
    (limits) => ({
      UV_THREADPOOL_SIZE: String(uvThreads(settings)),
      ...(settings.lane === 'remote' ? passedToRemote() : {}),
      TABLEGATE_LANE: JSON.stringify({ ...settings, limits } satisfies LaneProcessSettings),
    }),
    WRITES + (settings.spill?.bytes ?? 0),
    settings.unlocked.includes('process'),
  );
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env, cwd });

  let ended = false;
  const end = (why: string): void => {
    if (ended) return;
    ended = true;
    events.onEnd(why);
  };
  child.on('error', (error) => end(error.message));
  child.on('exit', (code, signal) => end(signal === null ? `exit code ${code}` : signal));

  const socket = child.stdio[3] as Socket | null | undefined;
  if (socket === null || socket === undefined) {
    end('no socket to the lane');
    return { pid: child.pid ?? 0, send: () => {}, json: () => {}, kill: () => {} };
  }
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  // Frames of a process that is being killed have no meaning any more.
  const onFrame = (received: Frame): void => {
    if (!ended) events.onFrame(received);
  };
  readFrames(socket, onFrame, (why) => {
    events.onWords(why);
    kill();
  });
  // Its end follows: a lane dies with its socket. Errors are those of writing to a dead one.
  socket.on('error', kill);
  socket.on('close', kill);
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    for (const line of text.split('\n')) if (line.trim() !== '') events.onWords(line.slice(0, 2000));
  });

  const writer = createFrameWriter(socket);
  return { pid: child.pid ?? 0, send: writer.send, json: writer.json, kill };
}
