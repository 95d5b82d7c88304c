// What the fuzz tests aim at: a gateway in a process of its own over the database of nasty values, and the
// oracle that each answer of it must pass.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nastySql } from '../differential/nasty-database.ts';
import { makeDatabase } from '../ingest/support.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts';
import { runImport } from '../support/import.ts';

export const DEADLINE_MS = 2_000;
/** A statement that cannot be stopped has its lane killed this late; the rest is for waiting in line. */
const PATIENCE_MS = DEADLINE_MS + 600 + DEADLINE_MS + 5_000;

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly ms: number;
}

export interface Target {
  readonly gateway: GatewayProcess;
  /** @returns what is wrong with the answer; undefined where nothing is */
  judge(sent: string, answer: Answer): string | undefined;
  /** What was answered, by status and code. */
  readonly counts: ReadonlyMap<string, number>;
  /** What is wrong with the gateway after all that was sent. */
  aftermath(): string[];
  stop(): Promise<void>;
}

const SYSTEM_TABLES = `
  create table system_controller (chain_id INTEGER, table_id INTEGER, controller TEXT) strict;
  create table system_acl (table_id INTEGER, controller TEXT, privileges INTEGER, chain_id INTEGER, created_at INTEGER, updated_at INTEGER) strict;
  create table system_txn_receipts (chain_id INTEGER, block_number INTEGER, index_in_block INTEGER, txn_hash TEXT, error TEXT, table_id INTEGER, error_event_idx INTEGER, table_ids TEXT) strict;
  create table system_pending_tx (chain_id INTEGER, address TEXT, hash TEXT, nonce INTEGER, bump_price_count INTEGER, created_at INTEGER, updated_at INTEGER) strict;
  create table system_evm_events (chain_id INTEGER, event_json TEXT, event_type TEXT, address TEXT, topics TEXT, data BLOB, block_number INTEGER, tx_hash TEXT, tx_index INTEGER, block_hash TEXT, event_index INTEGER) strict;
  create table system_evm_blocks (chain_id INTEGER, block_number INTEGER, timestamp INTEGER) strict;`;

export async function startTarget(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-fuzz-'));
  const data = join(folder, 'data');
  runImport(
    makeDatabase(join(folder, 'database.db'), (database) => {
      database.exec(SYSTEM_TABLES);
      database.exec(nastySql());
    }),
    data,
  );
  const bounds = ['--deadline-ms', String(DEADLINE_MS), '--max-result-bytes', '50000000'];
  const gateway = await startGatewayProcess({ data, args: [...bounds, '--log-level', 'warn'] });
  const counts = new Map<string, number>();
  const before = gateway.rssMb();
  return {
    gateway,
    counts,
    judge(sent, answer) {
      const code = answer.status < 400 ? '' : (/"code":"([\w-]+)"/.exec(answer.body)?.[1] ?? '');
      const kind = `${answer.status} ${code}`.trim();
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return faultOf(sent, answer);
    },
    aftermath() {
      const faults: string[] = [];
      if (!gateway.running) faults.push('the gateway ended');
      const lines = gateway.log.split('\n');
      // A statement that cannot be stopped has its lane killed: bounded, as promised, but worth a look. A lane
      // that dies of itself is a crash.
      const killed = lines.filter((line) => / is killed, /.test(line));
      for (const line of killed.slice(0, 5)) process.stdout.write(`\nNOTE ${line}\n`);
      const crashes = lines.filter((line) => /ended, pid \d+: (?!SIGKILL)|thread broke|\bbug\b/.test(line));
      if (crashes.length > 0) faults.push(`the log tells of\n${crashes.slice(0, 10).join('\n')}`);
      const after = gateway.running ? gateway.rssMb() : 0;
      if (after > before + 200) faults.push(`the front grew from ${before} to ${after} MB`);
      return faults;
    },
    async stop() {
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** 302: the base path leads to the docs. */
const STATUSES = new Set([200, 204, 302, 304, 400, 404, 405, 408, 413, 417, 431, 503]);
/** What no client may see: places on this machine, places in our code, the engine and its ways to say things. */
const LEAKS: readonly RegExp[] = [
  /(?<![\w./-])\/(work|tmp|home|root|usr|proc|var|etc|opt)\/[\w./-]*/i,
  /node_modules|node:internal|file:\/\//i,
  /\bat [\w.<>]+ \(|\.[tj]s:\d+/,
  /duckdb|piscina|sqlite_master/i,
  /\b(Binder|Parser|Catalog|Conversion|Invalid Input|Out of Range|Internal|Fatal|IO|Serialization) Error\b/i,
  /std::|\bassert(ion)? fail|segmentation/i,
  /TypeError|ReferenceError|RangeError|Cannot read propert/,
  /\bUNION\(i BIGINT|\btg_\w+|"?\bc0\b"? AS|::VARCHAR|::BIGINT/,
];

/** Messages quote the statement, without its quotes and cut short. */
function quotes(sent: string, found: string): boolean {
  const plain = (text: string): string => text.replaceAll(/['"\s]/g, '').toLowerCase();
  return plain(sent).includes(plain(found.replace(/\.+$/, '')));
}

function faultOf(sent: string, { status, type, body, ms }: Answer): string | undefined {
  if (!STATUSES.has(status)) return `status ${status}: ${body.slice(0, 300)}`;
  if (ms > PATIENCE_MS) return `answered after ${Math.round(ms)} ms`;
  if (status >= 400 && body !== '') {
    let error: { readonly message?: unknown; readonly code?: unknown };
    try {
      error = JSON.parse(body);
    } catch {
      return `an error that is no JSON: ${body.slice(0, 300)}`;
    }
    if (typeof error.message !== 'string' || typeof error.code !== 'string')
      return `an error without text: ${body}`;
    const message = error.message;
    for (const leak of LEAKS) {
      const found = leak.exec(message)?.[0];
      if (found !== undefined && !quotes(sent, found)) return `a leak (${found}): ${message}`;
    }
  } else if (status === 200 && type === 'application/json' && body !== '') {
    try {
      JSON.parse(body);
    } catch (error) {
      return `a body that is no JSON: ${String(error)}: ${body.slice(0, 300)}`;
    }
  }
  return undefined;
}
