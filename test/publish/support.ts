// A source, a publisher that follows it as a process of its own, and replicas in this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Observation } from '../../src/base/observe.ts';
import { makeDatabase, register } from '../ingest/support.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { MAIN } from '../support/main.ts';

/** For a machine that is slow. */
export const LONG = 60_000;
/** Of the large table: some 60 parts. */
export const ROWS = 200_000;

/** A validator's database with a small and a large table. */
export function makeSource(path: string, rows = ROWS): string {
  return makeDatabase(path, (database) => {
    database.exec(`create table t_1_1 (n integer primary key, s text);
      with recursive s(i) as (select 1 union all select i + 1 from s where i < ${rows})
        insert into t_1_1 select i, 'some words that are ' || (i * 7919 % 1000003) || ' and ' || i from s;
      create table u_1_2 (n integer primary key); insert into u_1_2 values (1)`);
    register(database, 't_1_1');
    register(database, 'u_1_2');
  });
}

export function write(source: string, sql: string): void {
  const database = new DatabaseSync(source, { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Not spawnSync(): what it talks to may be in this process. */
export async function tablegate(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

export interface TestProcess {
  readonly child: ChildProcess;
  /** All that it said on stderr so far. */
  readonly log: string;
  /** @returns exit code and signal */
  end(signal: NodeJS.Signals): Promise<readonly [number | null, NodeJS.Signals | null]>;
}

/** Any command, in the background. @param within stands before it, such as `ip netns exec NAME` */
export function startProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  within: readonly string[] = [],
): TestProcess {
  const [program = '', ...first] = [...within, process.execPath];
  const child = spawn(program, [...first, MAIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    child,
    get log() {
      return log;
    },
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

export interface Replica extends TestGateway {
  readonly data: string;
  /** What it observed of one kind. */
  of<T extends Observation['type']>(type: T): readonly Extract<Observation, { type: T }>[];
  /** The only cell of the only row. */
  value(statement: string): Promise<unknown>;
}

export async function startReplica(
  data: string,
  source: string,
  ...more: readonly string[]
): Promise<Replica> {
  const few = ['--console', 'off', '--scan-workers', '1', '--spare-lanes', '0', '--watch-every', '100ms'];
  const pull = ['--pull', source, '--pull-every', '100ms'];
  const gateway = await startTestGateway({ data, args: [...few, ...pull, ...more] });
  return {
    ...gateway,
    data,
    of: (type) => gateway.seen.filter((event) => event.type === type) as never,
    async value(statement) {
      const rows = (await (await gateway.query(statement)).json()) as readonly Record<string, unknown>[];
      return Object.values(rows[0] ?? {})[0];
    },
  };
}

export function storeIn(root: string, name: string): { readonly data: string; readonly store: string } {
  return { data: join(root, `${name}-data`), store: join(root, `${name}-store`) };
}
