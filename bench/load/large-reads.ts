// Reads large answers one after the other over one connection, in parts, as fast as they come or at a given
// pace, counting rows without keeping the answer.
import { createLatencyRecorder } from '../statistics.ts';
import { type Connection, openConnection, requestBytes } from './http-client.ts';
import { type LoadJob, type Measured, ratesOf } from './job.ts';
import { readUsage, sharesOf, usedBetween } from './usage.ts';
import type { Ask } from './workload.ts';

const MIN_ANSWERS = 2;

interface Read {
  readonly bytes: number;
  readonly rows: number;
  readonly firstByteMs: number;
  readonly wholeMs: number;
  readonly body: string;
}

/** Counts `},{`, also where two parts meet. Texts in the bench's data hold no braces. */
export function createRowCounter(): { add(part: Buffer): void; readonly rows: number } {
  let separators = 0;
  let tail = Buffer.alloc(0);
  let any = false;
  const needle = Buffer.from('},{');
  const count = (bytes: Buffer): void => {
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 3)) separators++;
  };
  return {
    add(part) {
      any = true;
      if (tail.length > 0) count(Buffer.concat([tail, part.subarray(0, 2)]));
      count(part);
      tail = Buffer.from(part.length >= 2 ? part.subarray(-2) : Buffer.concat([tail, part]).subarray(-2));
    },
    get rows() {
      return any ? separators + 1 : 0;
    },
  };
}

/** Of an answer, to find its last row in. */
const END_BYTES = 4096;

async function readOne(
  connection: Connection,
  request: Buffer,
  one: Ask,
  pace: number | undefined,
  keep: boolean,
): Promise<Read> {
  const counter = createRowCounter();
  const kept: Buffer[] = [];
  const started = performance.now();
  let taken = 0;
  let last: Buffer = Buffer.alloc(0);
  let first: Buffer | undefined;
  const answer = await connection.ask(request, (part) => {
    counter.add(part);
    first ??= Buffer.from(part.subarray(0, 4096));
    // The last part may be no more than the closing bracket.
    last = part.length < END_BYTES ? Buffer.concat([last.subarray(-END_BYTES), part]) : part;
    if (keep) kept.push(Buffer.from(part));
    taken += part.length;
    if (pace === undefined) return;
    const aheadMs = (taken / pace) * 1000 - (performance.now() - started);
    if (aheadMs > 5) {
      connection.pause();
      setTimeout(() => connection.resume(), aheadMs);
    }
  });
  if (answer.status !== 200) throw new Error(`status ${answer.status}: ${first?.toString('utf8', 0, 300)}`);
  const end = last.toString('latin1', Math.max(0, last.length - 2)).trimEnd();
  if (!end.endsWith(']')) throw new Error(`an answer that ends with ${JSON.stringify(end)}`);
  for (const proof of one.proof)
    if (first?.includes(proof) !== true && !last.includes(proof))
      throw new Error(`an answer without ${proof} at its ends`);
  return {
    bytes: answer.bytes,
    rows: counter.rows,
    firstByteMs: answer.firstByteMs,
    wholeMs: answer.wholeMs,
    body: keep ? Buffer.concat(kept).toString('utf8') : '',
  };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** @param rows every answer must have; undefined: not counted. */
export async function runLargeReads(
  job: LoadJob,
  pace: number | undefined,
  rows: number | undefined,
  next: () => Ask,
  isOver: () => boolean,
): Promise<Measured> {
  const target = new URL(job.base);
  const latency = createLatencyRecorder();
  const connection = openConnection(target.hostname, Number(target.port));
  const firstBytes: number[] = [];
  const kept: { statement: string; path: string; body: string }[] = [];
  let bytes = 0;
  let spentMs = 0;
  const usage = readUsage(job.pids);
  let asked = 0;
  // One answer alone where the first is what is wanted.
  const least = job.measureMs === 0 ? 1 : MIN_ANSWERS;
  const began = performance.now();
  let closing: NodeJS.Timeout | undefined;
  if (pace !== undefined)
    // A reader at a pace would keep a load beside it waiting for its end.
    closing = setInterval(() => isOver() && connection.close(), 20);
  try {
    while (!isOver() && (spentMs < job.measureMs || firstBytes.length < least)) {
      const one = next();
      const keep = kept.length < job.keep;
      const read = await readOne(
        connection,
        requestBytes(target.host, target.pathname + one.path),
        one,
        pace,
        keep,
      );
      asked++;
      if (rows !== undefined && read.rows !== rows) throw new Error(`${read.rows} rows instead of ${rows}`);
      if (keep) kept.push({ statement: one.statement, path: one.path, body: read.body });
      if (performance.now() - began - read.wholeMs < job.warmMs && pace === undefined) continue;
      latency.record(read.wholeMs);
      firstBytes.push(read.firstByteMs);
      spentMs += read.wholeMs;
      bytes += read.bytes;
    }
  } catch (error) {
    if (!isOver()) throw error;
  } finally {
    clearInterval(closing);
    connection.close();
  }
  const seconds = Math.max(spentMs, 1) / 1000;
  return {
    ...ratesOf(seconds, firstBytes.length, bytes),
    refused: 0,
    latency: latency.read(),
    measures: {
      firstByteMs: median(firstBytes),
      answerBytes: firstBytes.length === 0 ? 0 : bytes / firstBytes.length,
    },
    processorUs: sharesOf(usedBetween(usage, readUsage(job.pids)), asked),
    kept,
  };
}
