// What the parts of the gateway see, as typed events: how loud each is and how it reads. Where they go is
// decided by sinks: log/ writes lines, metrics/ counts. Who observes decides nothing about where it ends up.

export const LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type Level = (typeof LEVELS)[number];

/** Which engine ran a statement, and where its time went, in milliseconds; of a body in parts, up to its first one. */
export interface RunTimes {
  /** Waiting for a worker, the way to it and back included. */
  readonly queueMs: number;
  readonly planMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
  /** Only of statements that were answered. */
  readonly engine?: string | undefined;
  /** Why that engine, in a word and in a sentence. */
  readonly reason?: string | undefined;
  readonly why?: string | undefined;
  /** What it took of the distributed engine: requests for pages, bytes of their answers, nodes that worked on it. */
  readonly remote?: { readonly pages: number; readonly bytes: number; readonly nodes: number } | undefined;
}

/** Every event has a level and a line that says all to a reader; the fields are for machines. */
export type Observation =
  | {
      readonly type: 'request';
      readonly requestId: string;
      /** W3C Trace Context: this request's own place in the trace. */
      readonly traceparent: string;
      readonly client: string;
      readonly method: string;
      readonly path: string;
      /** Of the route that answered; `none` where there is no such path. One of a few words, unlike the path. */
      readonly route: string;
      readonly status: number;
      /** Of the body; 0 where none was sent. */
      readonly bytes: number;
      /** From the head read to the answer handed to the socket, and the last part of that alone. */
      readonly ms: number;
      readonly writeMs: number;
      /** Undefined where no limiter was asked. */
      readonly rate: 'allowed' | 'refused' | 'exempt' | undefined;
      /** Where rows came from; undefined where none were asked for. */
      readonly cache: 'hit' | 'miss' | 'shared' | undefined;
      /** Undefined where nothing was run for it. */
      readonly times: RunTimes | undefined;
      /** Set where the answer is an error. */
      readonly code?: string;
    }
  /** A job that the engine was given has ended: for counting, never a line of its own. */
  | ({
      readonly type: 'run';
      readonly requestId: string;
      readonly job: string;
      /** Set where it failed. */
      readonly code?: string | undefined;
      /** Why, where it failed in the remote lane; one of a few words. */
      readonly remoteError?: string | undefined;
    } & RunTimes)
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
  | {
      readonly type: 'snapshot-opened';
      readonly id: string;
      readonly chains: readonly number[];
      /** When it was made, since 1970. */
      readonly createdMs?: number;
      /** How long it took to turn to it; not given at the start. */
      readonly ms?: number;
    }
  /** The newest snapshot of the data folder cannot be served; the one before it still is. */
  | { readonly type: 'snapshot-refused'; readonly id: string; readonly why: string }
  /** A follower's import published a snapshot. */
  | { readonly type: 'snapshot-built'; readonly id: string; readonly ms: number; readonly line: string }
  /** A follower's import failed, for so many times in a row. */
  | { readonly type: 'follow-failed'; readonly why: string; readonly times: number }
  /** A puller made what a store has the current snapshot. */
  | {
      readonly type: 'snapshot-pulled';
      readonly id: string;
      readonly ms: number;
      /** Of the snapshot, and those of them that came over the wire. */
      readonly bytes: number;
      readonly receivedBytes: number;
      readonly receivedParts: number;
      /** When replicas turn to it; null: now. */
      readonly activeAt: string | null;
    }
  /** A store was asked, and what it has is here: for counting, never a line of its own. */
  | { readonly type: 'store-looked'; readonly atMs: number }
  /** A look at a store failed, for so many times in a row. */
  | { readonly type: 'pull-failed'; readonly why: string; readonly times: number; readonly isNews: boolean }
  | {
      readonly type: 'snapshot-published';
      readonly id: string;
      readonly store: string;
      readonly ms: number;
      readonly bytes: number;
      readonly sentBytes: number;
      readonly sentParts: number;
    }
  | {
      readonly type: 'publish-failed';
      readonly why: string;
      readonly times: number;
      readonly isNews: boolean;
    }
  /** Whether the data is kept fresh has changed; see snapshot/follow-status.ts. */
  | { readonly type: 'freshness'; readonly state: string; readonly problem: string | null }
  | { readonly type: 'lane-started'; readonly lane: string; readonly pid: number; readonly ms: number }
  | { readonly type: 'lane-ended'; readonly lane: string; readonly pid: number; readonly why: string }
  /** A lane is killed because a statement could not be stopped, or its engine is broken. */
  | { readonly type: 'lane-killed'; readonly lane: string; readonly pid: number; readonly why: string }
  /** A statement, or its whole shape, that ended a lane: lanes of that kind run it no more for a while. */
  | {
      readonly type: 'shape-barred';
      readonly from: 'rows' | 'scan' | 'all';
      readonly shape: string;
      readonly why: string;
    }
  /** A request that asked for newer data than was served has waited for it; see limit/waiting.ts. */
  | {
      readonly type: 'waited';
      readonly end: 'came' | 'late' | 'full' | 'closed' | 'left';
      readonly ms: number;
    }
  /** One of several processes that answer HTTP. */
  | { readonly type: 'front-started'; readonly front: string; readonly pid: number; readonly ms: number }
  | { readonly type: 'front-ended'; readonly front: string; readonly pid: number; readonly why: string }
  | { readonly type: 'draining'; readonly running: number }
  | { readonly type: 'note'; readonly level: Level; readonly text: string };

/** Where observations go. Must not throw and must not wait. */
export type Observe = (observation: Observation) => void;

type Kind = Observation['type'];
type Of<K extends Kind> = Extract<Observation, { type: K }>;

/** How loud an event is, by kind; silent ones are never logged. */
const LEVEL: { readonly [K in Kind]: (event: Of<K>) => Level | 'silent' } = {
  run: () => 'silent',
  request: (event) => (event.status >= 500 ? 'warn' : 'debug'),
  'client-gone': () => 'debug',
  bug: () => 'error',
  'engine-error': (event) => (event.code === 'internal' ? 'error' : 'info'),
  'snapshot-opened': () => 'info',
  'snapshot-refused': () => 'error',
  'snapshot-built': () => 'info',
  'follow-failed': () => 'error',
  'snapshot-pulled': () => 'info',
  'store-looked': () => 'silent',
  'pull-failed': (event) => (event.isNews ? 'error' : 'debug'),
  'snapshot-published': () => 'info',
  'publish-failed': (event) => (event.isNews ? 'error' : 'debug'),
  freshness: (event) => (event.problem === null ? 'info' : 'warn'),
  'lane-started': () => 'info',
  'lane-ended': () => 'warn',
  'lane-killed': () => 'warn',
  'shape-barred': () => 'warn',
  waited: () => 'silent',
  'front-started': () => 'info',
  'front-ended': () => 'warn',
  draining: () => 'info',
  note: (event) => event.level,
};

const TEXT: { readonly [K in Kind]: (event: Of<K>) => string } = {
  run: (event) => `${event.job} ran for request ${event.requestId}`,
  request: (event) =>
    `${event.method} ${event.path} ${event.status}${event.code === undefined ? '' : ` ${event.code}`} ` +
    `${event.bytes} bytes ${event.ms.toFixed(1)} ms` +
    `${event.times?.engine === undefined ? '' : ` by ${event.times.engine} (${event.times.why ?? ''})`}, client ${event.client}, request ${event.requestId}`,
  'client-gone': (event) => `the client of ${event.path} left, request ${event.requestId}`,
  bug: (event) => `bug, request ${event.requestId}: ${errorText(event.error)}`,
  'engine-error': (event) => `${event.code}, request ${event.requestId}: ${event.detail}`,
  'snapshot-opened': (event) =>
    `serving snapshot ${event.id}, chains ${event.chains.join(', ') || 'none'}` +
    `${event.ms === undefined ? '' : `, opened in ${Math.round(event.ms)} ms`}`,
  'snapshot-refused': (event) => `snapshot ${event.id} is not served: ${event.why}`,
  'snapshot-built': (event) => `built in ${Math.round(event.ms)} ms: ${event.line}`,
  'follow-failed': (event) => `the source cannot be imported (${event.times} in a row): ${event.why}`,
  'snapshot-pulled': (event) =>
    `pulled snapshot ${event.id} in ${Math.round(event.ms)} ms: ${event.receivedParts} parts, ` +
    `${event.receivedBytes} of ${event.bytes} bytes${event.activeAt === null ? '' : `, active at ${event.activeAt}`}`,
  'store-looked': () => 'the store was asked',
  'pull-failed': (event) => `nothing can be pulled: ${event.why}`,
  'snapshot-published': (event) =>
    `published snapshot ${event.id} to ${event.store} in ${Math.round(event.ms)} ms: ${event.sentParts} parts, ` +
    `${event.sentBytes} of ${event.bytes} bytes`,
  'publish-failed': (event) => `nothing can be published: ${event.why}`,
  freshness: (event) =>
    event.problem === null ? `the data is fresh again: ${event.state}` : `the data is old: ${event.problem}`,
  'lane-started': (event) => `lane ${event.lane} started in ${Math.round(event.ms)} ms, pid ${event.pid}`,
  'lane-ended': (event) => `lane ${event.lane} ended, pid ${event.pid}: ${event.why}`,
  'lane-killed': (event) => `lane ${event.lane} is killed, pid ${event.pid}: ${event.why}`,
  'shape-barred': (event) =>
    `${event.from === 'all' ? 'refused' : `kept out of lane ${event.from}`} for a while, ${event.why}: ` +
    event.shape.slice(0, 500),
  waited: (event) => `newer data ${event.end} after ${Math.round(event.ms)} ms`,
  'front-started': (event) => `${event.front} started in ${Math.round(event.ms)} ms, pid ${event.pid}`,
  'front-ended': (event) => `${event.front} ended, pid ${event.pid}: ${event.why}`,
  draining: (event) => `stopping: ${event.running} requests are still running`,
  note: (event) => event.text,
};

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` caused by ${errorText(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** Whether a line that a process wrote before its end is the one of a stack trace that names the error. */
export function namesError(line: string): boolean {
  return /^\s*(?:\[cause\]: |Uncaught )?(?:[\w$.]*Error|FATAL ERROR)\b(?: \[\w+\])?:/.test(line);
}

export function levelOf(event: Observation): Level | 'silent' {
  // The maps above are exhaustive by type; TypeScript cannot follow the kind through the look-up.
  return (LEVEL[event.type] as (event: Observation) => Level | 'silent')(event);
}

/** One line; what a client or the engine wrote cannot start a second one. */
export function textOf(event: Observation): string {
  const text = (TEXT[event.type] as (event: Observation) => string)(event);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+\s*/g, ' | ');
}

/** Sends every event to all sinks. */
export function observeAll(...sinks: readonly Observe[]): Observe {
  return (event) => {
    for (const sink of sinks) sink(event);
  };
}
