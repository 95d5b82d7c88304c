// The real reference gateway (npm @tableland/validator) in a temporary folder, on free ports, seeded while it
// is stopped. It outlives neither stop() nor the process that started it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

export interface ReferenceOptions {
  /** Fills the validator's own database; called while the validator is stopped. */
  readonly seed?: (database: DatabaseSyncInstance) => void;
  /** Chains that `/tables` and `/receipt` know; default one local chain, 31337. */
  readonly chains?: readonly number[];
  /** What links in `/tables` start with; default the reference's own address. */
  readonly externalUriPrefix?: string;
  readonly animationRendererUri?: string;
  readonly metadataRendererUri?: string;
}

export interface Reference {
  /** `http://127.0.0.1:PORT/api/v1`, no slash at the end. */
  readonly url: string;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  /** SQLite, WAL; live while the reference runs. */
  readonly databasePath: string;
  readonly folder: string;
  /** Stops it, lets `seed` change the database, starts it again on the same port. */
  reseed(seed: (database: DatabaseSyncInstance) => void): Promise<void>;
  /** Stops it and keeps the folder, for imports of a stopped validator; a second call is harmless. */
  halt(): Promise<void>;
  /** Stops it and removes the folder. */
  stop(): Promise<void>;
}

const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
};

/** The reference's program for this machine, or undefined where there is none. */
export function referenceBinary(): string | undefined {
  const name = BINARIES[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  const manifest = createRequire(import.meta.url).resolve('@tableland/validator');
  const path = join(manifest.slice(0, manifest.lastIndexOf('validator') + 'validator'.length), 'bin', name);
  return existsSync(path) ? path : undefined;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Starts the reference.
 * @throws Error where it has no program for this machine or does not answer within 10 s.
 */
export async function startReference(options: ReferenceOptions = {}): Promise<Reference> {
  const binary = referenceBinary();
  if (binary === undefined) throw new Error(`no reference for ${process.platform}-${process.arch}`);
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-reference-'));
  const databasePath = join(folder, 'database.db');
  const port = await freePort();
  const metricsPort = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'config.json'), JSON.stringify(configuration(port, metricsPort, options)));

  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawnBound(binary, folder);
    await untilHealthy(origin, child);
  };
  const halt = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running !== undefined && running.exitCode === null) {
      const exited = once(running, 'exit');
      running.stdin?.end();
      await exited;
    }
  };
  const change = (seed: (database: DatabaseSyncInstance) => void): void => {
    const database = new DatabaseSync(databasePath, { enableForeignKeyConstraints: false });
    try {
      seed(database);
    } finally {
      database.close();
    }
  };
  const reseed = async (seed: (database: DatabaseSyncInstance) => void): Promise<void> => {
    await halt();
    change(seed);
    await start();
  };
  const stop = async (): Promise<void> => {
    await halt();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
    if (options.seed !== undefined) await reseed(options.seed);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `${origin}/api/v1`, origin, databasePath, folder, reseed, halt, stop };
}

/**
 * The validator under a shell that ends it when our end of its input closes: by stop(), or because this
 * process died in any way. SIGINT first; without its chain the validator never finishes, so SIGKILL.
 */
function spawnBound(binary: string, folder: string): ChildProcess {
  try {
    chmodSync(binary, 0o755);
  } catch {
    // A read-only installation is executable already, or starting it says why not.
  }
  const script =
    '"$0" --dir "$1" >"$1/log" 2>&1 </dev/null & p=$!; read -r _; ' +
    'kill -INT $p 2>/dev/null; sleep 0.1; kill -KILL $p 2>/dev/null; wait $p 2>/dev/null; exit 0';
  return spawn('sh', ['-c', script, binary, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: dirname(binary),
    detached: true,
  });
}

async function untilHealthy(origin: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${origin}/api/v1/health`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await sleep(20);
  }
  throw new Error(`the reference does not answer at ${origin}`);
}

function configuration(port: number, metricsPort: number, options: ReferenceOptions): unknown {
  const chains = options.chains ?? [31337];
  return {
    Impl: 'mesa',
    HTTP: { Port: String(port), RateLimInterval: '1s', MaxRequestPerInterval: 1_000_000_000 },
    Gateway: {
      ExternalURIPrefix: options.externalUriPrefix ?? `http://127.0.0.1:${port}`,
      AnimationRendererURI: options.animationRendererUri ?? '',
      MetadataRendererURI: options.metadataRendererUri ?? '',
    },
    TableConstraints: { MaxRowCount: 10_000_000 },
    QueryConstraints: { MaxWriteQuerySize: 35_000, MaxReadQuerySize: 35_000 },
    Metrics: { Port: String(metricsPort) },
    Log: { Human: false, Debug: false },
    Analytics: { FetchExtraBlockInfo: false },
    Backup: { Enabled: false },
    TelemetryPublisher: { Enabled: false },
    Chains: chains.map((chain) => ({
      Name: `Chain ${chain}`,
      ChainID: chain,
      AllowTransactionRelay: false,
      // Nobody listens on port 1: the validator logs an error and serves what its database has.
      Registry: {
        EthEndpoint: 'http://127.0.0.1:1',
        ContractAddress: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
      },
      // The first key of every local test chain, published with the tools that use it.
      Signer: { PrivateKey: 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80' },
      NonceTracker: { CheckInterval: '10s', StuckInterval: '10m', MinBlockDepth: 0 },
      EventFeed: {
        ChainAPIBackoff: '15s',
        NewBlockPollFreq: '1s',
        NewBlockTimeout: '30s',
        MinBlockDepth: 0,
        PersistEvents: true,
      },
      EventProcessor: { BlockFailedExecutionBackoff: '10s', DedupExecutedTxns: true, WebhookURL: '' },
      HashCalculationStep: 150,
    })),
  };
}
