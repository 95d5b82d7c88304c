// What the parts of the gateway see, as typed events, and the sinks that they go to: one line on stderr each,
// and counts. Who observes decides nothing about where it ends up.
import { writeSync } from 'node:fs';

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type Level = (typeof LEVELS)[number];

/** Every event has a level and a line that says all to a reader; the fields are for machines. */
export type Observation =
  | {
      readonly type: 'request';
      readonly requestId: string;
      readonly client: string;
      readonly method: string;
      readonly path: string;
      readonly status: number;
      /** Of the body; 0 where none was sent. */
      readonly bytes: number;
      readonly ms: number;
      /** Set where the answer is an error. */
      readonly code?: string;
    }
  /** A client that left before its answer was sent whole. */
  | { readonly type: 'client-gone'; readonly requestId: string; readonly path: string }
  /** Something that must not happen: the client got a 500. */
  | { readonly type: 'bug'; readonly requestId: string; readonly error: unknown }
  /** The engine's own words about a statement that failed; never sent to a client. */
  | {
      readonly type: 'engine-error';
      readonly requestId: string;
      readonly code: string;
      readonly detail: string;
    }
  | { readonly type: 'snapshot-opened'; readonly id: string; readonly chains: readonly number[] }
  | { readonly type: 'lane-started'; readonly lane: string; readonly pid: number; readonly ms: number }
  | { readonly type: 'lane-ended'; readonly lane: string; readonly pid: number; readonly why: string }
  /** A lane is killed because a statement could not be stopped, or its engine is broken. */
  | { readonly type: 'lane-killed'; readonly lane: string; readonly pid: number; readonly why: string }
  /** A shape that took a lane down by itself. */
  | { readonly type: 'shape-refused'; readonly shape: string; readonly why: string }
  | { readonly type: 'draining'; readonly running: number }
  | { readonly type: 'note'; readonly level: Level; readonly text: string };

/** Where observations go. Must not throw and must not wait. */
export type Observe = (observation: Observation) => void;

type Kind = Observation['type'];
type Of<K extends Kind> = Extract<Observation, { type: K }>;

/** How loud an event is, by kind. */
const LEVEL: { readonly [K in Kind]: (event: Of<K>) => Level } = {
  request: (event) => (event.status >= 500 ? 'warn' : 'debug'),
  'client-gone': () => 'debug',
  bug: () => 'error',
  'engine-error': () => 'info',
  'snapshot-opened': () => 'info',
  'lane-started': () => 'info',
  'lane-ended': () => 'warn',
  'lane-killed': () => 'warn',
  'shape-refused': () => 'warn',
  draining: () => 'info',
  note: (event) => event.level,
};

const TEXT: { readonly [K in Kind]: (event: Of<K>) => string } = {
  request: (event) =>
    `${event.method} ${event.path} ${event.status}${event.code === undefined ? '' : ` ${event.code}`} ` +
    `${event.bytes} bytes ${event.ms.toFixed(1)} ms, client ${event.client}, request ${event.requestId}`,
  'client-gone': (event) => `the client of ${event.path} left, request ${event.requestId}`,
  bug: (event) => `bug, request ${event.requestId}: ${errorText(event.error)}`,
  'engine-error': (event) => `${event.code}, request ${event.requestId}: ${event.detail}`,
  'snapshot-opened': (event) => `serving snapshot ${event.id}, chains ${event.chains.join(', ') || 'none'}`,
  'lane-started': (event) => `lane ${event.lane} started in ${Math.round(event.ms)} ms, pid ${event.pid}`,
  'lane-ended': (event) => `lane ${event.lane} ended, pid ${event.pid}: ${event.why}`,
  'lane-killed': (event) => `lane ${event.lane} is killed, pid ${event.pid}: ${event.why}`,
  'shape-refused': (event) => `from now on refused, ${event.why}: ${event.shape.slice(0, 500)}`,
  draining: (event) => `stopping: ${event.running} requests are still running`,
  note: (event) => event.text,
};

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` caused by ${errorText(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

export function levelOf(event: Observation): Level {
  // The maps above are exhaustive by type; TypeScript cannot follow the kind through the look-up.
  return (LEVEL[event.type] as (event: Observation) => Level)(event);
}

/** One line; what a client or the engine wrote cannot start a second one. */
export function textOf(event: Observation): string {
  const text = (TEXT[event.type] as (event: Observation) => string)(event);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+\s*/g, ' | ');
}

export interface LogOptions {
  readonly format: 'text' | 'json';
  readonly level: Level;
  /** Gives the time of an event; the clock in production. */
  readonly now?: () => Date;
  readonly write?: (line: string) => void;
}

/** A sink: one line an event on stderr. */
export function createLog(options: LogOptions): Observe {
  const loudest = LEVELS.indexOf(options.level);
  const now = options.now ?? (() => new Date());
  const write = options.write ?? writeStderr;
  return (event) => {
    const level = levelOf(event);
    if (LEVELS.indexOf(level) > loudest) return;
    const time = now().toISOString();
    if (options.format === 'text') return write(`${time} ${level.padEnd(5)} ${textOf(event)}\n`);
    const { type, ...fields } = event;
    const plain = 'error' in fields ? { ...fields, error: errorText(fields.error) } : fields;
    write(`${JSON.stringify({ time, level, event: type, ...plain, text: textOf(event) })}\n`);
  };
}

/** Written at once, so that the last line before an exit is not lost; a closed stderr stops nobody. */
function writeStderr(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // EAGAIN of a full pipe or EPIPE: a lost line is better than a stopped gateway.
  }
}

export interface Counts {
  /** How often each kind of event was seen. */
  readonly events: ReadonlyMap<Kind, number>;
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** A sink that counts: what metrics are made of. */
export function createCounts(): Counts & { readonly observe: Observe } {
  const events = new Map<Kind, number>();
  const statuses = new Map<number, number>();
  return {
    events,
    statuses,
    observe: (event) => {
      events.set(event.type, (events.get(event.type) ?? 0) + 1);
      if (event.type === 'request') statuses.set(event.status, (statuses.get(event.status) ?? 0) + 1);
    },
  };
}

/** Sends every event to all sinks. */
export function observeAll(...sinks: readonly Observe[]): Observe {
  return (event) => {
    for (const sink of sinks) sink(event);
  };
}
