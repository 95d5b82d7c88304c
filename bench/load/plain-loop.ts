// A closed loop that lasts until it is told to end: a load beside another. Its answers are looked at; its rate is
// nobody's figure, since this client tops out far below what a native one does.
import { type Connection, openConnection, requestBytes } from './http-client.ts';
import { type LoadJob, type Measured, ratesOf } from './job.ts';
import { createVerifier } from './verify.ts';
import type { Ask } from './workload.ts';

const LOOK_MS = 20;

export async function runPlainLoop(
  job: LoadJob,
  connections: number,
  next: () => Ask,
  isOver: () => boolean,
): Promise<Measured> {
  const target = new URL(job.base);
  const verifier = createVerifier({ keep: 0, constant: job.constant });
  const open = Array.from({ length: connections }, () =>
    openConnection(target.hostname, Number(target.port)),
  );
  const began = performance.now();
  let requests = 0;
  let bytes = 0;
  let wrong: Error | undefined;
  const ask = async (connection: Connection): Promise<void> => {
    while (!isOver()) {
      const one = next();
      const parts: Buffer[] = [];
      const answer = await connection.ask(requestBytes(target.host, target.pathname + one.path), (part) =>
        parts.push(part),
      );
      const problem = verifier.check(one, answer.status, Buffer.concat(parts));
      if (problem !== undefined) throw new Error(`a wrong answer: ${problem}`);
      requests++;
      bytes += answer.bytes;
    }
  };
  for (const connection of open)
    ask(connection).catch((error: Error) => {
      wrong ??= error;
    });
  while (!isOver() && wrong === undefined) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  // Closing fails what is still asked: that is no fault of the target.
  const problem = wrong;
  for (const connection of open) connection.close();
  if (problem !== undefined) throw problem;
  const seconds = (performance.now() - began) / 1000;
  return {
    ...ratesOf(seconds, requests, bytes),
    refused: 0,
    latency: { count: 0, mean: 0, max: 0, curve: [] },
    measures: {},
    kept: [],
  };
}
