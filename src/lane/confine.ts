// The operating system's part of the sandbox: the command that starts a lane under limits of memory, files and
// rank, and an environment that holds nothing of the front's. What a system cannot do is said, not hidden.
import { existsSync } from 'node:fs';
import { platform } from 'node:os';

export interface Confinement {
  /** Private memory of the process; undefined: no limit. */
  readonly dataBytes: number | undefined;
  /** Gives way to processes of normal rank: what strangers' scans may do to lookups. */
  readonly gentle: boolean;
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
/** Sockets, the snapshot, libraries, epoll: a lane needs some forty. */
const MAX_FILES = 256;
/** The front must survive where the machine runs out of memory: the lanes are chosen first. */
const OOM_SCORE = 800;

/** What a process needs to run at all; API keys and whatever else the front was given stay with the front. */
const PASSED_ON = ['PATH', 'TZ', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'NODE_V8_COVERAGE'] as const;

/**
 * @param writes bytes that a file may grow to: 0, but where the source is compiled as it is loaded
 */
export function confine(
  command: readonly string[],
  { dataBytes, gentle }: Confinement,
  own: Readonly<Record<string, string>>,
  writes: number,
): Confined {
  const env: NodeJS.ProcessEnv = { ...own };
  for (const name of PASSED_ON) if (process.env[name] !== undefined) env[name] = process.env[name];
  // Freed memory goes back to the system instead of staying in an arena a thread.
  env['MALLOC_ARENA_MAX'] = '2';
  const plain: Confined = {
    command: command[0] ?? '',
    args: command.slice(1),
    env,
    cwd: '/',
    held: ['no environment of the front'],
  };
  if (SHELL === undefined || platform() === 'win32') return plain;
  const limits: string[] = [];
  const held = [...plain.held];
  const limit = (option: string, value: number, words: string): void => {
    // A system that knows no such limit starts the lane all the same.
    limits.push(`ulimit ${option} ${value} 2>/dev/null`);
    held.push(words);
  };
  limits.push(`{ echo ${OOM_SCORE} >/proc/self/oom_score_adj; } 2>/dev/null`);
  limit('-c', 0, 'no core dumps');
  limit('-n', MAX_FILES, `${MAX_FILES} open files`);
  limit(
    '-f',
    Math.ceil(writes / 512),
    writes === 0 ? 'no bytes written to files' : `files of ${writes} bytes`,
  );
  if (dataBytes !== undefined)
    limit('-d', Math.ceil(dataBytes / 1024), `${dataBytes} bytes of private memory`);
  const start = gentle ? 'exec nice -n 10 "$@"' : 'exec "$@"';
  return {
    ...plain,
    command: SHELL,
    args: ['-c', `${limits.join('; ')}; ${start}`, 'lane', ...command],
    held,
  };
}
