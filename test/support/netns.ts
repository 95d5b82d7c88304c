// Machines of a test on one machine: network namespaces, each with an address of its own on a bridge that this process is
// on, too. Needs root and iproute2; leaves nothing behind.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Machine {
  readonly address: string;
  /** Stands before a command that is to run there. */
  readonly within: readonly string[];
  /** Pulls its cable, or puts it in again. */
  setCable(isIn: boolean): void;
}

export interface Network {
  /** Address of this process there. */
  readonly host: string;
  readonly machines: readonly Machine[];
  /** After all that ran there has ended. */
  remove(): void;
}

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: 'pipe' });
};

function quietly(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    // It is not there.
  }
}

/** Why there can be no network here, and what to do; undefined where there can. */
export function whyNoNetwork(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const name = `tg${process.pid}-try`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'exec', name, 'true');
    return undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? 'no ip: apt-get install iproute2' : 'network namespaces cannot be made here';
  } finally {
    quietly('netns', 'del', name);
  }
}

export function makeNetwork(count: number): Network {
  removeLeftovers();
  // Two tests at the same time have different ones; nobody routes what is between containers.
  const net = `10.213.${process.pid % 250}`;
  const bridge = `tg${process.pid}`;
  const names = Array.from({ length: count }, (_, i) => `${bridge}-${i}`);
  const remove = (): void => {
    // A namespace goes when its last process has; its cables would stay as long.
    for (const i of names.keys()) quietly('link', 'del', `${bridge}v${i}`);
    for (const name of names) quietly('netns', 'del', name);
    quietly('link', 'del', bridge);
  };
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', `${net}.254/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    const machines = names.map((name, i): Machine => {
      const [here, there, address] = [`${bridge}v${i}`, 'eth0', `${net}.${i + 1}`];
      const within = ['ip', 'netns', 'exec', name];
      ip('netns', 'add', name);
      ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
      ip('link', 'set', here, 'master', bridge, 'up');
      ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', there);
      ip('-n', name, 'link', 'set', there, 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
      return { address, within, setCable: (isIn) => ip('link', 'set', here, isIn ? 'up' : 'down') };
    });
    return { host: `${net}.254`, machines, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Of tests that were killed. */
function removeLeftovers(): void {
  const listed = execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  for (const [name, pid] of listed.matchAll(/^tg(\d+)-\w+/gm)) {
    if (existsSync(`/proc/${pid}`)) continue;
    quietly('netns', 'del', name);
    quietly('link', 'del', `tg${pid}`);
  }
}
