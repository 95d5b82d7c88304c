// Asks the gateway of this machine for its health and ends with 0 or 1: a container's health check, where there
// is no curl. Reads the settings as `serve` does.
import { readArguments } from './arguments.ts';

const TIMEOUT_MS = 5_000;
/** Every address of the machine is listened on: this one too. */
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

async function healthy(): Promise<boolean> {
  const { host, port, basePath } = readArguments([], process.env).config;
  const name = EVERYWHERE.includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  const answer = await fetch(`http://${name}:${port}${basePath}/health`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return answer.status === 200;
}

process.exit((await healthy().catch(() => false)) ? 0 : 1);
