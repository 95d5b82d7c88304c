// Strangers' statements without pause: the dearest and the forbidden ones. What they get is not looked at but for
// this: no failure of the gateway itself, and no connection that it loses.
import { FORBIDDEN, HEAVY } from '../soak/attacks.ts';
import { createLatencyRecorder } from '../statistics.ts';
import { type Connection, openConnection, requestBytes } from './http-client.ts';
import { type LoadJob, type Measured, ratesOf } from './job.ts';
import { queryPath } from './workload.ts';

/** Answered, refused, told to wait. */
const EXPECTED: ReadonlySet<number> = new Set([200, 400, 429, 503]);
const LOOK_MS = 20;
/** Of a statement, in a message. */
const SHOWN_CHARACTERS = 200;

export async function runAttackLoop(
  job: LoadJob,
  connections: number,
  isOver: () => boolean,
): Promise<Measured> {
  const target = new URL(job.base);
  const open = Array.from({ length: connections }, () =>
    openConnection(target.hostname, Number(target.port)),
  );
  const latency = createLatencyRecorder();
  const began = performance.now();
  let sent = 0;
  let refused = 0;
  let bytes = 0;
  let wrong: Error | undefined;

  const attack = async (connection: Connection): Promise<void> => {
    for (;;) {
      const number = sent++;
      const heavy = HEAVY[number % HEAVY.length]?.(number + (job.slice.seed % 1_000));
      const forbidden = FORBIDDEN[number % FORBIDDEN.length] ?? '';
      for (const statement of [heavy ?? '', forbidden]) {
        const request = requestBytes(target.host, target.pathname + queryPath(statement));
        const answer = await connection.ask(request).catch((error: Error) => {
          throw new Error(`${error.message}: ${statement.slice(0, SHOWN_CHARACTERS)}`);
        });
        if (!EXPECTED.has(answer.status)) throw new Error(`status ${answer.status} for ${statement}`);
        if (answer.status !== 200) refused++;
        bytes += answer.bytes;
        latency.record(answer.wholeMs);
      }
    }
  };
  for (const connection of open)
    attack(connection).catch((error: Error) => {
      wrong ??= error;
    });
  const until = began + job.warmMs + job.measureMs;
  while (!isOver() && wrong === undefined && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const problem = wrong;
  // What still runs is left in the middle, as attackers do.
  for (const connection of open) connection.close();
  if (problem !== undefined) throw problem;
  const seconds = (performance.now() - began) / 1000;
  return {
    ...ratesOf(seconds, sent, bytes),
    refused,
    latency: latency.read(),
    measures: {},
    kept: [],
  };
}
