// One front, kept alive: its process is started, told which front to be, watched, ended when it no longer answers, and
// started anew. What it asks of the lanes goes through its relay; what else it says is its owner's matter.
import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { monotonicMs } from '../base/monotonic.ts';
import { namesError, type Observe } from '../base/observe.ts';
import { withoutPasswords } from '../base/passwords.ts';
import { createBackoff } from '../lane/backoff.ts';
import type { Lanes } from '../lane/lanes.ts';
import { createPulse } from '../lane/pulse.ts';
import { readFrames } from '../wire/frame-socket.ts';
import { createFrameWriter, type FrameWriter } from '../wire/frame-writer.ts';
import { FRAME, type Frame, frame, type Pong, parseJson } from '../wire/frames.ts';
import { closeWithItsFront } from './handed.ts';
import type { FromFront, ToFront } from './messages.ts';
import { createRelay, type Relay } from './relay.ts';

export interface Front {
  /** From 1. */
  readonly number: number;
  readonly name: string;
  /** It answers requests. */
  readonly serving: boolean;
  tell(message: ToFront): void;
  /** Ends the process, which is started anew. */
  kill(why: string): void;
  /** Lets running requests end for at most so long, then ends the process for good. */
  close(drainMs: number): Promise<void>;
}

export interface FrontOptions {
  readonly number: number;
  readonly lanes: Pick<Lanes, 'run' | 'healthy'>;
  readonly observe: Observe;
  /** In tests of a front that cannot start. */
  readonly main?: string | undefined;
  readonly onTold: (front: Front, message: FromFront) => void;
  /** Its process is gone. @param why its last words, or how it ended */
  readonly onEnd: (front: Front, why: string) => void;
  readonly onLog: (lines: string) => void;
}

const FROM_SOURCE = import.meta.url.endsWith('.ts');
const MAIN = fileURLToPath(new URL(`./main.${FROM_SOURCE ? 'ts' : 'js'}`, import.meta.url));
const SOCKET_FD = 4;
const TICK_MS = 200;
/** To load, on a machine that is overrun. */
const START_MS = 30_000;
/** A tick that comes so late says that this process was held up: answers may be waiting unread. */
const LATE_TICK_MS = 1_000;
/** To say that it has drained after its time for that, and to leave once its socket is closed. */
const LEAVE_MS = 2_000;

interface Process {
  readonly worker: Worker;
  readonly socket: Socket;
  readonly writer: FrameWriter;
  readonly relay: Relay;
  readonly spawnedAt: number;
}

export function createFront(options: FrontOptions): Front {
  const { number, observe } = options;
  const name = `front-${number}`;
  const backoff = createBackoff();
  const pulse = createPulse();
  let running: Process | undefined;
  /** It was told what to be. */
  let isLoaded = false;
  let servedAt: number | undefined;
  let killed = '';
  let lastWords = '';
  let closing = false;
  let drained = (): void => {};
  let respawn: NodeJS.Timeout | undefined;
  let lastTick = monotonicMs();

  const start = (): void => {
    respawn = undefined;
    const worker = fork(options.main ?? MAIN);
    closeWithItsFront(worker.process);
    const socket = worker.process.stdio[SOCKET_FD] as Socket;
    const writer = createFrameWriter(socket);
    const its: Process = {
      worker,
      socket,
      writer,
      relay: createRelay(options.lanes, writer),
      spawnedAt: monotonicMs(),
    };
    running = its;
    killed = '';
    lastWords = '';
    isLoaded = false;
    pulse.begin(its.spawnedAt);
    const end = (why: string): void => {
      if (running === its) onEnd(its, why);
    };
    worker.on('error', (error) => end(error.message));
    worker.process.on('exit', (code, signal) => end(killed || (signal ?? `exit code ${code}`)));
    const kill = (): void => {
      worker.process.kill('SIGKILL');
    };
    readFrames(
      socket,
      (received) => {
        if (running === its) onFrame(its, received);
      },
      kill,
    );
    // Its end follows: a front dies with its socket.
    socket.on('error', kill).on('close', kill);
    worker.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line.trim() !== '') onWords(line.slice(0, 2000));
    });
  };
  const onWords = (line: string): void => {
    // Of a stack trace, the line that names the error.
    if (!namesError(lastWords) || namesError(line)) lastWords = line;
    observe({ type: 'note', level: 'warn', text: `${name}: ${line}` });
  };

  const onEnd = (its: Process, why: string): void => {
    backoff.ended(servedAt === undefined ? 0 : monotonicMs() - servedAt, true);
    running = undefined;
    servedAt = undefined;
    its.relay.close();
    drained();
    if (!closing) {
      const pid = its.worker.process.pid ?? 0;
      observe({ type: 'front-ended', front: name, pid, why });
      respawn = setTimeout(start, backoff.waitMs);
    }
    options.onEnd(front, lastWords || why);
  };

  const onFrame = (its: Process, received: Frame): void => {
    if (received.kind === FRAME.pong) pulse.heard(monotonicMs(), parseJson(received.payload) as Pong);
    else if (received.kind === FRAME.log) options.onLog(received.payload.toString('utf8'));
    else if (received.kind === FRAME.tell) {
      const message = parseJson(received.payload) as FromFront;
      if (message.type === 'listening') {
        servedAt = monotonicMs();
        backoff.served();
        const pid = its.worker.process.pid ?? 0;
        observe({ type: 'front-started', front: name, pid, ms: servedAt - its.spawnedAt });
      }
      if (message.type === 'hello') {
        isLoaded = true;
        pulse.heard(monotonicMs(), { rssBytes: 0 });
      }
      if (message.type === 'drained') drained();
      options.onTold(front, message);
    } else its.relay.onFrame(received);
  };

  const tick = (): void => {
    const now = monotonicMs();
    const late = now - lastTick > LATE_TICK_MS;
    lastTick = now;
    if (running === undefined) return;
    if (pulse.due(now)) running.writer.send(frame(FRAME.ping, 0));
    if (!isLoaded) {
      if (now - running.spawnedAt > START_MS) front.kill('it does not start');
    } else if (!late && pulse.silent(now)) front.kill('it does not answer');
  };
  const ticker = setInterval(tick, TICK_MS);

  const front: Front = {
    number,
    name,
    get serving() {
      return servedAt !== undefined;
    },
    tell(message) {
      running?.writer.json(FRAME.tell, 0, message);
    },
    kill(why) {
      killed = why;
      running?.worker.process.kill('SIGKILL');
    },
    async close(drainMs) {
      closing = true;
      clearInterval(ticker);
      clearTimeout(respawn);
      if (running === undefined) return;
      const { worker, socket } = running;
      const ended = new Promise<void>((resolve) => {
        if (worker.isDead()) resolve();
        else worker.process.once('exit', () => resolve());
      });
      const isDrained = new Promise<void>((resolve) => {
        drained = resolve;
      });
      const late = setTimeout(drained, drainMs + LEAVE_MS);
      if (servedAt === undefined) drained();
      else front.tell({ type: 'drain', drainMs });
      await isDrained;
      clearTimeout(late);
      const stuck = setTimeout(() => worker.process.kill('SIGKILL'), LEAVE_MS);
      socket.end();
      await ended;
      clearTimeout(stuck);
    },
  };
  start();
  return front;
}

function fork(main: string): Worker {
  // Connections in turn: where processes share the listening socket itself, the kernel gives most to a few of them.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: main,
    args: [],
    // Of a build, the operator's own options for Node.js hold for fronts too.
    ...(FROM_SOURCE ? { execArgv: ['--import', import.meta.resolve('tsx')] } : {}),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
  });
  // Over the environment of this process.
  return cluster.fork(withoutPasswords());
}
