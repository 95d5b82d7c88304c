// The operating system's part of the sandbox: the command that starts a lane under limits of memory, files and
// rank, and an environment that holds nothing of the front's. What a system cannot do is said, not hidden.
import { existsSync } from 'node:fs';
import { platform } from 'node:os';
import { MOST_WORN, type ProcessLimits } from '../wire/protocol.ts';

export interface Confinement {
  /** Private memory of the process; undefined: no limit. */
  readonly dataBytes: number | undefined;
  /** Threads that each open files of their own. */
  readonly workers: number;
  /** Whether they write what does not fit into memory to files. */
  readonly spills?: boolean;
}

export interface Confined {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** What holds, in words for the log; empty: nothing does. */
  readonly held: readonly string[];
}

const SHELL = ['/bin/sh', '/system/bin/sh'].find((path) => existsSync(path));
/** Sockets, libraries, epoll: a lane needs some forty, and each worker thread a few, with two snapshots in a swap. */
const OWN_FILES = 128;
const FILES_A_WORKER = 32;
/** The files of an engine that writes such, and of those that have to stay with the process. */
const SPILL_FILES = 8 * (MOST_WORN + 2);
/** The front must survive where the machine runs out of memory: the lanes are chosen first. */
const OOM_SCORE = 800;

/**
 * Addresses that V8 reserves for code, in each thread: from the version of Node.js 24 on the system counts them as private
 * memory, though hardly any of it is ever used.
 */
const RESERVED_BYTES = Number(process.versions.v8.split('.')[0]) >= 13 ? 512 * 1024 * 1024 : 0;

/** What a process needs to run at all; API keys and whatever else the front was given stay with the front. */
const PASSED_ON = ['PATH', 'TZ', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'NODE_V8_COVERAGE'] as const;

/** Set by the shell itself, and by macOS for every process. */
const SET_BY_OTHERS = ['PWD', 'SHLVL', '_', 'OLDPWD', '__CF_USER_TEXT_ENCODING'] as const;

/**
 * @param own the lane's environment, which may tell it what it is held to
 * @param writes bytes that a file may grow to: 0, but where the source is compiled as it is loaded
 * @param off in tests of the other locks: it is told of limits that it does not have
 */
export function confine(
  command: readonly string[],
  { dataBytes: wanted, workers, spills = false }: Confinement,
  own: (limits: ProcessLimits) => Readonly<Record<string, string>>,
  writes: number,
  off = false,
): Confined {
  const able = SHELL !== undefined && platform() !== 'win32';
  const dataBytes = wanted === undefined ? undefined : wanted + RESERVED_BYTES * (1 + workers);
  const names = Object.keys(own({ dataBytes: null, fileBytes: null, env: [] }));
  const env: NodeJS.ProcessEnv = off ? { ...process.env } : {};
  for (const name of PASSED_ON) if (process.env[name] !== undefined) env[name] = process.env[name];
  const limits = {
    dataBytes: able && dataBytes !== undefined ? Math.ceil(dataBytes / 1024) * 1024 : null,
    fileBytes: able ? writes : null,
    env: [...PASSED_ON, ...SET_BY_OTHERS, ...names, 'MALLOC_ARENA_MAX'],
  };
  // Freed memory goes back to the system instead of staying in an arena a thread.
  Object.assign(env, own(limits), { MALLOC_ARENA_MAX: '2' });
  const [program = '', ...args] = command;
  const plain: Confined = { command: program, args, env, cwd: '/', held: ['no environment of the front'] };
  if (!able || off) return plain;
  const orders: string[] = [];
  const held = [...plain.held];
  const limit = (option: string, value: number, words: string): void => {
    // A system that knows no such limit starts the lane all the same.
    orders.push(`ulimit ${option} ${value} 2>/dev/null`);
    held.push(words);
  };
  orders.push(`{ echo ${OOM_SCORE} >/proc/self/oom_score_adj; } 2>/dev/null`);
  limit('-c', 0, 'no core dumps');
  const files = OWN_FILES + (FILES_A_WORKER + (spills ? SPILL_FILES : 0)) * workers;
  limit('-n', files, `${files} open files`);
  limit(
    '-f',
    Math.ceil(writes / 512),
    writes === 0 ? 'no bytes written to files' : `files of ${writes} bytes`,
  );
  if (dataBytes !== undefined)
    limit('-d', Math.ceil(dataBytes / 1024), `${dataBytes} bytes of private memory`);
  return {
    ...plain,
    command: SHELL ?? '',
    args: ['-c', `${orders.join('; ')}; exec "$@"`, 'lane', ...command],
    held,
  };
}
