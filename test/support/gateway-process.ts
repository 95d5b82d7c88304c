// A gateway as a process of its own, so that its memory and CPU time can be told from the test's.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LATE_SCANS } from './gateway.ts';
import { MAIN } from './main.ts';
import { makeSnapshot, type TestTable } from './snapshot.ts';

const START_MS = 60_000;
/** Clock ticks a second of /proc: the same on every Linux that Node runs on. */
const TICKS = 100;

export interface GatewayProcess {
  readonly port: number;
  /** With `/api/v1`. */
  readonly url: string;
  readonly pid: number;
  /** Of Prometheus' metrics; undefined without `--metrics-port`. */
  readonly metricsAddress: string | undefined;
  /** All that it said on stderr so far. */
  readonly log: string;
  readonly running: boolean;
  /** Null while it runs, and where a signal ended it. */
  readonly exitCode: number | null;
  /** Resident memory of the front, in MB; of the lanes too where asked. */
  rssMb(withLanes?: boolean): number;
  /** User and system time of the front so far. */
  cpuMs(): number;
  /** At once, without a word to anybody; its lanes end as they see that it is gone. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface GatewayProcessOptions {
  readonly tables?: readonly TestTable[];
  /** Serve this data folder instead of making one of `tables`; it stays. */
  readonly data?: string;
  readonly args?: readonly string[];
  /** Stands before the command, such as `ip netns exec NAME`. */
  readonly within?: readonly string[];
}

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-process-'));
  const data = options.data ?? folder;
  if (options.data === undefined) await makeSnapshot(data, options.tables ?? []);
  const settings = ['--data', data, '--port', '0', '--rate-limit', '0', ...LATE_SCANS];
  const args = ['serve', ...settings, ...(options.args ?? [])];
  const [program = '', ...first] = [...(options.within ?? []), process.execPath];
  const child = spawn(program, [...first, MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close');
  const origin = await listening(child, () => log).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const pid = child.pid ?? 0;
  return {
    port: Number(new URL(origin).port),
    url: origin,
    pid,
    get metricsAddress() {
      return /metrics at (http:[^\s"]+)/.exec(log)?.[1];
    },
    get log() {
      return log;
    },
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    get exitCode() {
      return child.exitCode;
    },
    rssMb: (withLanes = false) =>
      [pid, ...(withLanes ? childrenOf(pid) : [])].reduce((sum, id) => sum + rssOf(id), 0),
    cpuMs() {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(late);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listening(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    const late = setTimeout(() => reject(new Error(`it does not listen: ${out} ${log()}`)), START_MS);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${log()}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      const found = /^listening on (\S+)$/m.exec(out)?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
  });
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function rssOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // A lane that was just replaced.
    return 0;
  }
}
