// Closed loop with autocannon: each connection asks again as soon as it has its answer. Latency is taken from
// autocannon's own clock per answer, since its histogram keeps whole milliseconds only.
import autocannon, { type Client } from 'autocannon';
import { createLatencyRecorder } from '../statistics.ts';
import { requestBytes } from './http-client.ts';
import type { LoadJob, Measured } from './job.ts';
import { createVerifier } from './verify.ts';
import type { Ask } from './workload.ts';

/** Between two looks at whether the run is over. */
const LOOK_MS = 20;
/** A run ends when its time is over and this many answers are in: slow statements get that much longer. */
const MIN_ANSWERS = 3;
/** One that is told to end has shown with so many, the one that opens its window not counted, that it ran. */
const MIN_ANSWERS_WHEN_TOLD = 1;

export function runClosedLoop(
  job: LoadJob,
  connections: number,
  next: () => Ask,
  isOver: () => boolean,
): Promise<Measured> {
  const target = new URL(job.base);
  const latency = createLatencyRecorder();
  const verifier = createVerifier({ keep: job.keep, constant: job.constant });
  const timeoutSeconds = 120;
  const started = performance.now();
  /** The window opens with an answer and closes with one, so that slow statements are not counted by halves. */
  let from: number | undefined;
  let lastAnswer = started;
  let counted = 0;
  let bytes = 0;
  let wrong: string | undefined;

  const setupClient = (client: Client): void => {
    let current = next();
    let parts: Buffer[] = [];
    let unanswered = false;
    client.getRequestBuffer = () => {
      // autocannon connects again without a word where the other side hangs up.
      if (unanswered) wrong ??= 'none: a connection was closed before its answer';
      unanswered = true;
      current = next();
      parts = [];
      return requestBytes(target.host, target.pathname + current.path);
    };
    client.on('body', (part: Buffer) => parts.push(part));
    client.on('response', (status: number, wireBytes: number, milliseconds: number) => {
      const whole = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
      unanswered = false;
      wrong ??= verifier.check(current, status, whole);
      const now = performance.now();
      if (from === undefined) {
        if (now - started >= job.warmMs) from = lastAnswer = now;
        return;
      }
      latency.record(milliseconds);
      counted++;
      bytes += wireBytes;
      lastAnswer = now;
    });
  };

  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: target.origin,
        connections,
        duration: 3600,
        sampleInt: LOOK_MS,
        timeout: timeoutSeconds,
        setupClient,
      },
      (error, result) => {
        clearInterval(look);
        if (error !== null) return reject(error);
        if (wrong !== undefined) return reject(new Error(`a wrong answer: ${wrong}`));
        if (result.errors > 0) return reject(new Error(`${result.errors} connections failed or timed out`));
        const seconds = (lastAnswer - (from ?? lastAnswer)) / 1000;
        if (seconds === 0) return reject(new Error(`fewer than two answers in ${timeoutSeconds} s`));
        resolve({
          seconds,
          requests: counted,
          refused: 0,
          requestsPerSecond: counted / seconds,
          bytesPerSecond: bytes / seconds,
          latency: latency.read(),
          measures: {},
          kept: verifier.kept,
        });
      },
    );
    let told: number | undefined;
    const look = setInterval(() => {
      const now = performance.now();
      if (isOver()) told ??= now;
      const elapsed = now - (from ?? started);
      const longEnough =
        told === undefined
          ? elapsed >= job.measureMs && counted >= MIN_ANSWERS
          : counted >= MIN_ANSWERS_WHEN_TOLD;
      const tooLong =
        elapsed > job.warmMs + job.measureMs + timeoutSeconds * 1000 ||
        now - (told ?? now) > timeoutSeconds * 1000;
      if (wrong !== undefined || longEnough || tooLong) instance.stop();
    }, LOOK_MS);
  });
}
