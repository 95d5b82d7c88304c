// Starts the reference and the gateway over one nasty database: the gateway as a user does, by `import` and
// `serve` in processes of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LATE_SCANS } from '../support/gateway.ts';
import { MAIN } from '../support/main.ts';
import { startReference } from '../support/reference.ts';
import { type Client, gatewayClient } from './gateway-client.ts';
import { nastySql } from './nasty-database.ts';
import { type Oracle, sqliteOracle } from './sqlite-oracle.ts';

export interface SideBySide {
  readonly reference: Client;
  readonly ours: Client;
  readonly oracle: Oracle;
  /** The data folder that all gateways here serve. */
  readonly data: string;
  /** Another gateway over the same data, with settings of its own. */
  oursWith(args: readonly string[]): Promise<Client>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '..', '..');
/** Links in table metadata are compared too. */
const EXTERNAL = 'https://gateway.example';
const ANIMATION = 'https://render.example/anim';
const METADATA = 'https://render.example';

/** @param imports further options of `import` */
export async function startSideBySide(imports: readonly string[] = []): Promise<SideBySide> {
  const folder = mkdtempSync(join(tmpdir(), 'tablegate-differential-'));
  const reference = await startReference({
    chains: [31337, 1],
    externalUriPrefix: EXTERNAL,
    animationRendererUri: ANIMATION,
    metadataRendererUri: METADATA,
    seed: (database) => database.exec(nastySql()),
  });
  const data = join(folder, 'data');
  try {
    await run(['import', reference.databasePath, '--data', data, ...imports]);
    const options = [
      ...['--external-uri-prefix', EXTERNAL, '--animation-renderer-uri', ANIMATION],
      ...['--metadata-renderer-uri', METADATA, '--rate-limit', '0', '--log-level', 'warn'],
      // Answers are compared, not times: the machine may be slow.
      ...['--deadline-ms', '60000', ...LATE_SCANS],
    ];
    const clients: Client[] = [gatewayClient(reference.url)];
    const served: ChildProcess[] = [];
    const serve = async (args: readonly string[]): Promise<Client> => {
      const child = start(['serve', '--data', data, '--port', '0', ...options, ...args]);
      served.push(child);
      const address = await firstLine(child);
      const client = gatewayClient(address.replace(/^listening on /, ''));
      clients.push(client);
      return client;
    };
    const ours = await serve([]);
    const oracle = sqliteOracle(reference.databasePath);
    return {
      reference: clients[0] as Client,
      ours,
      data,
      oracle,
      oursWith: serve,
      async stop() {
        oracle.close();
        for (const client of clients) client.close();
        for (const child of served) {
          if (child.exitCode !== null) continue;
          child.kill('SIGTERM');
          await once(child, 'exit');
        }
        await reference.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await reference.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function run(args: readonly string[]): Promise<void> {
  const child = start(args);
  child.stdout?.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error(`serve ended without an address: ${text}`);
}
