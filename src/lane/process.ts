// One lane process as the front sees it: spawned with a socket for its file descriptor 3, frames in and out,
// its end. Decides nothing: whoever owns it says what a death means.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createFrameReader, createFrameWriter, type Frame } from '../frames.ts';
import type { LaneSettings } from '../protocol.ts';

export interface LaneProcess {
  readonly pid: number;
  send(bytes: Uint8Array): void;
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

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path));

/** libuv's pool serves every engine call: one that runs and one that is fetched ahead, for each worker, and spares. */
function uvThreads(settings: LaneSettings): number {
  return settings.workers * 4 + 4;
}

const SOURCE_OPTIONS = import.meta.url.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];

/** @param dataBytes limit of the process's memory (RLIMIT_DATA); undefined: none */
export function spawnLane(
  settings: LaneSettings,
  dataBytes: number | undefined,
  events: ProcessEvents,
): LaneProcess {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const main = fileURLToPath(new URL(`../pool/main.${extension}`, import.meta.url));
  // The front's own options stay its own: a script of `node -e` would be run again, a debugger's port is taken.
  const node = [process.execPath, ...SOURCE_OPTIONS, main];
  const command =
    PRLIMIT === undefined || dataBytes === undefined
      ? node
      : [PRLIMIT, `--data=${dataBytes}:${dataBytes}`, ...node];
  const child: ChildProcess = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      UV_THREADPOOL_SIZE: String(uvThreads(settings)),
      TABLEGATE_LANE: JSON.stringify(settings),
    },
  });

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
    return { pid: child.pid ?? 0, send: () => {}, kill: () => {} };
  }
  const kill = (): void => {
    child.kill('SIGKILL');
  };
  const read = createFrameReader(events.onFrame);
  socket.on('data', (chunk: Buffer) => {
    // Frames of a process that is being killed have no meaning any more.
    if (!ended) read(chunk);
  });
  // Its end follows: a lane dies with its socket. Errors are those of writing to a dead one.
  socket.on('error', kill);
  socket.on('close', kill);
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    for (const line of text.split('\n')) if (line.trim() !== '') events.onWords(line.slice(0, 2000));
  });

  const writer = createFrameWriter(socket);
  return { pid: child.pid ?? 0, send: writer.send, kill };
}
