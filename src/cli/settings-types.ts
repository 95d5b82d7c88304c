// Writes dist/tablegate.d.ts, the types of the package, from the table of settings; `make build` runs it after the
// compiler. Each setting has its help as a comment, for editors.
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { valueText } from './arguments.ts';
import { SETTINGS, type SettingName } from './config.ts';

export function settingsTypes(): string {
  const members = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { help, unit, default: fallback } = SETTINGS[name];
    const value = valueText(name, fallback);
    const described = [help, value === '' ? '' : `Default ${value}.`].filter((text) => text !== '').join(' ');
    const type = Array.isArray(fallback)
      ? 'string | readonly string[]'
      : unit !== '' || typeof fallback === 'number'
        ? 'number | string'
        : /\bon or off\b/.test(help)
          ? "boolean | 'on' | 'off'"
          : name === 'metricsPort'
            ? "number | 'off'"
            : 'string';
    return `  /** ${described.replaceAll('*/', '* /')} */\n  readonly ${name}?: ${type} | undefined;\n`;
  });
  return `// Written by make build.
/** Settings of a gateway: docs/SETTINGS.md. Times and sizes take units: '10s', '1GiB'. */
export interface GatewaySettings {
${members.join('')}}

export interface RunningGateway {
  /** \`http://127.0.0.1:8080\`: where it listens. */
  readonly address: string;
  /** \`http://127.0.0.1:8080/api/v1\`: the address of the API. */
  readonly url: string;
  /** Of Prometheus' metrics; undefined where they are off. */
  readonly metricsAddress: string | undefined;
  /** Stops accepting, lets running requests end, then stops the engines. */
  close(): Promise<void>;
}

/**
 * Starts a gateway in this process and resolves once it listens. Variables of the environment are not read.
 * @param log takes the lines of the log; stderr does where it is not given
 * @throws Error with a message for people where a setting, the data folder or the address cannot be used
 */
export declare function createGateway(
  settings?: GatewaySettings,
  log?: (line: string) => void,
): Promise<RunningGateway>;
`;
}

if (import.meta.filename === realpathSync(process.argv[1] ?? ''))
  writeFileSync(join(import.meta.dirname, '..', 'tablegate.d.ts'), settingsTypes());
