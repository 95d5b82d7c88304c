// What a result was measured on: commit, machine and versions. Part of every line of a result.
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

export interface Origin {
  /** '' outside a git checkout. */
  readonly commit: string;
  /** Whether the tree had changes that the commit does not have. */
  readonly dirty: boolean;
  readonly node: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryBytes: number;
    readonly system: string;
  };
}

function git(folder: string, ...args: string[]): string {
  try {
    return execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

export function readOrigin(folder: string): Origin {
  const all = cpus();
  return {
    commit: git(folder, 'rev-parse', 'HEAD'),
    dirty: git(folder, 'status', '--porcelain', '--untracked-files=no') !== '',
    node: process.version,
    machine: {
      cpu: all[0]?.model ?? 'unknown',
      cores: all.length,
      memoryBytes: totalmem(),
      system: `${process.platform} ${release()} ${process.arch}`,
    },
  };
}
