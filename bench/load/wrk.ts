// Closed loop with wrk, a native generator: each connection asks again as soon as it has its answer. What it asks is
// made before, so that no time goes into statements while it runs. Its answers are only counted (status, bytes):
// a client beside it asks the same kind of question and looks at every answer.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Latency, PERCENTILES } from '../statistics.ts';
import { headerLines, openConnection, requestBytes } from './http-client.ts';
import { type LoadJob, type Measured, ratesOf } from './job.ts';
import { readUsage, sharesOf, totalOf, usedBetween } from './usage.ts';
import { createVerifier } from './verify.ts';
import type { Ask } from './workload.ts';

/** Requests a second that questions are made for where nothing is known of the target yet. */
const FIRST_GUESS = 30_000;
/** More than the rate so far would need: a target gets faster as it warms up. */
const SPARE = 2.5;
const MOST_SPARE = 50;
/** A run with fewer answers than so many for each connection is run again for longer, up to so many times as long. */
const FEWEST_EACH = 3;
const LONGEST_TIMES = 9;
/** The client that looks at answers asks this often: too seldom to be felt. */
const LOOK_EVERY_MS = 40;
const ANSWER_SECONDS = 60;

/** One request a line in the file, with the body of a POST after a tabulator; `done` writes what wrk knows as JSON. Latencies are in microseconds. */
const SCRIPT = `
local requests, at, count = {}, 0, 0
function init(args)
  local file = io.open(args[3])
  local headers = file:read("*a")
  file:close()
  for line in io.lines(args[1]) do
    count = count + 1
    local path, body = line:match("^(.-)\\t(.*)$")
    if body then
      requests[count] = "POST " .. path .. " HTTP/1.1\\r\\nHost: " .. args[2] .. "\\r\\n" .. headers .. "Content-Length: " .. #body .. "\\r\\n\\r\\n" .. body
    else
      requests[count] = "GET " .. line .. " HTTP/1.1\\r\\nHost: " .. args[2] .. "\\r\\n" .. headers .. "\\r\\n"
    end
  end
end
function request()
  at = at % count + 1
  return requests[at]
end
function done(summary, latency, rates)
  local points = {}
  for point in string.gmatch("${PERCENTILES.join(' ')}", "%S+") do
    points[#points + 1] = string.format("[%s,%d]", point, latency:percentile(tonumber(point)))
  end
  io.write(string.format('\\nRESULT {"requests":%d,"us":%d,"bytes":%d,"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d,"mean":%d,"max":%d,"curve":[%s]}\\n',
    summary.requests, summary.duration, summary.bytes, summary.errors.connect, summary.errors.read, summary.errors.write,
    summary.errors.status, summary.errors.timeout, latency.mean, latency.max, table.concat(points, ",")))
end
`;

interface Told {
  readonly requests: number;
  readonly us: number;
  readonly bytes: number;
  readonly connect: number;
  readonly read: number;
  readonly write: number;
  readonly status: number;
  readonly timeout: number;
  readonly mean: number;
  readonly max: number;
  readonly curve: readonly (readonly [number, number])[];
}

export interface WrkRun {
  readonly requests: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly latency: Latency;
  /** Share of a core that wrk itself used. */
  readonly cpu: number;
  /** It asked for more than there were questions: some came again. */
  readonly ranOut: boolean;
}

export const NO_WRK = "wrk is needed to measure rates: apt-get install wrk (Debian's package)";

export function hasWrk(): boolean {
  try {
    execFileSync('wrk', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // It tells its version with exit code 1.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function processorUs(pid: number): number {
  return totalOf(Object.fromEntries(readUsage([pid])));
}

/**
 * @param seconds whole ones
 * @throws Error where any answer was not 2xx, or a connection failed
 */
export async function runWrk(
  base: string,
  paths: readonly string[],
  connections: number,
  seconds: number,
): Promise<WrkRun> {
  const { origin, host } = new URL(base);
  const pathname = new URL(base).pathname.replace(/\/$/, '');
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-wrk-'));
  try {
    writeFileSync(join(folder, 'script.lua'), SCRIPT);
    writeFileSync(join(folder, 'paths'), `${paths.map((path) => pathname + path).join('\n')}\n`);
    writeFileSync(join(folder, 'headers'), headerLines(), { mode: 0o600 });
    const args = [
      ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', `${ANSWER_SECONDS}s`],
      ...[
        '-s',
        join(folder, 'script.lua'),
        origin,
        '--',
        join(folder, 'paths'),
        host,
        join(folder, 'headers'),
      ],
    ];
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    let usedUs = 0;
    const look = setInterval(() => {
      usedUs = Math.max(usedUs, processorUs(child.pid ?? 0));
    }, 50);
    const failure = await new Promise<Error | undefined>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ENOENT' ? new Error(NO_WRK) : error),
      );
      child.once('close', () => resolve(undefined));
    });
    clearInterval(look);
    if (failure !== undefined) throw failure;
    const line = /^RESULT (.*)$/m.exec(said)?.[1];
    if (line === undefined) throw new Error(`wrk said no result:\n${said.slice(-2000)}`);
    const told = JSON.parse(line) as Told;
    if (told.status > 0)
      throw new Error(`a wrong answer: ${told.status} of ${told.requests} had a status over 399`);
    const lost = told.connect + told.read + told.write + told.timeout;
    if (told.requests === 0 && seconds >= ANSWER_SECONDS) throw new Error(`no answer in ${seconds} s`);
    if (lost > 0)
      throw new Error(
        `${lost} connections failed or timed out (connect ${told.connect}, read ${told.read}, write ${told.write}, timeout ${told.timeout})`,
      );
    return {
      requests: told.requests,
      seconds: told.us / 1e6,
      bytes: told.bytes,
      latency: { count: told.requests, mean: told.mean, max: told.max, curve: told.curve },
      cpu: usedUs / told.us,
      ranOut: told.requests + connections > paths.length,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A client that asks beside the load and looks at every answer. */
function lookAlong(job: LoadJob, next: () => Ask): { stop(): Promise<Measured['kept']> } {
  const target = new URL(job.base);
  const connection = openConnection(target.hostname, Number(target.port));
  const verifier = createVerifier({ keep: job.keep, constant: job.constant });
  let over = false;
  let wrong: Error | undefined;
  const ask = async (): Promise<void> => {
    while (!over && wrong === undefined) {
      const one = next();
      const parts: Buffer[] = [];
      const answer = await connection.ask(requestBytes(target.host, target.pathname + one.path), (part) =>
        parts.push(Buffer.from(part)),
      );
      const problem = verifier.check(one, answer.status, Buffer.concat(parts));
      if (problem !== undefined) wrong = new Error(`a wrong answer: ${problem}`);
      await wait(LOOK_EVERY_MS);
    }
  };
  const asking = ask().catch((error: Error) => {
    wrong ??= error;
  });
  return {
    async stop() {
      over = true;
      await Promise.race([asking, wait(ANSWER_SECONDS * 1000)]);
      connection.close();
      if (wrong !== undefined) throw wrong;
      return verifier.kept;
    },
  };
}

/** What each target did last, in requests a second: how many questions the next run needs. */
const rates = new Map<string, number>();

/** @param used processor time of the target, in microseconds, by kind of process */
export function measuredOf(
  { seconds, requests, bytes, latency, cpu }: WrkRun,
  used: Readonly<Record<string, number>>,
  kept: Measured['kept'] = [],
): Measured {
  return {
    ...ratesOf(seconds, requests, bytes),
    refused: 0,
    latency,
    measures: {},
    generatorCpu: cpu,
    processorUs: sharesOf(used, requests),
    kept,
  };
}

export async function runClosedLoop(job: LoadJob, connections: number, next: () => Ask): Promise<Measured> {
  const key = `${job.base} ${job.workload} ${connections}`;
  const take = (seconds: number, spare: number): string[] => {
    const count = job.repeats
      ? 4096
      : Math.ceil((rates.get(key) ?? FIRST_GUESS) * seconds * spare) + 4 * connections;
    const paths = new Set<string>();
    // A question that comes again at once has only a few.
    for (let tries = 0; paths.size < count && tries < count; tries++) paths.add(next().path);
    return [...paths];
  };
  const run = async (
    seconds: number,
  ): Promise<WrkRun & { readonly used: Readonly<Record<string, number>> }> => {
    let spare = SPARE;
    for (let length = seconds; ; ) {
      const paths = take(length, spare);
      const before = readUsage(job.pids);
      const done = await runWrk(job.base, paths, connections, length);
      rates.set(key, done.requests / done.seconds);
      // Answers that were still under way at the end do not count: of a slow target too many.
      const isShort = done.requests < FEWEST_EACH * connections && length < LONGEST_TIMES * seconds;
      if (isShort) length *= 3;
      else if (done.ranOut && !job.repeats && spare <= MOST_SPARE) spare *= 2;
      else return { ...done, used: usedBetween(before, readUsage(job.pids)) };
    }
  };
  const whole = (ms: number): number => Math.max(1, Math.round(ms / 1000));
  // wrk counts in seconds; what is shorter is for runs that only show that all works.
  if (job.warmMs >= 500) await run(whole(job.warmMs));
  const along = job.looks ? lookAlong(job, next) : undefined;
  let done: Awaited<ReturnType<typeof run>>;
  let kept: Measured['kept'] = [];
  try {
    done = await run(whole(job.measureMs));
  } finally {
    kept = (await along?.stop()) ?? [];
  }
  return measuredOf(done, done.used, kept);
}
