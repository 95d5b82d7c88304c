// Open loop: requests start at a constant rate whatever the answers do, and latency counts from the intended
// start. autocannon's own rate option does not serve: it lets a whole second's requests go at once and
// corrects for an expected interval of 1 ms whatever the rate is.
import { setTimeout as wait } from 'node:timers/promises';
import { createLatencyRecorder } from '../statistics.ts';
import { type Connection, openConnection, requestBytes } from './http-client.ts';
import type { LoadJob, Measured } from './job.ts';
import { createVerifier } from './verify.ts';
import type { Ask } from './workload.ts';

/** Answers that are not there this long after the last request started count with the time they took so far. */
const PATIENCE_MS = 10_000;
/** Where refusals are allowed, overload is what is looked for: no need to wait it out. */
const SHORT_PATIENCE_MS = 1_000;

interface Due {
  readonly ask: Ask;
  readonly intendedMs: number;
}

export interface OpenLoad {
  readonly connections: number;
  readonly rate: number;
  readonly mayRefuse: boolean;
}

export async function runOpenLoop(
  job: LoadJob,
  load: OpenLoad,
  next: () => Ask,
  isOver: () => boolean,
): Promise<Measured> {
  const target = new URL(job.base);
  const latency = createLatencyRecorder();
  const service = createLatencyRecorder();
  const lag = createLatencyRecorder();
  const verifier = createVerifier({ keep: job.keep, constant: job.constant });
  const connections = Array.from({ length: load.connections }, () =>
    openConnection(target.hostname, Number(target.port)),
  );
  const idle: Connection[] = [...connections];
  const queue: Due[] = [];
  /** Head of the queue: shifting an array of thousands for every request would be the generator's own delay. */
  let head = 0;
  const running = new Map<Connection, Due>();
  const began = performance.now();
  const from = began + job.warmMs;
  const until = from + job.measureMs;
  let due = 0;
  let counted = 0;
  /** Answers that came while requests were still being started: what the target really kept up with. */
  let inTime = 0;
  let refused = 0;
  let bytes = 0;
  let wrong: Error | undefined;

  const finish = (
    connection: Connection,
    one: Due,
    status: number,
    size: number,
    serviceMs: number,
  ): void => {
    running.delete(connection);
    idle.push(connection);
    const now = performance.now();
    if (status === 200 && now >= from && now < until) inTime++;
    if (one.intendedMs < from || one.intendedMs >= until) return;
    if (status !== 200) {
      refused++;
      return;
    }
    counted++;
    bytes += size;
    latency.record(now - one.intendedMs);
    service.record(serviceMs);
  };
  const send = (connection: Connection, one: Due): void => {
    const parts: Buffer[] = [];
    running.set(connection, one);
    connection
      .ask(requestBytes(target.host, target.pathname + one.ask.path), (part) => parts.push(part))
      .then((answer) => {
        const isRefused = load.mayRefuse && (answer.status === 503 || answer.status === 429);
        if (!isRefused) {
          const body = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
          const problem = verifier.check(one.ask, answer.status, body);
          if (problem !== undefined) wrong ??= new Error(`a wrong answer: ${problem}`);
        }
        finish(connection, one, answer.status, answer.bytes, answer.wholeMs);
        dispatch();
      })
      .catch((error: Error) => {
        wrong ??= error;
      });
  };
  const dispatch = (): void => {
    while (head < queue.length) {
      const connection = idle.pop();
      if (connection === undefined) return;
      const one = queue[head++];
      if (one !== undefined) send(connection, one);
      if (head === queue.length) queue.length = head = 0;
    }
  };
  const letStart = (now: number): void => {
    while (began + (due * 1000) / load.rate <= Math.min(now, until)) {
      const intendedMs = began + (due * 1000) / load.rate;
      // How late this program itself was: part of the latency, told apart in the results.
      if (idle.length > 0 && head === queue.length && intendedMs >= from) lag.record(now - intendedMs);
      queue.push({ ask: next(), intendedMs });
      due++;
      dispatch();
    }
  };

  try {
    for (let now = began; now < until && wrong === undefined && !isOver(); now = performance.now()) {
      letStart(now);
      await wait(1);
    }
    // What came due while this program was held up is owed all the same.
    if (wrong === undefined && !isOver()) letStart(until);
    const patience = performance.now() + (load.mayRefuse ? SHORT_PATIENCE_MS : PATIENCE_MS);
    while (running.size + queue.length - head > 0 && wrong === undefined && performance.now() < patience)
      await wait(5);
    if (wrong !== undefined) throw wrong;
    let unanswered = 0;
    for (const one of [...running.values(), ...queue.slice(head)]) {
      if (one.intendedMs < from || one.intendedMs >= until) continue;
      unanswered++;
      latency.record(performance.now() - one.intendedMs);
    }
    if (unanswered > 0 && !load.mayRefuse)
      throw new Error(`${unanswered} requests were not answered in time`);
    const seconds = job.measureMs / 1000;
    const lagRead = lag.read();
    return {
      seconds,
      requests: counted,
      refused,
      requestsPerSecond: inTime / seconds,
      bytesPerSecond: bytes / seconds,
      latency: latency.read(),
      service: service.read(),
      measures: { unanswered, lagMeanUs: lagRead.mean, lagMaxUs: lagRead.max },
      kept: verifier.kept,
    };
  } finally {
    for (const connection of connections) connection.close();
  }
}
