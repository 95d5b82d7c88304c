// What this process may use of its machine: bytes of memory and processors, as its control groups (v1 and v2) bound them.
// Node tells of the group itself at most, and of no processor quota. Nothing else of the machine is known here.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Machine {
  readonly memoryBytes: number;
  /** At least 1. A quota of 150 % is 2: threads that wait for their quota do no harm, an idle processor does. */
  readonly processors: number;
}

interface Controller {
  /** Of version 1; version 2 has one tree for all. */
  readonly v1: string;
  /** @returns undefined where the group at this path has no limit of its own. */
  readonly limitV1: (group: string) => number | undefined;
  readonly limitV2: (group: string) => number | undefined;
}

const MEMORY: Controller = {
  v1: 'memory',
  limitV1: (group) => numberIn(join(group, 'memory.limit_in_bytes')),
  limitV2: (group) => least(numberIn(join(group, 'memory.max')), numberIn(join(group, 'memory.high'))),
};

const CPU: Controller = {
  v1: 'cpu',
  limitV1: (group) =>
    share(numberIn(join(group, 'cpu.cfs_quota_us')), numberIn(join(group, 'cpu.cfs_period_us'))),
  limitV2: (group) => {
    const [quota, period] = (textIn(join(group, 'cpu.max')) ?? '').split(/\s+/).map(Number);
    return share(quota, period);
  },
};

/**
 * @param root in place of `/`, for tests
 * @param host what there is without groups
 */
export function readMachine(
  root = '/',
  host: Machine = { memoryBytes: totalmem(), processors: availableParallelism() },
): Machine {
  const memory = limitOf(root, MEMORY) ?? Number.POSITIVE_INFINITY;
  const processors = limitOf(root, CPU) ?? Number.POSITIVE_INFINITY;
  return {
    memoryBytes: Math.min(host.memoryBytes, memory),
    processors: Math.max(1, Math.min(host.processors, Math.ceil(processors))),
  };
}

const MAX_FRONTS = 8;
/** Of a front, with room for requests and without the answers that it keeps, which are shared out. */
const FRONT_BYTES = 128 * 1024 * 1024;

/** What `--fronts auto` is: a front a core, within an eighth of memory. */
export function autoFronts({ processors, memoryBytes }: Machine): number {
  return Math.max(1, Math.min(MAX_FRONTS, processors, Math.floor(memoryBytes / 8 / FRONT_BYTES)));
}

/** The least limit of the process's group and those around it; of a container they may not all be seen. */
function limitOf(root: string, controller: Controller): number | undefined {
  const mounts = mountsOf(root, controller);
  const groups = (textIn(join(root, 'proc/self/cgroup')) ?? '').split('\n');
  let limit: number | undefined;
  for (const { folder, shown, version } of mounts) {
    const read = version === 2 ? controller.limitV2 : controller.limitV1;
    for (
      let path = pathIn(groups, version, controller, shown);
      ;
      path = path.slice(0, path.lastIndexOf('/'))
    ) {
      limit = least(limit, read(join(root, folder, path)));
      if (path === '') break;
    }
  }
  return limit;
}

interface Mount {
  readonly folder: string;
  /** Path of the group that is mounted there: with version 1 a container often sees its own alone. */
  readonly shown: string;
  readonly version: 1 | 2;
}

/** proc(5), /proc/PID/mountinfo: id, parent, device, root, mount point, options, ... - type, source, super options. */
function mountsOf(root: string, { v1 }: Controller): readonly Mount[] {
  const lines = (textIn(join(root, 'proc/self/mountinfo')) ?? '').split('\n');
  return lines.flatMap((line): readonly Mount[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , shown = '/', folder = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (type === 'cgroup2') return [{ folder, shown, version: 2 }];
    return type === 'cgroup' && options.split(',').includes(v1) ? [{ folder, shown, version: 1 }] : [];
  });
}

/** cgroups(7), /proc/PID/cgroup: hierarchy:controllers:path. @returns without a slash at its end */
function pathIn(
  groups: readonly string[],
  version: Mount['version'],
  { v1 }: Controller,
  shown: string,
): string {
  const line = groups.find((each) => {
    const controllers = each.split(':')[1];
    return version === 2 ? each.startsWith('0::') : controllers?.split(',').includes(v1);
  });
  const path = line?.split(':').slice(2).join(':') ?? '';
  const top = shown === '/' ? '' : shown;
  const inside = path === top || path.startsWith(`${top}/`) ? path.slice(top.length) : '';
  return inside.replace(/\/+$/, '');
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** `max`, -1 and nothing at all are no limit. */
function numberIn(path: string): number | undefined {
  const text = textIn(path)?.trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function share(quota: number | undefined, period: number | undefined): number | undefined {
  const processors = (quota ?? Number.NaN) / (period ?? Number.NaN);
  return processors > 0 && Number.isFinite(processors) ? processors : undefined;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
