// What `import { createGateway } from 'tablegate'` gives: a gateway in a process of one's own, with the settings and the
// refusals of `tablegate serve`. Its types are written by cli/settings-types.ts.
import { OperatorError } from './base/errors.ts';
import { optionName, readArguments } from './cli/arguments.ts';
import { createWriter } from './log/lines.ts';
import { createLog } from './log/log.ts';

type Value = string | number | boolean | readonly string[];

export interface RunningGateway {
  /** `http://127.0.0.1:8080`: where it listens. */
  readonly address: string;
  /** `http://127.0.0.1:8080/api/v1`: the address of the API. */
  readonly url: string;
  readonly metricsAddress: string | undefined;
  /** Stops accepting, lets running requests end, then stops the engines. */
  close(): Promise<void>;
}

/**
 * Starts a gateway and resolves once it listens. Variables of the environment are not read. HTTP is answered in this process
 * unless `fronts` says otherwise.
 * @param settings as in docs/SETTINGS.md, in camelCase: `{ data: 'tables', port: 0, deadlineMs: '5s' }`
 * @param log takes the lines of the log; stderr does where it is not given
 * @throws Error with a message for people where a setting, the data folder or the address cannot be used
 */
export async function createGateway(
  settings: Readonly<Record<string, Value | undefined>> = {},
  log: (line: string) => void = (line) => process.stderr.write(line),
): Promise<RunningGateway> {
  const { config, warnings } = readArguments(
    Object.entries({ fronts: 1, ...settings }).flatMap(optionOf),
    {},
  );
  const observe = createLog(
    { level: config.logLevel, requestShare: config.logRequests },
    createWriter(config.logFormat, { write: log, flush: () => {} }),
  );
  for (const text of warnings) observe({ type: 'note', level: 'warn', text });
  const gateway =
    config.fronts === 1
      ? await (await import('./app.ts')).startGateway(config, observe)
      : await (await import('./fronts/supervisor.ts')).startSupervisor(config, observe, log);
  let closed: Promise<void> | undefined;
  return {
    address: gateway.address,
    url: gateway.address + config.basePath,
    metricsAddress: gateway.metricsAddress,
    close() {
      closed ??= gateway.close();
      return closed;
    },
  };
}

/** In the option's own text, so that it is read and refused as there. */
function optionOf([name, value]: readonly [string, Value | undefined]): readonly string[] {
  if (value === undefined) return [];
  if (!/^[a-z][A-Za-z]*$/.test(name))
    throw new OperatorError(
      `unknown setting ${JSON.stringify(name.slice(0, 100))}: settings are in camelCase`,
    );
  const text = Array.isArray(value)
    ? value.join(',')
    : value === true
      ? 'on'
      : value === false
        ? 'off'
        : String(value);
  return [`${optionName(name)}=${text}`];
}
