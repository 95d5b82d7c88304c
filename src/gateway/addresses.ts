// The addresses to listen on, tried before anything else starts: what cannot be had is said at once, in words that say
// what to do, not after a long first import.
import { createServer, type Server } from 'node:net';
import { OperatorError } from '../base/errors.ts';
import type { Config } from '../cli/config.ts';

type Addresses = Pick<Config, 'host' | 'port' | 'metricsHost' | 'metricsPort'>;

/**
 * Holds all of them for a moment, so that two that are the same are found, too.
 * @throws OperatorError where one cannot be had
 */
export async function checkAddresses({ host, port, metricsHost, metricsPort }: Addresses): Promise<void> {
  const held: Server[] = [];
  try {
    held.push(await hold(port, host, ''));
    if (metricsPort !== 'off') held.push(await hold(metricsPort, metricsHost, 'metrics-'));
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

/** A port that is free at this moment. @throws OperatorError where the host cannot be had */
export async function freePort(host: string): Promise<number> {
  const server = await hold(0, host, '');
  const bound = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

function hold(port: number, host: string, prefix: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Whoever comes in this moment is turned away, as before it.
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => reject(listenFailure(error, port, host, prefix)));
    server.listen(port, host, () => resolve(server));
  });
}

/** @param prefix of the options that say where: '' or `metrics-` */
export function listenFailure(error: unknown, port: number, host: string, prefix: string): OperatorError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const option = { port: `--${prefix}port`, host: `--${prefix}host` };
  const why: { readonly [code: string]: string } = {
    EADDRINUSE: `port ${port} on ${host} is in use: stop what listens there, or choose another with ${option.port}`,
    EACCES: `port ${port} on ${host} needs rights that this user does not have: choose one above 1023 with ${option.port}`,
    EADDRNOTAVAIL: `${host} is no address of this machine: choose another with ${option.host}`,
    ENOTFOUND: `the host name ${host} is not known: choose another with ${option.host}`,
  };
  return new OperatorError(why[code] ?? `cannot listen on ${host}:${port}: ${code}`, { cause: error });
}
