// Reads options and TABLEGATE_* variables by the tables of settings: what is unknown or malformed ends the
// program with a line that names it, what is retired gets a warning. Knows no setting by name.

import { OperatorError } from '../base/errors.ts';
import { nearestName } from '../base/near-name.ts';
import { type Config, SETTINGS, type SettingName } from './config.ts';
import { RETIRED } from './retired.ts';
import { bytesText, durationText } from './value.ts';

const PREFIX = 'TABLEGATE_';
const ALL = '; --help=all lists them';
/** No name is as long. */
const MAX_WORD = 100;
const NAMES = Object.keys(SETTINGS) as readonly SettingName[];
const RETIRED_NAMES = Object.keys(RETIRED) as readonly (keyof typeof RETIRED)[];

/** `rateLimit` -> `--rate-limit`. */
export function optionName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `rateLimit` -> `TABLEGATE_RATE_LIMIT`. */
export function variableName(name: string): string {
  return PREFIX + name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

export interface Reading {
  readonly config: Config;
  /** Where each value comes from: `default`, or the option or variable that set it. */
  readonly origins: { readonly [K in SettingName]: string };
  /** Given options that are no settings, such as `--print-config`. */
  readonly flags: ReadonlySet<string>;
  /** A line for each option or variable of an older version. */
  readonly warnings: readonly string[];
}

/**
 * An option beats a variable, which beats the default.
 * @param args without the command
 * @param flags options without a value that the command takes besides the settings
 * @throws OperatorError naming the option or variable
 */
export function readArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  flags: readonly string[] = [],
): Reading {
  const given = readOptions(args, flags);
  checkVariables(env);
  const config: Record<string, unknown> = {};
  const origins: Record<string, string> = {};
  for (const name of NAMES) {
    const names = [name, ...RETIRED_NAMES.filter((each) => RETIRED[each] === name)];
    const found = sourcesOf(names, given.values, env)[0];
    origins[name] = found?.origin ?? 'default';
    config[name] = found === undefined ? SETTINGS[name].default : parse(name, found.text, found.origin);
  }
  return {
    config: Object.freeze(config) as Config,
    origins: origins as Reading['origins'],
    flags: given.flags,
    warnings: RETIRED_NAMES.flatMap((name) =>
      sourcesOf([name], given.values, env).map(({ origin, toOrigin }) => {
        const place = RETIRED[name];
        return place === null
          ? `${origin} has no meaning any more: leave it out, the next version refuses it`
          : `${origin} is called ${toOrigin(place)} now: the next version knows only that name`;
      }),
    ),
  };
}

/** A value as it was given. */
interface Source {
  readonly origin: string;
  readonly text: string;
  /** What a setting is called in the same place. */
  readonly toOrigin: (name: string) => string;
}

/** The first one counts: an option beats a variable, and of each kind the name that comes first. */
function sourcesOf(
  names: readonly string[],
  options: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): readonly Source[] {
  return [
    ...names.map((name) => ({ name, text: options.get(name), toOrigin: optionName })),
    ...names.map((name) => ({ name, text: env[variableName(name)], toOrigin: variableName })),
  ].flatMap(({ name, text, toOrigin }) =>
    text === undefined ? [] : [{ origin: toOrigin(name), text, toOrigin }],
  );
}

function readOptions(
  args: readonly string[],
  flags: readonly string[],
): { readonly values: ReadonlyMap<string, string>; readonly flags: ReadonlySet<string> } {
  const byOption = new Map([...NAMES, ...RETIRED_NAMES].map((name) => [optionName(name), name]));
  const values = new Map<string, string>();
  const found = new Set<string>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('--'))
      throw new OperatorError(
        `unexpected argument ${JSON.stringify(withoutUser(arg))}; options start with --`,
      );
    if (flags.includes(arg)) {
      found.add(arg);
      continue;
    }
    const equals = arg.indexOf('=');
    const option = equals < 0 ? arg : arg.slice(0, equals);
    const name = byOption.get(option);
    if (name === undefined)
      throw new OperatorError(`unknown option ${option}${hint(option, byOption) || ALL}`);
    const value = equals < 0 ? args[++i] : arg.slice(equals + 1);
    if (value === undefined) throw new OperatorError(`option ${option} needs a value`);
    values.set(name, value);
  }
  return { values, flags: found };
}

function checkVariables(env: Readonly<Record<string, string | undefined>>): void {
  const known = new Map([...NAMES, ...RETIRED_NAMES].map((name) => [variableName(name), name]));
  for (const variable of Object.keys(env))
    if (variable.startsWith(PREFIX) && !known.has(variable))
      throw new OperatorError(`unknown variable ${variable}${hint(variable, known) || ALL}`);
}

/** What is begun rightly, or mistyped by a few letters. */
export function hint(word: string, known: ReadonlyMap<string, unknown>): string {
  const letters = (text: string): string => text.replace(/[^A-Za-z]/g, '').toLowerCase();
  const [wanted, names] = [letters(word.slice(0, MAX_WORD)), [...known.keys()]];
  const begins = (one: string, other: string): boolean => one.length >= 3 && other.startsWith(one);
  const begun = names.find((name) => begins(wanted, letters(name)) || begins(letters(name), wanted));
  const near = begun ?? nearestName(word, names);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function parse(name: SettingName, text: string, origin: string): unknown {
  try {
    return SETTINGS[name].parse(text);
  } catch (error) {
    const accepted = error instanceof Error ? error.message : String(error);
    const shown = SETTINGS[name].secret ? 'its value' : JSON.stringify(withoutUser(text));
    throw new OperatorError(`${origin} must be ${accepted}, not ${shown}`);
  }
}

/** Of an address, well formed or not: what stands before `@` may be a password. */
function withoutUser(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1...@');
}

/** A value as one would write it in an option. */
export function valueText(name: SettingName, value: unknown): string {
  const { unit } = SETTINGS[name];
  if (typeof value === 'number' && unit === 'ms') return durationText(value);
  if (typeof value === 'number' && unit === 'bytes') return bytesText(value);
  return Array.isArray(value) ? value.join(',') : String(value);
}

/** One setting a line: option, value, origin. Secrets are counted, not shown. */
export function printConfig(reading: Reading): string {
  const lines = NAMES.map((name) => {
    const value = reading.config[name];
    const count = Array.isArray(value) ? value.length : value === '' ? 0 : 1;
    const shown =
      SETTINGS[name].secret && count > 0 ? `(${count} hidden)` : JSON.stringify(valueText(name, value));
    return [optionName(name), shown, reading.origins[name]] as const;
  });
  const widths = [0, 1].map((column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map(
      ([option, value, origin]) =>
        `${option.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${origin}\n`,
    )
    .join('');
}
